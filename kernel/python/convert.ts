// Converts Python to TypeScript: text in, text and the places that could not be said out. Nothing is run.
//
// The cell is converted several times. Each pass finds out more of what variables hold, functions give and parameters
// take, and the next one uses it; the last one is the result.
import { formatted } from "./expressions/literals.ts";
import { widen } from "./statements/assignments.ts";
import { blockLines } from "./statements/statements.ts";
import { withComments } from "./source/comments.ts";
import { comprehensionOf } from "./expressions/comprehensions.ts";
import { type ArgumentParsers, type Context, type Learned, type Mark, mark } from "./context.ts";
import { collectEvidence } from "./evidence.ts";
import { expressionCode } from "./expressions/expressions.ts";
import { headerLines } from "./header.ts";
import { foundAt } from "./names/members.ts";
import { isHolder, spaceOf } from "./names/paths.ts";
import { lateBound } from "./source/closures.ts";
import { withoutGrammarGaps } from "./source/grammar_gaps.ts";
import { definedName, makeScope } from "./source/scope.ts";
import { isNumber, isTensor } from "./kinds.ts";
import { kindOfType } from "./session_kinds.ts";
import { findArgumentParsers } from "./standard/argument_parser.ts";
import { type Node, parsePython, type Tree } from "./source/syntax.ts";
import { learnedFrom, NOTHING_TAUGHT, type Taught, taughtAfter } from "./taught.ts";

export interface Conversion {
  readonly typescript: string;
  /** Places that could not be said; each stands in a comment above its line too. */
  readonly marks: readonly Mark[];
  /** The text of each line of TypeScript by the line of Python that it says, from 1, imports left out. */
  readonly lines: readonly { readonly text: string; readonly python: number }[];
  readonly imports: readonly string[];
  /** Whether it brings functions of its own along. */
  readonly hasHelpers: boolean;
  /** What the cells below know of functions and classes. */
  readonly taught: Taught;
}

/** A class hands what it was given to another one: each pass carries kinds one call further. */
const PASSES = { least: 3, most: 8 };

/**
 * @param types printed types of the variables of earlier cells
 * @param taught by the cells above
 * @param isShownAlone whether single lines are shown, which bring no functions along
 * @throws NotPythonError
 */
export function convertPython(
  text: string,
  types: ReadonlyMap<string, string> = new Map(),
  taught: Taught = NOTHING_TAUGHT,
  isShownAlone = false,
): Conversion {
  let source = withoutGrammarGaps(dedented(text.replaceAll("\r\n", "\n").replace(/\s+$/, "\n")));
  const marks: Mark[] = [];
  for (;;) {
    const tree = parsePython(source);
    if (tree.errorAt === null) {
      const conversion = convertTree(tree, source, types, taught, isShownAlone);
      return { ...conversion, marks: [...marks, ...conversion.marks].toSorted((a, b) => a.line - b.line) };
    }
    const line = source.slice(0, tree.errorAt).split("\n").length;
    const lines = source.split("\n");
    if (!IPYTHON.test(lines[line - 1]!)) throw new NotPythonError(line, source);
    const message = `a line of IPython is left out, ${lines[line - 1]!.trim()}: %sh runs a command here, %npm installs a package`;
    marks.push({ line, message });
    source = lines.with(line - 1, `# TODO: python line ${line}: ${message}`).join("\n");
  }
}

/** `!pip install torch`, `%matplotlib inline` */
const IPYTHON = /^[!%]{1,2}[a-z]/;

/** The text is not Python, from that line on. */
export class NotPythonError extends SyntaxError {
  override readonly name = "NotPythonError";

  constructor(
    readonly line: number,
    text: string,
  ) {
    super(`line ${line} is not Python: ${text.split("\n")[line - 1]?.trim()}`);
  }
}

