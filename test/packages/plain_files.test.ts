// Plain TypeScript files with the library, in an editor: TypeScript's own server answers for a folder that create-mpslab
// made, and what it shows is what the guide says. VS Code brings a TypeScript of its own, so an older one is asked too.
import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { StreamMessageReader, StreamMessageWriter, createMessageConnection } from "vscode-jsonrpc/node";
import ts from "typescript-5";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const guide = readFileSync(path.join(root, "docs/vscode.md"), "utf8");
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, "m").exec(guide)![1]!;
const program = block("typescript");
const error = block("text");
/** What the guide says of each name. */
const hovers = [...guide.matchAll(/^\| `(\w+)` \| `(const .*)` \|$/gm)].map(
  ([, name, type]) => [name!, type!] as const,
);

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-plain-")));
const project = path.join(folder, "my models");
const file = path.join(project, "shapes.ts");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  execFileSync(process.execPath, [path.join(root, "packages/create-mpslab/create.mjs"), project]);
  // As npm lays them out.
  mkdirSync(path.join(project, "node_modules/@types"), { recursive: true });
  symlinkSync(root, path.join(project, "node_modules/mpslab"));
  symlinkSync(path.join(root, "node_modules/@types/node"), path.join(project, "node_modules/@types/node"));
  writeFileSync(file, program);
});

interface Answers {
  hover(name: string): Promise<string>;
  completions(after: string): Promise<readonly string[]>;
  documentation(after: string, name: string): Promise<string>;
  errors(): Promise<readonly string[]>;
  end(): void;
}

/** Zero-based line and column, as editors count. */
function placeOf(text: string, offset = 0) {
  const before = program.slice(0, program.indexOf(text) + offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)!.length };
}

/** The compiler of package.json: a server that editors speak to. */
async function languageServer(): Promise<Answers> {
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [compiler, "--lsp", "--stdio"], {
    cwd: project,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.onRequest((_method, _parameters) => null);
  connection.listen();
  const uri = pathToFileURL(file).href;
  const textDocument = { uri };
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(project).href,
    workspaceFolders: [{ uri: pathToFileURL(project).href, name: "my models" }],
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] }, diagnostic: {} } },
  });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "typescript", version: 1, text: program },
  });
  const items = async (after: string) => {
    const position = placeOf(after, after.length);
    const answer = await connection.sendRequest<{ items: { label: string }[] }>("textDocument/completion", {
      textDocument,
      position,
    });
    return answer.items;
  };
  return {
    async hover(name) {
      const position = placeOf(`const ${name}`, "const ".length);
      const answer = await connection.sendRequest<{ contents: { value: string } }>("textDocument/hover", {
        textDocument,
        position,
      });
      return /^```typescript\n([^]*?)\n```/.exec(answer.contents.value)![1]!;
    },
    completions: async (after) => (await items(after)).map(({ label }) => label),
    async documentation(after, name) {
      const item = (await items(after)).find(({ label }) => label === name);
      const answer = await connection.sendRequest<{ documentation: { value: string } }>(
        "completionItem/resolve",
        item,
      );
      return answer.documentation.value;
    },
    async errors() {
      const answer = await connection.sendRequest<{ items: { severity: number; message: string }[] }>(
        "textDocument/diagnostic",
        {
          textDocument,
        },
      );
      // The others are hints, which editors show as grey text.
      return answer.items.filter(({ severity }) => severity === 1).map(({ message }) => message);
    },
    end() {
      connection.dispose();
      child.kill();
    },
  };
}

/** TypeScript 5, whose language service VS Code's server wraps. */
function languageService(): Answers {
  const { config } = ts.readConfigFile(path.join(project, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, project);
  const host: ts.LanguageServiceHost = {
    ...ts.sys,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) =>
      existsSync(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined,
    getCurrentDirectory: () => project,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  };
  const service = ts.createLanguageService(host);
  const end = (after: string) => program.indexOf(after) + after.length;
  return {
    hover: async (name) =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, end(`const ${name}`))!.displayParts),
    completions: async (after) =>
      service.getCompletionsAtPosition(file, end(after), {})!.entries.map(({ name }) => name),
    documentation: async (after, name) =>
      ts.displayPartsToString(
        service.getCompletionEntryDetails(file, end(after), name, {}, undefined, {}, undefined)!
          .documentation,
      ),
    errors: async () =>
      service
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
    end: () => service.dispose(),
  };
}

describe.each([
  ["the compiler's server", languageServer],
  ["TypeScript 5's language service", languageService],
])("%s, asked of the guide's program,", (_name, start) => {
  let answers: Answers;
  beforeAll(async () => {
    answers = await start();
  });
  afterAll(() => answers.end());

  it.each(hovers)("shows of %s: %s", async (name, type) => {
    expect(await answers.hover(name)).toBe(type);
  });

  it("completes a tensor's methods, with PyTorch's sentence", async () => {
    expect(await answers.completions("y.")).toEqual(expect.arrayContaining(["mean", "matmul", "reshape"]));
    expect(await answers.documentation("y.", "mean")).toMatch(/\w{3,} .*\.$/m);
  });

  it("finds the one error, in the guide's words", async () => {
    expect(await answers.errors()).toEqual([error]);
  });
});

it("the guide's tsconfig is the one that create-mpslab writes", () => {
  const written = JSON.parse(readFileSync(path.join(project, "tsconfig.json"), "utf8")) as unknown;
  expect(JSON.parse(block("json"))).toEqual(written);
});
