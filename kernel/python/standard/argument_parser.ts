// Converts a program's argparse: a cell has no command line, so what parse_args() gives is an object of the defaults, which a
// reader edits in its place.
//
//     parser = argparse.ArgumentParser()                                 let args = {
//     parser.add_argument("--batch-size", type=int, default=64)    ->      batch_size: 64,
//     args = parser.parse_args()                                         };
import { bound, code, keyText, LEVEL, type Line } from "../code.ts";
import { type ArgumentParsers, type Context, lineOf, mark } from "../context.ts";
import { valueOf } from "../expressions/literals.ts";
import { type Node, parts, visit } from "../source/syntax.ts";

const MAKES = /^(?:argparse\.)?ArgumentParser\(/;

/** Finds the parsers of which nothing else is asked. */
export function findArgumentParsers(root: Node): ArgumentParsers {
  const leftOut = new Set<Node>();
  const parsed = new Map<Node, Node[]>();
  const results = new Set<string>();
  visit(root, ({ children }) => {
    for (const statement of children) {
      const name = madeParser(statement);
      if (name === null) continue;
      const added = children.filter((one) => called(one, name) === "add_argument");
      const gives: Node[] = [];
      let uses = 0;
      visit(root, (node) => {
        if (node.name === "VariableName" && node.text === name) uses++;
        // The parser may be made at the top, and asked in main().
        gives.push(...node.children.filter((one) => called(one, name) === "parse_args"));
      });
      if (gives.length !== 1 || uses !== 1 + added.length + 1) continue;
      for (const one of [statement, ...added]) leftOut.add(one);
      parsed.set(gives[0]!, added.map(callOf));
      results.add(gives[0]!.children[0]!.text);
    }
  });
  return { leftOut, parsed, results };
}

/** The variable of `parser = argparse.ArgumentParser(...)`, or null. */
function madeParser({ name, children }: Node): string | null {
  const [target, , value] = children;
  if (name !== "AssignStatement" || children.length !== 3) return null;
  return target!.name === "VariableName" && MAKES.test(value!.text) ? target!.text : null;
}

const callOf = ({ children }: Node): Node => children.at(-1)!;

/** `parser.add_argument(...)` by itself and `args = parser.parse_args()`: the method's name; null for another statement. */
function called({ name, children }: Node, parser: string): string | null {
  const call = children.at(-1);
  if (call?.name !== "CallExpression") return null;
  const [callee, given] = call.children;
  const isParsed =
    name === "AssignStatement" && children.length === 3 && /^\(\s*(?:\[\s*\])?\s*\)$/.test(given!.text);
  if (callee!.text === `${parser}.parse_args`) return isParsed ? "parse_args" : null;
  return callee!.text === `${parser}.add_argument` && name === "ExpressionStatement" ? "add_argument" : null;
}

/** An attribute of another name than Python's would be read as undefined, so the kind knows them all. */
export const ARGUMENTS_KIND = "object Arguments";

/** @param opening `let args = {` */
export function argumentLines(
  opening: string,
  added: readonly Node[],
  context: Context,
  indent: number,
  python: number,
): Line[] {
  const names = new Set<string>();
  const lines = added.flatMap((call): Line[] => {
    const argument = argumentOf(call, context);
    // `--save_model` and `--save-model` are one, and the first default holds.
    if (argument === null || names.has(argument.name)) return [];
    names.add(argument.name);
    return [{ text: argument.text, indent: indent + 1, python: lineOf(context, call) }];
  });
  // `args.distributed = args.world_size > 1`, which no option of the parser has.
  const [, declared = ""] = /^(?:let|const) (\w+) =/.exec(opening) ?? [];
  const set = [...context.text.matchAll(/\b(\w+)\.(\w+) *=(?!=)/g)];
  const isOpen = set.some(([, of, name]) => of === declared && !names.has(name!));
  const first = isOpen ? opening.replace(declared, `${declared}: any`) : opening;
  return [{ text: first, indent, python }, ...lines, { text: "};", indent, python }];
}

function argumentOf(call: Node, context: Context): { name: string; text: string } | null {
  const flags: string[] = [];
  const options = new Map<string, Node>();
  for (const part of parts(call.children.at(-1)!.children.slice(1, -1))) {
    if (part.length === 3 && part[1]!.name === "AssignOp") options.set(part[0]!.text, part[2]!);
    else if (part.length === 1 && part[0]!.name === "String") flags.push(valueOf(part[0]!));
    else mark(context, call, "an argument of a parser is named by a text");
  }
  const option = (name: string): string | undefined => {
    const node = options.get(name);
    return node?.name === "String" ? valueOf(node) : node?.text;
  };
  const action = option("action");
  if (action === "help" || action === "version" || flags.length === 0) return null;
  const flag = flags.find((one) => one.startsWith("--")) ?? flags[0]!;
  const name = option("dest") ?? flag.replace(/^-+/, "").replaceAll("-", "_");
  const given = options.get("default");
  const value =
    given !== undefined
      ? context.expression(given)
      : action === "store_true"
        ? code("false", "boolean")
        : action === "store_false"
          ? code("true", "boolean")
          : code("null as any", "", LEVEL.relation);
  if (given === undefined && (option("required") === "True" || !flag.startsWith("-")))
    mark(context, call, `${name} was asked for on the command line: write its value here`);
  if (given?.name === "String" && !["str", undefined].includes(option("type")))
    mark(context, call, `${option("type")} made something else of the text ${given.text}`);
  context.learned.attributes.set(`${ARGUMENTS_KIND.slice("object ".length)}.${name}`, value.kind);
  const help = option("help")?.replaceAll("%(default)s", value.text).replace(/\s+/g, " ").trim();
  const said = help === undefined || options.get("help")!.name !== "String" ? "" : ` // ${help}`;
  return { name, text: `${keyText(name)}: ${bound(value, LEVEL.arrow)},${said}` };
}
