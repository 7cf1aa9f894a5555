// Finds the kernels of a Metal source, and what each parameter is: a buffer, or one of the numbers that Metal gives
// every thread. Refuses what simulated Metal cannot do.
import { closing, closingAngle, join, neighbour, type Token } from "./tokens.ts";

/** A source that cannot be compiled: `line` is the user's, from 1. */
export class ShaderError extends SyntaxError {
  override readonly name = "ShaderError";
  declare readonly line: number;

  constructor(call: string, source: string, line: number, reason: string) {
    const shown = source.split("\n")[line - 1]?.trimEnd() ?? "";
    super(`${call}: line ${line}: ${reason}${shown ? `\n  ${line} | ${shown}` : ""}`);
    // Not enumerable: the message says it already, and a printed error shows its enumerable properties.
    Object.defineProperty(this, "line", { value: line });
  }
}

/** Thrown while the source is read; `compile.ts` adds the line's text. */
export class Refused extends Error {
  readonly line: number;
  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

export interface Parameter {
  readonly name: string;
  /** The type as the source writes it, without address space and attributes: `const float*`. */
  readonly type: string;
  /** `buffer`, or one of Metal's attributes, as `thread_position_in_grid`. */
  readonly stands: string;
  /** The index of a buffer. */
  readonly index: number;
}

export interface Kernel {
  /** The name under which it is called: its `host_name`, or its own. */
  readonly name: string;
  /** The kernel's name in the source: `full`, or `full<float>` for an instance of a template. */
  readonly symbol: string;
  readonly parameters: readonly Parameter[];
  readonly maxThreads: number;
  /** The kernel's position among the definitions. */
  readonly definition: string;
}

/** Metal's attributes of a parameter that simulated Metal gives. `threads.h` has the same names. */
const GIVEN: ReadonlySet<string> = new Set([
  "thread_position_in_grid",
  "thread_position_in_threadgroup",
  "thread_index_in_threadgroup",
  "threadgroup_position_in_grid",
  "threadgroups_per_grid",
  "threads_per_grid",
  "threads_per_threadgroup",
  "dispatch_threads_per_threadgroup",
  "thread_index_in_simdgroup",
  "simdgroup_index_in_threadgroup",
  "threads_per_simdgroup",
  "thread_execution_width",
  "simdgroups_per_threadgroup",
]);

const MAX_THREADS = 1024;
const SPACES = new Set(["device", "constant", "threadgroup", "thread"]);

interface Attribute {
  readonly name: string;
  readonly argument: string;
}

/** `[[buffer(1)]]`, `[[host_name("a" "b")]]` -> name and argument. */
function attributesIn(tokens: readonly Token[]): Attribute[] {
  const attributes: Attribute[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.text !== "[[") continue;
    const end = closing(tokens, i);
    const inside = join(tokens.slice(i + 1, end));
    for (const [, name, argument] of inside.matchAll(/(\w+)\s*(?:\(([^)]*)\))?/g))
      attributes.push({ name: name!, argument: argument ?? "" });
    i = end;
  }
  return attributes;
}

function withoutAttributes(tokens: readonly Token[]): Token[] {
  const left: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.text === "[[") i = closing(tokens, i);
    else left.push(tokens[i]!);
  }
  return left;
}

/** Splits parameters at commas; commas within template arguments do not count. */
function listOf(tokens: readonly Token[]): Token[][] {
  const list: Token[][] = [[]];
  for (let i = 0; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    const end =
      text === "(" || text === "[" || text === "[["
        ? closing(tokens, i)
        : text === "<"
          ? closingAngle(tokens, i)
          : i;
    if (text === ",") list.push([]);
    else list.at(-1)!.push(...tokens.slice(i, end + 1));
    i = end;
  }
  return list.filter((one) => one.some(({ kind }) => kind !== "space"));
}

/**
 * @param instance whether it is a template's instance, which need not repeat attributes
 */
function readParameter(tokens: readonly Token[], next: number, instance: boolean): Parameter {
  const attributes = attributesIn(tokens);
  const plain = withoutAttributes(tokens).filter(({ kind }) => kind !== "space");
  const line = plain[0]?.line ?? 0;
  const words = plain.filter(({ kind }) => kind === "word");
  const text = (list: readonly Token[]) =>
    list
      .map((one) => one.text)
      .join(" ")
      .replace(/ ([*&<>:,])/g, "$1");
  // The name is the last word, unless that belongs to the type, as in the instance `device float*`.
  const last = plain.at(-1);
  const named =
    last?.kind === "word" &&
    words.filter(({ text: word }) => !SPACES.has(word) && word !== "const").length > 1;
  const name = named ? last.text : "";
  const type = text((named ? plain.slice(0, -1) : plain).filter(({ text: word }) => !SPACES.has(word)));
  const given = attributes.find((attribute) => GIVEN.has(attribute.name));
  if (given) return { name, type, stands: given.name, index: 0 };
  if (instance) return { name, type, stands: "buffer", index: next };
  const buffer = attributes.find((attribute) => attribute.name === "buffer");
  const other = attributes.find((attribute) => attribute.name !== "buffer");
  if (other?.name === "threadgroup" || words.some(({ text: word }) => word === "threadgroup")) {
    throw new Refused(
      line,
      `the size of the threadgroup memory "${name}" cannot be given with a call: declare it inside the kernel, as threadgroup float ${name || "tile"}[256];`,
    );
  }
  if (other) throw new Refused(line, `[[${other.name}]] is not part of what simulated Metal takes`);
  if (!words.some(({ text: word }) => word === "device" || word === "constant")) {
    throw new Refused(
      line,
      `the parameter "${name}" must be in device or constant memory, or have an attribute such as [[thread_position_in_grid]]`,
    );
  }
  return { name, type, stands: "buffer", index: buffer ? Number(buffer.argument) : next };
}

