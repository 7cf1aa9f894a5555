// Converts an Enum that only names its values: an object for each name, which is one wherever it is named. Knows no methods
// of enums.
import { bound, code, LEVEL, type Line } from "../code.ts";
import { type Context, lastLine, lineOf, mark } from "../context.ts";
import { documentation, documentationLines } from "./functions.ts";
import { namesOf, type Node, operands } from "../source/syntax.ts";

/** The values of `class Color(Enum)`, or null for another class. */
export function enumMembers(node: Node, context: Context): readonly Node[] | null {
  const bases = operands(node.children.find(({ name }) => name === "ArgList") ?? node.children.at(-1)!);
  const [root = "", ...rest] = bases[0]?.text.split(".") ?? [];
  if (bases.length !== 1 || [context.imports.get(root) ?? root, ...rest].join(".") !== "enum.Enum")
    return null;
  const members = node.children
    .at(-1)!
    .children.filter((child) => child.name !== ":" && documentation(child) === null);
  return members.every(
    ({ name, children }) => name === "AssignStatement" && children[0]?.name === "VariableName",
  )
    ? members
    : null;
}

/** `static readonly RED = new Color("RED", 1);` */
export function enumLines(
  node: Node,
  name: string,
  members: readonly Node[],
  context: Context,
  indent: number,
): Line[] {
  const python = lineOf(context, node);
  const seen = new Set<string>();
  const values = members.map((member, at): Line => {
    const [own = ""] = namesOf(member.children[0]!);
    const last = member.children.at(-1)!;
    const value = /^(?:enum\.)?auto\(\)$/.test(last.text) ? code(String(at + 1)) : context.expression(last);
    if (seen.has(value.text)) mark(context, member, `in Python ${own} is another name of what has its value`);
    seen.add(value.text);
    const text = `static readonly ${own} = new ${name}("${own}", ${bound(value, LEVEL.arrow)});`;
    return { text, indent: indent + 1, python: lineOf(context, member) };
  });
  const rest = [
    "private constructor(readonly name: string, readonly value: any) {}",
    `toString(): string { return \`${name}.\${this.name}\`; }`,
  ].map((text): Line => ({ text, indent: indent + 1, python }));
  return [
    ...documentationLines(node.children.at(-1)!, context, indent),
    { text: `class ${name} {`, indent, python },
    ...values,
    ...rest,
    { text: "}", indent, python: lastLine(context, node) },
  ];
}
