// Completes a half-written cell through the TypeScript server, and converts the server's items.
import type { Declared } from "../../cell/analyze.ts";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import { wordBefore } from "../../../lib/typescript/identifiers.ts";
import { withoutModules } from "../diagnostics.ts";
import { withoutAlgebra } from "./signature_text.ts";
import { type CellModule, type Notebook, TYPE_SCOPE_MARK, VALUE_SCOPE_MARK } from "../notebook.ts";
import { type ServerRange, TextLines } from "../server/positions.ts";

export interface Completion {
  readonly text: string;
  /** `method`, `property`, `variable`, ...: `_jupyter_types_experimental`. */
  readonly kind: string;
  readonly signature?: string;
  /**
   * The word that the user types for the item, if the item does not begin with it: `opti` for `import { optim } from
   * "mpslab";`
   */
  readonly name?: string;
}

export interface Completions {
  /** The text between these offsets is what a completion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
  /**
   * Whether a value may stand here, and names in scope are offered. False in `model.`, and where an option's name is
   * expected.
   */
  readonly inScope?: boolean;
}

export interface ServerCompletions {
  readonly items: readonly ServerItem[];
}

export interface ServerItem {
  readonly label: string;
  /** The type of an item that was resolved: `(method) Model.forward(x: number): number`. Other items have none. */
  readonly detail?: string;
  /** The documentation of an item that was resolved. */
  readonly documentation?: { readonly value: string } | string;
  readonly kind?: number;
  readonly sortText?: string;
  readonly insertText?: string;
  readonly textEdit?: {
    readonly newText: string;
    readonly range?: ServerRange;
    readonly insert?: ServerRange;
  };
}

/** The kind of a name that the cell must import first. Front ends show a kind's first word beside the name. */
const FROM_LIBRARY = "mpslab";

const VALUE = "constant";

/**
 * Adds all strings that may stand at a place. The server's completions outside of quotes include only the default one.
 */
export function withStrings(completions: Completions, strings: Completions): Completions {
  const values = strings.items
    .filter(({ kind }) => kind === VALUE)
    .map(({ text }) => ({ text: JSON.stringify(text), kind: VALUE }));
  const named = new Set(values.map(({ text }) => text));
  return { ...completions, items: [...values, ...completions.items.filter(({ text }) => !named.has(text))] };
}

export function offersString({ items }: Completions): boolean {
  return items.some(({ text, kind }) => kind === VALUE && text.startsWith('"'));
}

/** Jupyter's words for the `CompletionItemKind` of the Language Server Protocol, which counts from 1. */
const SERVER_KINDS =
  "text method function constructor field variable class interface module property unit value enum keyword snippet color file reference folder enum constant struct event operator type".split(
    " ",
  );

