// Converts try, raise and the names of exceptions.
import { type Line, variableText } from "../code.ts";
import { type Context, lastLine, library, lineOf, mark } from "../context.ts";
import { parameter } from "../source/scope.ts";
import { pathOf } from "../names/members.ts";
import { type Node, operands, visit } from "../source/syntax.ts";

/** Classes of Python's exceptions, and those that say the same here. */
const ERRORS: Readonly<Record<string, string>> = {
  Exception: "Error",
  BaseException: "Error",
  RuntimeError: "Error",
  NotImplementedError: "Error",
  ValueError: "RangeError",
  IndexError: "RangeError",
  KeyError: "RangeError",
  LookupError: "RangeError",
  ZeroDivisionError: "RangeError",
  ArithmeticError: "RangeError",
  OverflowError: "RangeError",
  TypeError: "TypeError",
  AttributeError: "TypeError",
  NameError: "ReferenceError",
  AssertionError: "Error",
  ImportError: "Error",
  ModuleNotFoundError: "Error",
  FileNotFoundError: "Error",
  OSError: "Error",
  IOError: "Error",
  StopIteration: "Error",
  KeyboardInterrupt: "Error",
  MemoryError: "Error",
};

/** Python's classes that others of it extend. */
const ABOVE: Readonly<Record<string, string>> = {
  KeyError: "LookupError",
  IndexError: "LookupError",
  ZeroDivisionError: "ArithmeticError",
  OverflowError: "ArithmeticError",
  NotImplementedError: "RuntimeError",
  ModuleNotFoundError: "ImportError",
  FileNotFoundError: "OSError",
};
const ANY = new Set(["Exception", "BaseException"]);

export function errorClass(node: Node, context: Context): string {
  if (node.name === "VariableName" && Object.hasOwn(ERRORS, node.text)) return ERRORS[node.text]!;
  if (/^torch(\.cuda|\.mps)?\.OutOfMemoryError$/.test(node.text)) return library(context, "OutOfMemoryError");
  return context.expression(node).text;
}

/** `raise ValueError("no") from cause` */
export function raiseText(node: Node, context: Context): string {
  const given = node.children.slice(1);
  if (given.length === 0) return `throw ${context.caught ?? "new Error()"};`;
  const error = given[0]!;
  const cause = given[1]?.name === "from" ? `, { cause: ${context.expression(given[2]!).text} }` : "";
  if (error.name === "CallExpression" && isError(error.children[0]!)) {
    const values = operands(error.children.at(-1)!).map((one) => context.expression(one).text);
    return `throw new ${errorClass(error.children[0]!, context)}(${values.length > 0 ? values.join(", ") : cause === "" ? "" : '""'}${cause});`;
  }
  if (isError(error))
    return `throw new ${errorClass(error, context)}(${error.text === "NotImplementedError" ? '"not implemented"' : ""});`;
  return `throw ${context.expression(error).text};`;
}

export const isError = ({ name, text }: Node): boolean =>
  name === "VariableName" && Object.hasOwn(ERRORS, text);

interface Handler {
  /** Classes that it catches; empty for all. */
  readonly classes: readonly string[];
  readonly types: readonly Node[];
  readonly name: string | null;
  readonly body: Node;
}

/** Handlers that would take errors of other classes of Python too, which the cell raises or has handlers for. */
function unclear(handlers: readonly Handler[], text: string): { node: Node; others: string[] }[] {
  const raised = [...text.matchAll(/\braise +(\w+)/g)].map(([, name]) => name!);
  const handled = handlers.flatMap(({ types }) => types.map((one) => one.text));
  const seen = new Set([...raised, ...handled].filter((name) => Object.hasOwn(ERRORS, name)));
  return handlers.flatMap(({ types }) => {
    const together = new Set(types.map(({ text: name }) => name));
    return types.flatMap((node) => {
      const own = ERRORS[node.text];
      if (own === undefined || ANY.has(node.text)) return [];
      const others = [...seen].filter(
        (name) =>
          !together.has(name) &&
          !ANY.has(name) &&
          ABOVE[name] !== node.text &&
          (ERRORS[name] === own || own === "Error"),
      );
      return others.length > 0 ? [{ node, others }] : [];
    });
  });
}

/** Whether a body calls what the cell may have defined, which may raise any error that the cell raises. */
function callsOwn(body: Node, context: Context): boolean {
  let isFound = false;
  visit(body, ({ name, children }) => {
    const root = /^\w+/.exec(name === "CallExpression" ? children[0]!.text : "")?.[0];
    const path = root === undefined ? null : pathOf(context, root);
    if (name === "CallExpression" && (path === null || path.startsWith("torch"))) isFound = true;
    return !isFound;
  });
  return isFound;
}

