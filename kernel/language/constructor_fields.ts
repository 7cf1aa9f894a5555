// Finds the fields that a class has because its constructor assigns them to `this`, as in JavaScript. Where implicit
// any is allowed, such a field needs no declaration, and has type any.
//
//     class A { constructor(name) { this.name = name } }      new A("Ada").name
import type { Node } from "oxc-parser";
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { childrenOf, walk } from "../../lib/typescript/walk.ts";

/** "Property 'x' does not exist on type 'A'.", and the same with a guess what was meant. */
const NO_PROPERTY = new Set([2339, 2551]);
const MESSAGE =
  /^Property '([^']+)' does not exist on type '(?:typeof )?(?:import\("[^"]*"\)\.)?([^'<.]+)(?:<[^']*)?'/;

export class ConstructorFields {
  readonly #fields = new Map<string, { readonly names: ReadonlySet<string>; readonly base: string | null }>();

  /** Records the classes of a cell. A class replaces an earlier one with the same name. */
  learn({ text, program }: ParsedText): void {
    if (!/\bconstructor\s*\(/.test(text) && !/\bclass\b/.test(text)) return;
    walk(program, (node) => {
      if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") return;
      if (!node.id) return;
      const base = node.superClass?.type === "Identifier" ? node.superClass.name : null;
      this.#fields.set(node.id.name, { names: assignedIn(node.body), base });
    });
  }

  /** Whether an error says that a class lacks a field which its constructor assigns. */
  explains(code: number, message: string): boolean {
    const [, name = "", type = ""] = NO_PROPERTY.has(code) ? (MESSAGE.exec(message) ?? []) : [];
    const met = new Set<string>();
    for (let at: string | null = type; at !== null && at !== "" && !met.has(at);) {
      met.add(at);
      const known = this.#fields.get(at);
      if (known === undefined) return false;
      if (known.names.has(name)) return true;
      at = known.base;
    }
    return false;
  }
}

function assignedIn(body: Node): Set<string> {
  const names = new Set<string>();
  const visit = (node: Node): void => {
    // Such a function has another `this`; an arrow function has the constructor's.
    if (node.type === "FunctionDeclaration" || node.type === "FunctionExpression") return;
    if (node.type === "AssignmentExpression" && node.left.type === "MemberExpression") {
      const { object, property, computed } = node.left;
      if (object.type === "ThisExpression" && !computed && property.type === "Identifier")
        names.add(property.name);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  for (const member of childrenOf(body)) {
    if (member.type !== "MethodDefinition" || member.kind !== "constructor") continue;
    for (const child of childrenOf(member.value)) visit(child);
  }
  return names;
}