export function cellCompletions(
  answer: ServerCompletions | null,
  text: string,
  offset: number,
  module: CellModule,
  notebook: Notebook,
): Completions {
  const lines = new TextLines(module.text);
  const items = [...(answer?.items ?? [])].sort(
    (a, b) =>
      compare(a.sortText ?? "", b.sortText ?? "") ||
      compare(a.label.toLowerCase(), b.label.toLowerCase()) ||
      compare(a.label, b.label),
  );
  const word = offset - wordBefore(text, offset).length;
  const startOf = ({ textEdit }: ServerItem): number => {
    const range = textEdit?.range ?? textEdit?.insert;
    return range === undefined ? word : lines.offset(range.start) - module.cellStart;
  };
  // A reply has one range for all items. `[Symbol.iterator]` also replaces the dot, so it cannot be offered beside
  // plain names. In a string, no item replaces just a word.
  const start =
    items.length === 0 || items.some((item) => startOf(item) === word) ? word : startOf(items[0]!);
  const typed = text.slice(start, offset).toLowerCase();
  const found = new Map<string, Completion>();
  const add = (name: string, kind: string): void => {
    if (name.toLowerCase().startsWith(typed) && !name.startsWith(RESERVED_PREFIX))
      found.set(name, { text: name, kind });
  };
  // The module imports only the names that the text mentions. The notebook's other names are in scope too.
  const labels = new Set(items.map(({ label }) => label));
  // Strings that the type of this place allows come first: `{ dtype: "float32"`.
  for (const { label, kind = 1 } of items)
    if (label.startsWith('"') && SERVER_KINDS[kind - 1] === VALUE) add(label, VALUE);
  for (const { declared } of notebook.names()) {
    if (labels.has(isType(declared) ? TYPE_SCOPE_MARK : VALUE_SCOPE_MARK))
      add(declared.name, KIND_NAMES[declared.kind]);
  }
  const unwanted = unwantedMembers(labels);
  for (const item of items) {
    if (startOf(item) !== start) continue;
    const name = insertedText(item);
    if (unwanted.has(name)) continue;
    // These come last, because the cell must import them first.
    if (module.lent.has(name)) continue;
    if (!found.has(name)) add(name, SERVER_KINDS[(item.kind ?? 1) - 1] ?? "text");
  }
  const inScope = items.filter((item) => module.lent.has(insertedText(item)));
  for (const item of inScope) addLent(insertedText(item));
  return { start, end: offset, items: [...found.values()], inScope: labels.has(VALUE_SCOPE_MARK) };

  function addLent(name: string): void {
    if (!name.toLowerCase().startsWith(typed)) return;
    const statement = `import { ${name} } from "mpslab";`;
    found.set(name, { text: name, kind: FROM_LIBRARY, signature: statement });
    // At the beginning of a line, the user may want to write the import itself.
    if (typed !== "" && /(?:^|\n)$/.test(text.slice(0, start)))
      found.set(statement, { text: statement, kind: "import", name });
  }
}

/**
 * Returns the members of functions that are not offered. `arguments` and `caller` throw in strict code, and cells are
 * strict. A model is a function only so that it can be called; of its members, `apply` is the model's own and is
 * offered.
 */
function unwantedMembers(labels: ReadonlySet<string>): ReadonlySet<string> {
  const isFunction = ["apply", "arguments", "bind", "call", "caller"].every((name) => labels.has(name));
  if (!isFunction) return new Set();
  const isModel = labels.has("forward") && labels.has("parameters");
  return new Set(["arguments", "caller", ...(isModel ? ["bind", "call", "prototype"] : [])]);
}

/** Returns the text that is inserted when the user accepts the item. */
export function insertedText(item: ServerItem): string {
  return item.textEdit?.newText ?? item.insertText ?? item.label;
}

/** Returns the details of a resolved item, beside its name. */
export function detailsOf({ detail = "", label }: ServerItem): {
  readonly kind?: string;
  readonly signature?: string;
} {
  const text = inOneLine(withoutModules(detail).replace(/^\(alias\) /, ""));
  const keyword = /^(class|interface|enum|namespace|module|function|type)\b/.exec(text)?.[1];
  // The server lists an imported class as a variable until the item is resolved.
  const kind = keyword === undefined ? {} : { kind: keyword === "namespace" ? "module" : keyword };
  const declaration = (text.split(" import ")[0] ?? "").replace(/^\([\w ]+\) /, "");
  const at = declaration.search(/[(<:]/);
  if (at < 0 || !declaration.slice(0, at).endsWith(label)) return kind;
  const signature = declaration.slice(at).replace(/^: /, "");
  // An option that may be missing shows its type: `boolean | undefined`  ->  `boolean`.
  return { ...kind, signature: signature.replace(/(?<=^[^()]*) \| undefined$/, "") };
}

/** `options?: {\n    dtype?: DType;\n}`  ->  `options?: { dtype?: DType }`; of several overloads the first. */
function inOneLine(detail: string): string {
  const [first = ""] = detail.split(/\n(?=\(|function |const )/);
  return withoutAlgebra(first.replace(/\s*\n\s*/g, " ").replace(/; \}/g, " }"));
}

const isType = ({ kind, typeOnly }: Declared): boolean => typeOnly || kind === "type" || kind === "interface";

const KIND_NAMES = {
  const: "variable",
  let: "variable",
  var: "variable",
  using: "variable",
  function: "function",
  class: "class",
  enum: "enum",
  namespace: "module",
  import: "variable",
  type: "type",
  interface: "interface",
} as const;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
