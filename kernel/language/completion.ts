// Completion and documentation at a place in a cell that is being written. Knows the protocol's shapes and the draft's
// module; asks the server through what it is given.
import type { Declared } from "../cell/analyze.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { wordBefore } from "./cell_text.ts";
import { withoutModules } from "./diagnostics.ts";
import {
  CELL_MODULE,
  type CellModule,
  NAMES_MODULE,
  type Notebook,
  TYPE_SCOPE_MARK,
  VALUE_SCOPE_MARK,
} from "./notebook.ts";
import { type ServerRange, TextLines } from "./positions.ts";

export interface Completion {
  readonly text: string;
  /** `method`, `property`, `variable`, ...: `_jupyter_types_experimental`. */
  readonly kind: string;
  readonly signature?: string;
}

export interface Completions {
  /** The text between these offsets is what a completion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
}

export interface Hover {
  /** Markdown: the type in a fenced block, then the documentation. */
  readonly markdown: string;
  readonly text: string;
}

export interface ServerCompletions {
  readonly items: readonly ServerItem[];
}

export interface ServerItem {
  readonly label: string;
  /** Only of an item that was resolved: `(method) Model.forward(x: number): number`. */
  readonly detail?: string;
  readonly kind?: number;
  readonly sortText?: string;
  readonly insertText?: string;
  readonly textEdit?: {
    readonly newText: string;
    readonly range?: ServerRange;
    readonly insert?: ServerRange;
  };
}

/** `CompletionItemKind` of the Language Server Protocol, from 1, in Jupyter's words. */
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
    (a, b) => compare(a.sortText ?? "", b.sortText ?? "") || compare(a.label, b.label),
  );
  const word = offset - wordBefore(text, offset).length;
  const startOf = ({ textEdit }: ServerItem): number => {
    const range = textEdit?.range ?? textEdit?.insert;
    return range === undefined ? word : lines.offset(range.start) - module.cellStart;
  };
  // One range serves all: `[Symbol.iterator]`, which replaces the dot too, cannot be offered beside plain names. In a
  // string none replaces just a word.
  const start =
    items.length === 0 || items.some((item) => startOf(item) === word) ? word : startOf(items[0]!);
  const typed = text.slice(start, offset).toLowerCase();
  const found = new Map<string, Completion>();
  const add = (name: string, kind: string): void => {
    if (name.toLowerCase().startsWith(typed) && !name.startsWith(RESERVED_PREFIX))
      found.set(name, { text: name, kind });
  };
  // Only the names that the text mentions are imported above it: the others are in scope all the same.
  const labels = new Set(items.map(({ label }) => label));
  for (const { declared } of notebook.names()) {
    if (labels.has(isType(declared) ? TYPE_SCOPE_MARK : VALUE_SCOPE_MARK))
      add(declared.name, KIND_NAMES[declared.kind]);
  }
  for (const item of items) {
    if (startOf(item) !== start) continue;
    const name = insertedText(item);
    // An imported class is a mere variable to the server.
    if (!found.has(name)) add(name, SERVER_KINDS[(item.kind ?? 1) - 1] ?? "text");
  }
  return { start, end: offset, items: [...found.values()] };
}

/** What accepting the item writes. */
export function insertedText(item: ServerItem): string {
  return item.textEdit?.newText ?? item.insertText ?? item.label;
}

/** `(method) Model.forward(x: number): number`  ->  `(x: number): number`; `const losses: number[]`  ->  `number[]` */
export function signatureOf({ detail = "", label }: ServerItem): string | undefined {
  const [first = ""] = withoutModules(detail)
    .replace(/^\([\w ]+\) /, "")
    .split("\n");
  const at = first.search(/[(<:]/);
  if (at < 0 || !first.slice(0, at).endsWith(label)) return undefined;
  return first.slice(at).replace(/^: /, "");
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

export interface ServerHover {
  readonly contents: { readonly value: string } | string;
}

export interface ServerSignatures {
  readonly signatures: readonly {
    readonly label: string;
    readonly documentation?: { readonly value: string } | string;
  }[];
  readonly activeSignature?: number | null;
}

export function hoverOf(answer: ServerHover | null): Hover | null {
  if (answer === null) return null;
  const value = typeof answer.contents === "string" ? answer.contents : answer.contents.value;
  // The names of other cells are imports to the checker and variables to the user.
  const markdown = withoutModules(value)
    .replace(/^(```\w*\n)\(alias\) /, "$1")
    .replace(OWN_IMPORT, "")
    .trim();
  return markdown === "" ? null : { markdown, text: plain(markdown) };
}

const OWN_IMPORT = new RegExp(String.raw`\nimport [^\n]*(?:${NAMES_MODULE}|${CELL_MODULE})[^\n]*`, "g");

/** The signature whose arguments the cursor stands in, the active one first. */
export function hoverOfSignatures(answer: ServerSignatures | null): Hover | null {
  if (answer === null || answer.signatures.length === 0) return null;
  const active = answer.signatures[answer.activeSignature ?? 0] ?? answer.signatures[0];
  const others = answer.signatures.filter((signature) => signature !== active);
  const labels = [active, ...others].map((signature) => signature?.label ?? "").join("\n");
  const documentation = active?.documentation;
  const words = typeof documentation === "string" ? documentation : (documentation?.value ?? "");
  const markdown = withoutModules(`\`\`\`typescript\n${labels}\n\`\`\`\n${words}`).trim();
  return { markdown, text: plain(markdown) };
}

function plain(markdown: string): string {
  return markdown.replace(/^```\w*\n?/gm, "").trim();
}
