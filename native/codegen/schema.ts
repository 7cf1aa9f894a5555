// Parses ATen's operator declarations: a line of `native_functions.yaml` in, plain data out. For example
// `sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`.

export interface Argument {
  readonly name: string;
  /** The type without its alias annotation: `Tensor?` for `Tensor(a!)?`. */
  readonly type: string;
  /** The default as the schema writes it, `False` or `[]`. Undefined if the argument is required. */
  readonly default: string | undefined;
  readonly keywordOnly: boolean;
  /** The operator writes into it. */
  readonly written: boolean;
}

export interface Result {
  readonly name: string;
  readonly type: string;
}

export interface Operator {
  readonly name: string;
  /** `""` for the unnamed one. */
  readonly overload: string;
  readonly arguments: readonly Argument[];
  readonly results: readonly Result[];
  readonly isMethod: boolean;
  readonly isFunction: boolean;
  /** The module under `torch` that has it (`nn`, `linalg`, ...); "" for `torch` itself. */
  readonly module: string;
}

/** The part of an entry of `native_functions.yaml` that this reader uses. */
export interface Entry {
  readonly func: string;
  readonly variants?: string;
  readonly python_module?: string;
  /** Overloads that torchgen derives from this one: `add.out, add_.Tensor`. */
  readonly autogen?: string;
}

export function readOperator(entry: Entry): Operator {
  const match = /^(\w+)(?:\.(\w+))?\((.*)\) -> (.+)$/.exec(entry.func);
  if (match === null) throw new SyntaxError(`This is not an operator's schema: ${entry.func}`);
  const [, name = "", overload = "", parameters = "", results = ""] = match;
  const variants = new Set((entry.variants ?? "function").split(/, */));
  return {
    name,
    overload,
    arguments: readArguments(parameters),
    results: readResults(results),
    isMethod: variants.has("method"),
    isFunction: variants.has("function"),
    module: entry.python_module ?? "",
  };
}

function readArguments(text: string): Argument[] {
  let keywordOnly = false;
  const read: Argument[] = [];
  for (const part of splitAtCommas(text)) {
    if (part === "*") {
      keywordOnly = true;
      continue;
    }
    const match = /^(.+?) (\w+)(?:=(.*))?$/.exec(part);
    if (match === null) throw new SyntaxError(`This is not an argument: ${part}`);
    const [, type = "", name = ""] = match;
    read.push({
      name,
      type: withoutAlias(type),
      default: match[3],
      keywordOnly,
      written: type.includes("!"),
    });
  }
  return read;
}

function readResults(text: string): Result[] {
  const inner = /^\((.*)\)$/.exec(text)?.[1] ?? text;
  return splitAtCommas(inner).map((part) => {
    const [type = "", name = ""] = withoutAlias(part).split(" ");
    return { type, name };
  });
}

/** `Tensor(a -> *)[]` -> `Tensor[]` */
function withoutAlias(type: string): string {
  return type.replace(/\([a-z!]+( -> \*)?\)/, "");
}

/** Splits at commas that are not inside brackets or quotes. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "[" || character === "(") depth++;
    else if (character === "]" || character === ")") depth--;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}
