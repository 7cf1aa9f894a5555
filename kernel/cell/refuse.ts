// Rejects what TypeScript allows and a cell does not, and says what to write instead. Changes no code.
import type { ImportDeclaration, Node, Program } from "oxc-parser";
import { RESERVED_PREFIX } from "./names.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";
import { walk } from "../../lib/typescript/walk.ts";

/** @throws CellSyntaxError */
export function refuseUnsupported(program: Program, typescript: string): void {
  for (const statement of program.body) {
    const reason = refusedExport(statement);
    if (reason !== null) throw new CellSyntaxError(reason, statement.start, statement.end);
    if (statement.type === "ImportDeclaration") refuseDefaultImport(statement);
  }
  // The tree of a long cell is worth walking only where the text could hold one.
  if (!typescript.includes(RESERVED_PREFIX)) return;
  walk(program, (node) => {
    if (node.type !== "Identifier" || !node.name.startsWith(RESERVED_PREFIX)) return;
    const reason = `Names that begin with ${RESERVED_PREFIX} belong to the kernel: give ${node.name} another name`;
    throw new CellSyntaxError(reason, node.start, node.end);
  });
}

/** TypeScript lets a module of declarations have a default export that it does not mention. */
function refuseDefaultImport({ source, specifiers }: ImportDeclaration): void {
  const given = specifiers.find(({ type }) => type === "ImportDefaultSpecifier");
  if (source.value !== "mpslab" || given === undefined) return;
  const reason = "mpslab has no default export, and its names stand in braces";
  throw new CellSyntaxError(reason, given.start, given.end);
}

function refusedExport(statement: Node): string | null {
  if (statement.type === "TSExportAssignment") return "A cell is no module: leave out `export =`";
  const list = statement.type === "ExportNamedDeclaration" && statement.source !== null;
  if (!(list || statement.type === "ExportAllDeclaration") || statement.exportKind === "type") return null;
  return "A cell is no module and cannot re-export: import the names, and every later cell has them";
}
