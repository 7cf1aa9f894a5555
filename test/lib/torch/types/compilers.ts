// The two versions of TypeScript that people have, asked about one folder: what tsc prints, and what an editor shows.
import { writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript-5";
import { LanguageServer } from "../../../../kernel/language/server/server.ts";
import { PLAIN_PROJECT } from "./type_check.ts";

export interface Place {
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

export interface Complaint {
  readonly line: number;
  /** The message that tsc prints, without file and place. */
  readonly message: string;
}

const FILE = "program.ts";

function writeConfiguration(folder: string): string {
  const file = path.join(folder, "tsconfig.json");
  writeFileSync(file, JSON.stringify({ compilerOptions: PLAIN_PROJECT, files: [FILE] }));
  return file;
}

export function errors5(folder: string): Promise<readonly Complaint[]> {
  const { service, file } = service5(folder);
  const complaints = service.getSemanticDiagnostics(file).map(({ start = 0, code, messageText }) => ({
    line: service.getProgram()!.getSourceFile(file)!.getLineAndCharacterOfPosition(start).line + 1,
    message: `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  }));
  return Promise.resolve(complaints);
}

export function hovers5(folder: string, places: readonly Place[]): Promise<readonly string[]> {
  const { service, file } = service5(folder);
  const source = service.getProgram()!.getSourceFile(file)!;
  const said = places.map(({ line, column }) => {
    const info = service.getQuickInfoAtPosition(file, source.getPositionOfLineAndCharacter(line - 1, column));
    return ts.displayPartsToString(info?.displayParts);
  });
  return Promise.resolve(said);
}

function service5(folder: string): { service: ts.LanguageService; file: string } {
  const configuration = writeConfiguration(folder);
  const { config } = ts.readConfigFile(configuration, (name) => ts.sys.readFile(name)) as { config: unknown };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (all) => ts.getDefaultLibFilePath(all),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    readDirectory: (...all) => ts.sys.readDirectory(...all),
    directoryExists: (name) => ts.sys.directoryExists(name),
  });
  return { service, file: path.join(folder, FILE) };
}

interface ServerComplaint {
  readonly range: { readonly start: { readonly line: number } };
  readonly severity: number;
  readonly code: number;
  readonly message: string;
}

/** Asks the server that editors start for TypeScript 7. */
async function ask7<Answer>(
  folder: string,
  question: (server: LanguageServer, uri: string) => Promise<Answer>,
): Promise<Answer> {
  writeConfiguration(folder);
  const server = new LanguageServer({ directory: folder, configurationName: "tsconfig.json" });
  try {
    server.setDocument("tsconfig.json", JSON.stringify({ compilerOptions: PLAIN_PROJECT, files: [FILE] }));
    server.setDocument(FILE, readText(folder));
    return await question(server, server.uri(FILE));
  } finally {
    server.close();
  }
}

const readText = (folder: string): string => ts.sys.readFile(path.join(folder, FILE))!;

export function errors7(folder: string): Promise<readonly Complaint[]> {
  return ask7(folder, async (server, uri) => {
    const { items } = await server.request<{ items: readonly ServerComplaint[] }>("textDocument/diagnostic", {
      textDocument: { uri },
    });
    return items
      .filter(({ severity }) => severity === 1)
      .map(({ range, code, message }) => ({ line: range.start.line + 1, message: `TS${code}: ${message}` }));
  });
}

export function hovers7(folder: string, places: readonly Place[]): Promise<readonly string[]> {
  return ask7(folder, async (server, uri) => {
    const said: string[] = [];
    for (const { line, column } of places) {
      const hover = await server.request<{ contents: { value: string } } | null>("textDocument/hover", {
        textDocument: { uri },
        position: { line: line - 1, character: column },
      });
      said.push(/^```\w*\n([^]*?)\n```/.exec(hover?.contents.value ?? "")?.[1] ?? "");
    }
    return said;
  });
}
