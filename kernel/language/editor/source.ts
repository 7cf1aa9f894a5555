// Finds the source text of a declaration from the place of its name. `detail_level` 1 adds it to the type.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Node, parseSync } from "oxc-parser";
import { nestsTooDeeply } from "../../cell/parse/depth.ts";
import { walk } from "../../cell/parse/walk.ts";

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

/** The innermost declaration around an offset, without the indentation that it stands in; null outside of all. */
export function declarationAround(text: string, offset: number): string | null {
  if (nestsTooDeeply(text)) return null;
  let innermost: Node | null = null;
  walk(parseSync("module.ts", text, { sourceType: "module" }).program, (node) => {
    if (node.type !== "Program" && (offset < node.start || offset > node.end)) return false;
    if (DECLARATIONS.has(node.type)) innermost = node;
    return true;
  });
  return innermost === null ? null : dedented(text, innermost);
}

/** The same in a file on disk. Declaration files say no more than the type does. */
export async function declarationInFile(
  uri: string,
  offsetIn: (text: string) => number,
): Promise<string | null> {
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