function convertTree(
  tree: Tree,
  text: string,
  types: ReadonlyMap<string, string>,
  taught: Taught,
  isShownAlone: boolean,
): Conversion {
  const own = namesOfCell(tree.root);
  const learned = learnedFrom(taught, new Set([...types.keys()].filter((name) => !own.has(name))));
  for (const [name, type] of types)
    learned.variables.set(`session ${name}`, kindOfType(type, learned.classes));
  const parsers = findArgumentParsers(tree.root);
  const fields = new Set(learned.attributes.keys());
  const { imports } = taught;
  let last = pass(tree, text, learned, parsers, isShownAlone, { imports, fields, names: new Set() });
  const names = new Set([...types.keys()].filter((name) => holdsAlike(name, learned)));
  let before = "";
  for (let count = 1; count < PASSES.most; count++) {
    const now = JSON.stringify([learned.variables, learned.attributes, learned.returns].map((of) => [...of]));
    if (count >= PASSES.least && now === before) break;
    before = now;
    last = pass(tree, text, learned, parsers, isShownAlone, { imports, fields, names });
  }
  const { context, lines } = last;
  const commented = withComments(lines, tree, text);
  const body = commented.map(({ text: line, indent }) =>
    line === "" ? "" : `${"  ".repeat(indent)}${line}`,
  );
  const header = headerLines(context, body.filter((line) => !/^\s*\/\//.test(line)).join("\n"));
  // Magics stand first: what they set is there before libtorch is loaded.
  const first = body.findIndex((line) => !/^(%|\/\/|$)/.test(line));
  const magics = body.slice(0, Math.max(first, 0)).findLastIndex((line) => line.startsWith("%")) + 1;
  const rest = body.slice(magics);
  const parts = [
    ...body.slice(0, magics),
    ...header,
    ...(header.length > 0 && rest.length > 0 ? [""] : []),
    ...rest,
  ];
  return {
    typescript: `${parts
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()}\n`,
    marks: context.marks.toSorted((a, b) => a.line - b.line),
    lines: lines.map(({ text: line, python }) => ({ text: line, python })),
    imports: header,
    hasHelpers: header.some((line) => line.startsWith("function ")),
    taught: taughtAfter(taught, { learned, imports: context.imports }, own),
  };
}

/** The names that the cell itself assigns or defines. */
function namesOfCell(root: Node): Set<string> {
  const definitions = root.children
    .map((child) => (child.name === "DecoratedStatement" ? child.children.at(-1)! : child))
    .filter(({ name }) => name === "FunctionDefinition" || name === "ClassDefinition");
  return new Set([...makeScope(root, null, "", []).variables.keys(), ...definitions.map(definedName)]);
}

/** Whether the cell assigns only what the name of an earlier cell can hold: types of variables are fixed here. */
function holdsAlike(name: string, { variables }: Learned): boolean {
  const held = variables.get(`session ${name}`) ?? "";
  const kinds = (variables.get(`type  ${name}`) ?? "").split("|");
  return kinds.every(
    (kind) =>
      held === "" ||
      [held, "", "?"].includes(kind) ||
      [isNumber, isTensor].some((isAlike) => isAlike(held) && isAlike(kind)),
  );
}

interface CellsAbove {
  /** Their variables that blocks of this cell may assign. */
  readonly names: ReadonlySet<string>;
  readonly imports: ReadonlyMap<string, string>;
  /** Fields of their classes: `Net.layer`. */
  readonly fields: ReadonlySet<string>;
}

function pass(
  tree: Tree,
  text: string,
  learned: Learned,
  argumentParsers: ArgumentParsers,
  isShownAlone: boolean,
  above: CellsAbove,
): { context: Context; lines: ReturnType<typeof blockLines> } {
  const scope = makeScope(tree.root, null, "", [], above.names);
  const earlier = { variables: new Map(learned.variables), attributes: new Map(learned.attributes) };
  for (const key of earlier.variables.keys()) if (key.startsWith("type ")) learned.variables.delete(key);
  for (const key of learned.attributes.keys()) if (!above.fields.has(key)) learned.attributes.delete(key);
  const context: Context = {
    text,
    earlier,
    scope,
    learned,
    imports: new Map(above.imports),
    needed: new Map(),
    kept: new Set(),
    helpers: new Set(),
    later: new Set(),
    counts: new Set(),
    marks: [],
    argumentParsers,
    ownClass: null,
    isShownAlone,
    catches: [],
    breakFlags: [],
    madeNames: new Set(),
    called: new Map(),
    caught: null,
    returned: [],
    isTopLevel: true,
    expression: (node) => expressionCode(node, context),
    format: (value, spec, node) => formatted(value, spec, context, node),
    comprehension: (nodes) => comprehensionOf(nodes, context),
    knows: (path) => spaceOf(path) !== null || foundAt(path) !== null || isHolder(path),
    block: (body, indent) => {
      const lines = blockLines(body, context, indent);
      widen(context);
      for (const variable of context.scope.variables.values())
        if (variable.blocks.includes(body)) variable.declared = false;
      return lines;
    },
  };
  collectEvidence(tree.root, context);
  for (const { function: node, name } of lateBound(tree.root))
    mark(context, node, `in Python these functions all read the last ${name}, here each reads its own`);
  return { context, lines: blockLines(tree.root, context, 0) };
}

/** A part of a cell may have been copied with its indentation. */
function dedented(text: string): string {
  const lines = text.split("\n");
  const depths = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)![0].length);
  const depth = Math.min(...depths);
  return depth > 0 && Number.isFinite(depth) ? lines.map((line) => line.slice(depth)).join("\n") : text;
}