export function tryLines(node: Node, context: Context, indent: number): Line[] {
  const { children } = node;
  const body = children[1]!;
  const handlers: Handler[] = [];
  let otherwise: Node | null = null;
  let last: Node | null = null;
  for (let at = 2; at < children.length; at++) {
    const word = children[at]!.name;
    const end = children.findIndex(({ name }, to) => to > at && name === "Body");
    if (word === "except") handlers.push(readHandler(children.slice(at + 1, end), children[end]!, context));
    else if (word === "else") otherwise = children[end]!;
    else if (word === "finally") last = children[end]!;
    at = end;
  }
  const raising = callsOwn(body, context) ? context.text : body.text;
  for (const { node: type, others } of unclear(handlers, raising))
    mark(
      context,
      type,
      `${type.text} is not told apart here from ${others.join(" and ")}: compare the message`,
    );
  const names = handlers.flatMap(({ types }) => types.map(({ text }) => text));
  if (names.some((name) => name === "ZeroDivisionError" || name === "ArithmeticError"))
    mark(context, node, "a division by zero gives Infinity or NaN here, and no error");
  const isRaising = handlers.some(
    ({ types }) =>
      types.length === 0 ||
      types.some(({ text }) => /^(Index|Key|Lookup)Error$|^(Base)?Exception$/.test(text)),
  );
  const outer = context.catches;
  if (isRaising) context.catches = [...outer, "item"];
  const lines: Line[] = [
    { text: "try {", indent, python: lineOf(context, node) },
    ...context.block(body, indent + 1),
  ];
  context.catches = outer;
  if (otherwise !== null && handlers.length > 0 && /\(|\[|\braise\b/.test(otherwise.text))
    mark(context, otherwise, "an error of the else block is caught here too");
  if (otherwise !== null) lines.push(...context.block(otherwise, indent + 1));
  if (handlers.length > 0) lines.push(...catchLines(handlers, context, indent));
  if (last !== null) {
    lines.push(
      { text: "} finally {", indent, python: lineOf(context, last) },
      ...context.block(last, indent + 1),
    );
  }
  return [...lines, { text: "}", indent, python: lastLine(context, node) }];
}

function readHandler(nodes: readonly Node[], body: Node, context: Context): Handler {
  const as = nodes.findIndex(({ name }) => name === "as");
  const type = as === 0 ? undefined : nodes[0];
  const types = type === undefined ? [] : type.name === "TupleExpression" ? operands(type) : [type];
  const classes = [...new Set(types.map((one) => errorClass(one, context)))];
  return {
    classes: classes.includes("Error") ? [] : classes,
    types,
    name: as < 0 ? null : nodes[as + 1]!.text,
    body,
  };
}

function catchLines(handlers: readonly Handler[], context: Context, indent: number): Line[] {
  const name = handlers.find((one) => one.name !== null)?.name ?? "error";
  const written = variableText(name);
  const python = lineOf(context, handlers[0]!.body);
  const outer = { caught: context.caught, scope: context.scope };
  const variables = new Map(outer.scope.variables);
  for (const handler of handlers) if (handler.name !== null) variables.set(handler.name, parameter("error"));
  context.caught = written;
  const inside = (handler: Handler, to: number): Line[] => {
    const alias =
      handler.name !== null && handler.name !== name
        ? [
            {
              text: `const ${variableText(handler.name)} = ${written};`,
              indent: to,
              python: lineOf(context, handler.body),
            },
          ]
        : [];
    return [...alias, ...context.block(handler.body, to)];
  };
  context.scope = { ...outer.scope, variables };
  try {
    const lines: Line[] = [{ text: `} catch (${written}: any) {`, indent, python }];
    const only = handlers.length === 1 ? handlers[0]! : null;
    if (only !== null && only.classes.length === 0) return [...lines, ...inside(only, indent + 1)];
    // What stands below one that takes all is never reached.
    const last = handlers.findIndex(({ classes }) => classes.length === 0);
    const reached = last < 0 ? handlers : handlers.slice(0, last + 1);
    reached.forEach((handler, at) => {
      const test = handler.classes.map((one) => `${written} instanceof ${one}`).join(" || ");
      const opening = at === 0 ? "if" : "} else if";
      const text = test === "" ? (at === 0 ? "{" : "} else {") : `${opening} (${test}) {`;
      lines.push(
        { text, indent: indent + 1, python: lineOf(context, handler.body) },
        ...inside(handler, indent + 2),
      );
    });
    if (reached.at(-1)!.classes.length > 0)
      lines.push({ text: `} else throw ${written};`, indent: indent + 1, python });
    else lines.push({ text: "}", indent: indent + 1, python });
    return lines;
  } finally {
    context.caught = outer.caught;
    context.scope = outer.scope;
  }
}
