// Lets a cell declare a `var` again with another type, as JavaScript does. In TypeScript the first declaration decides
// the type; but a variable without type or value in its declaration has, at each place, the type of what was assigned
// last. This is done only after TypeScript has refused the cell, because functions see such a variable as any.
//
//     var s = "a"; s.length; var s = 3; s.toFixed();
//     var s; s = "a"; s.length; var s; s = 3; s.toFixed();
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { namesOf, walk } from "../../lib/typescript/walk.ts";
import { insert, type Insertion, type Surrounded } from "./insertions.ts";

/** "Subsequent variable declarations must have the same type." */
export const RETYPED_VAR = 2403;

/** Null if no `var` is declared several times, each time by a statement of its own and without a type. */
export function withRetypedVars({ text, program, problem }: ParsedText): Surrounded | null {
  if (problem !== null) return null;
  const byName = new Map<string, (Insertion | null)[]>();
  const heads = new Set<unknown>();
  walk(program, (node) => {
    if (node.type === "ForStatement") heads.add(node.init);
    else if (node.type === "ForOfStatement" || node.type === "ForInStatement") heads.add(node.left);
    else if (node.type === "VariableDeclaration" && node.kind === "var") {
      const [only] = node.declarations;
      const isPlain =
        node.declarations.length === 1 &&
        only?.id.type === "Identifier" &&
        !only.id.typeAnnotation &&
        only.init !== null &&
        !heads.has(node);
      for (const name of node.declarations.flatMap(({ id }) => namesOf(id))) {
        const insertion = isPlain ? { at: only.id.end, text: `; ${name}` } : null;
        byName.set(name, [...(byName.get(name) ?? []), insertion]);
      }
    }
    return true;
  });
  const insertions = [...byName.values()].flatMap((found) => {
    const plain = found.filter((insertion) => insertion !== null);
    return found.length > 1 && plain.length === found.length ? plain : [];
  });
  return insertions.length === 0 ? null : insert(text, insertions);
}
