// What the parts of the converter share while one cell is converted: the scope, what was learned of kinds, what has to
// be imported, and the places that could not be said. The parts reach each other through it, so that they form no cycle.
import type { Code, Line } from "./code.ts";
import { HELPERS } from "./semantics.ts";
import type { Kind } from "./kinds.ts";
import { type Scope, type Variable, variableOf } from "./source/scope.ts";
import type { Node } from "./source/syntax.ts";

/** Something that could not be said in TypeScript. */
export interface Mark {
  /** The line of Python, from 1. */
  readonly line: number;
  readonly message: string;
}

/** The parameters of a function of the cell, in the order of its calls here. */
export interface Parameters {
  readonly names: readonly string[];
  readonly rest: boolean;
  /** How many of them can be given by place. */
  readonly placed: number;
  readonly keywords: boolean;
}

/** Kinds that one pass over the cell finds out and the next one uses. */
export interface Learned {
  readonly variables: Map<string, Kind>;
  readonly attributes: Map<string, Kind>;
  readonly returns: Map<string, Kind>;
  readonly parameters: Map<string, Parameters>;
  /** Classes of the cell, with the class that each extends: `Net` -> `nn.Module`. */
  readonly classes: Map<string, string>;
}

/** `f(x) for x in xs if g(x)`: the list before its elements are mapped, and the function that maps them. */
export interface Comprehension {
  /** `xs.filter((x) => g(x))` */
  readonly source: string;
  /** `(x) => f(x)` */
  readonly map: string;
  /** `x` */
  readonly parameters: string;
  readonly element: Code;
  /** `xs.filter(...).map(...)` */
  readonly whole: Code;
}

/** Statements of argparse; see standard/argument_parser.ts. */
export interface ArgumentParsers {
  /** Those that make a parser, or add an argument to one. They have no equal. */
  readonly leftOut: ReadonlySet<Node>;
  /** `args = parser.parse_args()`, with the calls of add_argument before it. */
  readonly parsed: ReadonlyMap<Node, readonly Node[]>;
  /** The variables that hold what a parser gave, as functions mostly call it too. */
  readonly results: ReadonlySet<string>;
}

export interface Context {
  readonly text: string;
  /** What the pass before has found: the types of variables, and attributes. */
  readonly earlier: Pick<Learned, "variables" | "attributes">;
  scope: Scope;
  readonly learned: Learned;
  /** Local names of Python's modules and of what is in them: `F` -> `torch.nn.functional`. */
  readonly imports: Map<string, string>;
  /** Imports that the result needs: module, name there, name here. */
  readonly needed: Map<string, Map<string, string>>;
  /** Names here that Python imports too: they stay for cells below, used or not. */
  readonly kept: Set<string>;
  /** Helper functions that the result needs, by their name. */
  readonly helpers: Set<string>;
  /** Functions that a cell below must define. */
  readonly later: Set<string>;
  readonly marks: Mark[];
  readonly argumentParsers: ArgumentParsers;
  /** The class whose method is being converted, and the method's first parameter, `self`. */
  ownClass: { readonly name: string; readonly self: string; readonly method: string } | null;
  /** Whether single lines are shown: what is not known is marked, where a cell has a function for it. */
  readonly isShownAlone: boolean;
  /** Whether a try around catches an index or a key that is not there, for each try around. */
  catches: readonly string[];
  /** The exception that an `except` block holds, for a bare `raise`. */
  caught: string | null;
  /** For each loop around, the variable that notes its `break`; null for a loop whose `else` does not ask. */
  readonly breakFlags: (string | null)[];
  /** Names that the converter made up. */
  readonly madeNames: Set<string>;
  /** Variables that count from zero up, of which % means the same in both languages. */
  readonly counts: Set<Variable>;
  /** The kinds that parameters are given by the calls of this pass. */
  readonly called: Map<string, Kind>;
  /** The kinds that the function being converted returns. */
  returned: Kind[];
  /** Whether an `await` may stand here: not in a function. */
  isTopLevel: boolean;
  expression(node: Node): Code;
  /** A value by a format of Python: `.4f`. */
  format(value: Code, spec: string, node: Node): string;
  /** The list that a comprehension makes, and the parts of it. */
  comprehension(nodes: readonly Node[]): Comprehension;
  /** Whether PyTorch's dotted name is one of the library's. */
  knows(path: string): boolean;
  /** The statements of a body. */
  block(body: Node, indent: number): Line[];
}

export function lineOf(context: Context, node: Node): number {
  return context.text.slice(0, node.from).split("\n").length;
}

/** The last line of a statement's text. */
export function lastLine(context: Context, node: Node): number {
  return context.text.slice(0, node.from + node.text.trimEnd().length).split("\n").length;
}

/** Says that a place could not be converted. The sentence stands in a comment above its statement. */
export function mark(context: Context, node: Node, message: string): void {
  const line = lineOf(context, node);
  if (context.marks.some((one) => one.line === line && one.message === message)) return;
  context.marks.push({ line, message });
}

/** Keys are texts here: a number as a key becomes one. */
export function textKey(key: Code, context: Context, node: Node): void {
  if (key.kind !== "text")
    mark(
      context,
      node,
      "a key that is no text becomes one here, and whole numbers come first: a Map keeps it",
    );
}

/**
 * The name under which a namespace of the library is imported: its own, unless the cell has a variable of that name where the
 * namespace is used: `for data, _ in loader: save_image(data, ...)`. The next pass uses the other name throughout.
 */
export const library = (context: Context, name: string): string => imported(context, "mpslab", name, name);

/** Node's own module of paths, as `path` or what the cell has not: `def load(path): os.path.join(path, "a")` */
export const nodePath = (context: Context): string => imported(context, "node:path", "default", "path");

function imported(context: Context, module: string, name: string, usual: string): string {
  const hidden = `hidden ${usual}`;
  if (variableOf(context.scope, usual) !== null) context.learned.variables.set(hidden, "");
  const local = context.learned.variables.has(hidden) ? `${usual}_` : usual;
  need(context, module, name, local);
  return local;
}

/** The name of a function that the cell brings along; see semantics.ts. */
export function helper(context: Context, name: string): string {
  context.helpers.add(name);
  if (HELPERS[name]!.needsTorch === true) library(context, "torch");
  return name;
}

/** A name that the cell has nowhere. */
export function newName(name: string, { text, madeNames }: Context): string {
  let result = name;
  for (let count = 2; madeNames.has(result) || new RegExp(`\\b${result}\\b`).test(text); count++)
    result = `${name}${count}`;
  madeNames.add(result);
  return result;
}

export function need(context: Context, module: string, name: string, local = name): void {
  const names = context.needed.get(module) ?? new Map<string, string>();
  names.set(name, local);
  context.needed.set(module, names);
}
