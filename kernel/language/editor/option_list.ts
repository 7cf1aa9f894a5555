// Lists the options of a call from the types that its signature names: `options?: lab.HistogramOptions` says nothing to a reader, its
// fields with their sentences do. The server is asked for them as for completions of an object of that type.
import { withoutModules } from "../diagnostics.ts";
import { detailsOf, insertedText, type ServerItem } from "./completion.ts";
import type { Hover } from "./hover.ts";

/** A type by its full name: names that the library does not export have no namespace, and cannot be asked about. */
const OPTION_TYPE = /(?<![\w.])(?:[a-z]\w*\.)+[A-Z]\w*Options\b/g;
/** A signature names few; overloads of one function name the same. */
const MAX_TYPES = 3;

/** The names of types of options in a signature: `["optim.AdamOptions"]`. */
export function optionTypes({ text }: Hover): string[] {
  const [code = ""] = text.split("\n\n");
  return code.includes("(") ? [...new Set(code.match(OPTION_TYPE))].slice(0, MAX_TYPES) : [];
}

/** A text at whose offset an option of the type may stand. */
export function optionProbe(type: string): { readonly text: string; readonly offset: number } {
  const before = "({ ";
  return { text: `${before} } satisfies ${type});`, offset: before.length };
}

/** The hover, and below it the fields. @param items as the server resolves them, with their documentation */
export function withOptions(hover: Hover, items: readonly ServerItem[]): Hover {
  const lines = new Map(items.map((item) => [insertedText(item), lineOf(item)]));
  if (lines.size === 0) return hover;
  const list = [...lines.values()];
  return {
    markdown: `${hover.markdown}\n\n**Options**\n\n${list.join("\n")}`,
    text: `${hover.text}\n\nOptions:\n${list.map((line) => line.replaceAll("`", "")).join("\n")}`,
  };
}

function lineOf(item: ServerItem): string {
  const { signature } = detailsOf(item);
  const { documentation } = item;
  const words = typeof documentation === "string" ? documentation : (documentation?.value ?? "");
  const sentence = withoutModules(words)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
  const name = `\`${insertedText(item)}${signature === undefined ? "" : `: ${signature}`}\``;
  return `- ${name}${sentence === "" ? "" : `  ${sentence}`}`;
}
