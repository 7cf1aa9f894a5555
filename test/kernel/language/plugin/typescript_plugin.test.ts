// The plugin in the language service of stock TypeScript 5, as an editor starts it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-plugin-")));
const file = path.join(folder, "train.ts");
const program = createRequire(import.meta.url).resolve("typescript-5/lib/tsserver.js");
const server = spawn(
  process.execPath,
  [program, "--disableAutomaticTypingAcquisition", "--allowLocalPluginLoads"],
  { cwd: folder },
);
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true });
});

const TEXT = `import { torch, type Tensor } from "mpslab";
const a = torch.ones([2]);
const b: Tensor = torch.zeros([2]);
const same = a === b;
const less = a < b;
const turned = -b;
const word = "a: " + a;
const nothing = b === null || Object.is(a, b) || a.shape === b.shape;
export { same, less, turned, word, nothing };
`;

let sent = 0;
const waiting = new Map<number, (body: unknown) => void>();

function request<Body>(command: string, content: object): Promise<Body> {
  const seq = ++sent;
  server.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: content })}\n`);
  return new Promise((resolve) => waiting.set(seq, (body) => resolve(body as Body)));
}

beforeAll(() => {
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(PROJECT_ROOT, path.join(folder, "node_modules", "mpslab"));
  writeFileSync(file, TEXT);
  const compilerOptions = {
    strict: true,
    target: "es2022",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    noEmit: true,
    types: [],
    plugins: [{ name: "mpslab" }],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["train.ts"] }));
  createInterface({ input: server.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as { type: string; request_seq: number; body: unknown };
    if (message.type === "response") waiting.get(message.request_seq)?.(message.body);
  });
  server.stdin.write(
    `${JSON.stringify({ seq: ++sent, type: "request", command: "open", arguments: { file } })}\n`,
  );
});

interface Told {
  readonly code: number;
  readonly text: string;
  readonly start: { readonly line: number; readonly offset: number };
}

it("operators between tensors are errors in an editor", async () => {
  const found = await request<readonly Told[]>("semanticDiagnosticsSync", { file });
  expect(found.map(({ code, text, start }) => `${start.line}:${start.offset} ${code} ${text}`)).toEqual([
    "4:14 990365 A tensor has no operator ===, and Object.is(a, b) asks whether both are one: write a.eq(b).",
    "5:14 990365 A tensor has no operator <: write a.lt(b).",
    "6:16 990365 A tensor has no operator -: write b.neg().",
  ]);
});

it("each has a fix", async () => {
  const place = { file, startLine: 6, startOffset: 16, endLine: 6, endOffset: 18, errorCodes: [990365] };
  const fixes = await request<readonly { description: string; changes: unknown }[]>("getCodeFixes", place);
  expect(fixes.map(({ description }) => description)).toEqual(["Write b.neg()"]);
});
