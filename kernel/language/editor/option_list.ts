// Lists the options of a call from the types that its signature names: `options?: lab.HistogramOptions` says nothing to a reader, its
// fields with their sentences do. The server is asked for them as for completions of an object of that type.
import { withoutModules } from "../diagnostics.ts";
import { detailsOf, insertedText, type ServerItem } from "./completion.ts";
import type { Hover } from "./hover.ts";

/** A type by its full name, with the types that it is made of. A name that a cell cannot reach has no fields to ask for. */
const OPTION_TYPE = /(?<![\w.])(?:[A-Za-z]\w*\.)*[A-Z]\w*Options\b(?:<([^<>]*)>)?/g;
/** A signature names few; overloads of one function name the same. */
const MAX_TYPES = 4;

/** The names of types of options in a signature: `["optim.AdamOptions"]`. */
export function optionTypes({ text }: Hover): string[] {
  const [code = ""] = text.split("\n\n");
  if (!code.includes("(")) return [];
  const types = [...code.matchAll(OPTION_TYPE)].flatMap(([type, inner = ""]) => [
    ...(inner.match(OPTION_TYPE) ?? []),
    type,
  ]);
  return [...new Set(types)].slice(0, MAX_TYPES);
}

/** A text at whose offset an option of the type may stand. */
export function optionProbe(type: string): { readonly text: string; readonly offset: number } {
  const before = "({ ";
  return { text: `${before} } satisfies ${type});`, offset: before.length };
}

/** The hover, and below it the fields. @param items as the server resolves them, with their documentation */
export function withOptions(hover: Hover, items: readonly ServerItem[]): Hover {
  const lines = new Map<string, string>();
  // An option of two types stands once, with its sentence: the server has none of an option in a `Partial` or a `Pick`.
  for (const item of items) {
    const name = insertedText(item);
    if (!lines.has(name) || (sentenceOf(item) !== "" && !lines.get(name)!.includes(SENTENCE)))
      lines.set(name, lineOf(item));
  }
  if (lines.size === 0) return hover;
  const list = [...lines.values()];
  return {
    markdown: `${hover.markdown}\n\n**Options**\n\n${list.join("\n")}`,
    text: `${hover.text}\n\nOptions:\n${list.map((line) => line.replaceAll("`", "")).join("\n")}`,
  };
}

/** What stands between an option and its sentence. */
const SENTENCE = "`  ";

function lineOf(item: ServerItem): string {
  const { signature } = detailsOf(item);
  const sentence = sentenceOf(item);
  const name = `\`${insertedText(item)}${signature === undefined ? "" : `: ${signature}`}`;
  return `- ${name}${sentence === "" ? "`" : `${SENTENCE}${sentence}`}`;
}

function sentenceOf({ documentation }: ServerItem): string {
  const words = typeof documentation === "string" ? documentation : (documentation?.value ?? "");
  return withoutModules(words)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
}
