// The sources as the tests of the house see them: every file, its lines, and what it imports.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";

export const root = path.resolve(import.meta.dirname, "../..");

export interface Source {
  /** Path from the project's root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A path from the root for our own files, else a package's name or `node:...`. */
  readonly target: string;
  readonly typeOnly: boolean;
}

function walk(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(file) : [file];
  });
}

/** Files of some rooms; what the build writes is not part of the house. */
export function filesOf(...rooms: string[]): string[] {
  return rooms.flatMap(walk).filter((file) => !file.endsWith(".generated.ts"));
}

export function readSource(file: string): Source {
  const text = readFileSync(path.join(root, file), "utf8");
  const { module, program } = parseSync(file, text);
  const typeOnly = new Set(
    program.body
      .filter((node) => node.type === "ImportDeclaration" && node.importKind === "type")
      .map((node) => node.start),
  );
  const imports: Import[] = [];
  for (const entry of module.staticImports) {
    imports.push({
      target: resolveImport(file, entry.moduleRequest.value),
      typeOnly: typeOnly.has(entry.start),
    });
  }
  for (const entry of module.staticExports.flatMap((statement) => statement.entries)) {
    if (entry.moduleRequest)
      imports.push({ target: resolveImport(file, entry.moduleRequest.value), typeOnly: entry.isType });
  }
  for (const entry of module.dynamicImports) {
    const literal = /^["'`]([^"'`]+)["'`]$/.exec(
      text.slice(entry.moduleRequest.start, entry.moduleRequest.end),
    );
    if (literal?.[1]) imports.push({ target: resolveImport(file, literal[1]), typeOnly: false });
  }
  return { file, text, imports };
}

/** A path from the root for our own files, else a package's name or `node:...`. */
export function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(from), specifier);
  if (specifier.startsWith("node:")) return specifier;
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}