function readParameters(tokens: readonly Token[], instance = false): Parameter[] {
  const parameters: Parameter[] = [];
  let next = 0;
  for (const one of listOf(tokens)) {
    const parameter = readParameter(one, next, instance);
    if (parameter.stands === "buffer") next = parameter.index + 1;
    parameters.push(parameter);
  }
  return parameters;
}

/** Returns where the statement that holds `at` begins: the token after the last `;`, `{` or `}`. */
function statementStart(tokens: readonly Token[], at: number): number {
  for (let i = at - 1; i >= 0; i--) if (/^[;{}]$/.test(tokens[i]!.text)) return i + 1;
  return 0;
}

/** Reads the declaration that the tokens from `kernel` on make. Returns null for a forward declaration. */
function readKernel(tokens: readonly Token[], at: number): Kernel | "template" | null {
  const start = statementStart(tokens, at);
  const before = tokens.slice(start, at);
  const words = before.filter(({ kind }) => kind !== "space");
  const template = words.findIndex(({ text }) => text === "template");
  const isTemplate = template >= 0 && words[template + 1]?.text === "<";
  let name = neighbour(tokens, at, 1)!;
  while (tokens[name]?.text === "[[") name = neighbour(tokens, closing(tokens, name), 1)!;
  const returns = tokens[name];
  let types: Token[] | null = null;
  if (returns?.text === "decltype")
    name = neighbour(tokens, closing(tokens, neighbour(tokens, name, 1)!), 1)!;
  else if (returns?.text === "void") name = neighbour(tokens, name, 1)!;
  else throw new Refused(tokens[at]!.line, "a kernel returns void");
  let symbolEnd = name;
  const behind = neighbour(tokens, name, 1)!;
  if (tokens[behind]?.text === "<") symbolEnd = closingAngle(tokens, behind);
  const open = neighbour(tokens, symbolEnd, 1)!;
  let end = open;
  if (tokens[open]?.text === "(") {
    end = closing(tokens, open);
    types = tokens.slice(open + 1, end);
    end = neighbour(tokens, end, 1)!;
    while (tokens[end]?.text === "[[") end = neighbour(tokens, closing(tokens, end), 1)!;
  }
  const definition = tokens[name]!.text;
  if (isTemplate) return "template";
  if (tokens[end]?.text !== "{" && template < 0) return null;
  const attributes = attributesIn(tokens.slice(start, end));
  const hostName = attributes.find((attribute) => attribute.name === "host_name")?.argument;
  const symbol = join(tokens.slice(name, symbolEnd + 1).filter(({ kind }) => kind !== "space"));
  const limit = attributes.find((attribute) => attribute.name === "max_total_threads_per_threadgroup");
  return {
    name:
      hostName === undefined ? symbol : [...hostName.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join(""),
    symbol,
    definition,
    parameters: types === null ? [] : readParameters(types, template >= 0),
    maxThreads: Math.min(Number(limit?.argument) || MAX_THREADS, MAX_THREADS),
  };
}

/**
 * The kernels in the order of the source. An instance of a template gets the attributes of the template's parameters.
 */
export function readKernels(tokens: readonly Token[]): Kernel[] {
  const kernels: Kernel[] = [];
  const templates = new Map<string, readonly Parameter[]>();
  for (let i = 0; i < tokens.length; i++) {
    const { text, kind, line } = tokens[i]!;
    if (kind !== "word") continue;
    if (text === "vertex" || text === "fragment") {
      const next = neighbour(tokens, i, 1);
      if (next !== undefined && tokens[next]!.kind === "word")
        throw new Refused(line, `${text} functions draw; simulated Metal runs kernels alone`);
    }
    if (text !== "kernel") continue;
    const inAttribute = tokens[neighbour(tokens, i, -1) ?? i]?.text === "[[";
    const at = inAttribute ? closing(tokens, neighbour(tokens, i, -1)!) : i;
    const kernel = readKernel(tokens, at);
    if (kernel === "template") readTemplate(tokens, at, templates);
    else if (kernel !== null) kernels.push(withTemplate(kernel, templates));
  }
  return kernels;
}

/** Reads a template's parameters, because attributes are given there and need not be repeated by instances. */
function readTemplate(
  tokens: readonly Token[],
  at: number,
  templates: Map<string, readonly Parameter[]>,
): void {
  const open = tokens.findIndex((token, i) => i > at && token.text === "(");
  const name = tokens[neighbour(tokens, open, -1)!]!.text;
  templates.set(name, readParameters(tokens.slice(open + 1, closing(tokens, open))));
}

function withTemplate(kernel: Kernel, templates: ReadonlyMap<string, readonly Parameter[]>): Kernel {
  const template = templates.get(kernel.definition);
  if (template === undefined || !kernel.symbol.includes("<")) return kernel;
  // The types of the instance decide what is bound. If it does not give them, they are unknown: those of the template
  // are only placeholders.
  const parameters = template.map((parameter, i) => ({
    ...parameter,
    type: kernel.parameters[i]?.type ?? "",
  }));
  return { ...kernel, parameters };
}
