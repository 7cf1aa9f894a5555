// Finds the source text of a declaration from the place of its name. `detail_level` 1 adds it to the type.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Node } from "oxc-parser";
import { nestsTooDeeply } from "../../../lib/typescript/depth.ts";
import { parseEither } from "../../../lib/typescript/jsx.ts";
import { walk } from "../../../lib/typescript/walk.ts";
import { declarationOffset } from "../cell_text.ts";
import { NAMES_MODULE } from "../notebook.ts";
import { TextLines } from "../server/positions.ts";
import type { LanguageServer } from "../server/server.ts";
import type { Location } from "./editor_queries.ts";

const MAX_LINES = 200;

const DECLARATIONS: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "ClassDeclaration",
  "VariableDeclaration",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSEnumDeclaration",
  "TSModuleDeclaration",
]);

/** @param textOf the text of the cell that declared a name last */
export async function sourceAt(
  { uri, range }: Location,
  {
    server,
    textOf,
  }: { readonly server: LanguageServer; readonly textOf: (name: string) => string | undefined },
): Promise<string | null> {
  const offsetIn = (module: string) => new TextLines(module).offset(range.start);
  const module = server.documentAt(uri);
  if (module === null) return await declarationInFile(uri, offsetIn);
  // A name with a printed type has two declarations: one in the module of names, and one in the cell.
  const name = module.slice(offsetIn(module), new TextLines(module).offset(range.end));
  const cell = uri.includes(NAMES_MODULE) ? textOf(name) : undefined;
  if (cell === undefined) return declarationAround(module, offsetIn(module));
  const at = declarationOffset(cell, name);
  return at < 0 ? null : declarationAround(cell, at);
}

/** The innermost declaration around an offset, without its indentation; null if there is none. */
function declarationAround(text: string, offset: number): string | null {
  if (nestsTooDeeply(text)) return null;
  let innermost: Node | null = null;
  walk(parseEither(text).result.program, (node) => {
    if (node.type !== "Program" && (offset < node.start || offset > node.end)) return false;
    if (DECLARATIONS.has(node.type)) innermost = node;
    return true;
  });
  return innermost === null ? null : dedented(text, innermost);
}

/** The declaration in a file on disk. Declaration files are left out, because they say no more than the type does. */
async function declarationInFile(uri: string, offsetIn: (text: string) => number): Promise<string | null> {
  if (!uri.startsWith("file:") || /\.d\.[cm]?ts$/.test(uri)) return null;
  const text = await readFile(fileURLToPath(uri), "utf8").catch(() => null);
  return text === null ? null : declarationAround(text, offsetIn(text));
}

function dedented(text: string, { start, end }: Node): string {
  const margin = /[ \t]*$/.exec(text.slice(0, start))?.[0] ?? "";
  const lines = text
    .slice(start, end)
    .split("\n")
    .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line));
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), "// ..."].join("\n") : lines.join("\n");
}
