// Reads the TypeScript cells of a guide in Markdown, with the output that the guide prints below each.
import { stripVTControlCharacters } from "node:util";
import type { Execution } from "./kernel_client.ts";

export interface GuideCell {
  readonly code: string;
  /** The text block right below the code; undefined if the guide prints none. */
  readonly output: string | undefined;
  /** `measured`: numbers, and the units and spaces beside them, differ from run to run. */
  readonly measured: boolean;
  /** 1-based line of the code's first line. */
  readonly line: number;
}

const CELL = /^```ts\n([^]*?)^```$(?:\n+^```text( measured)?\n([^]*?)^```$)?/gm;

/** The blocks marked `ts`, in order. Blocks marked `typescript` are parts of programs and are not read. */
export function cellsOf(markdown: string): GuideCell[] {
  return [...markdown.matchAll(CELL)].map((match) => ({
    code: match[1]!.trimEnd(),
    output: match[3]?.trimEnd(),
    measured: match[2] !== undefined,
    line: markdown.slice(0, match.index).split("\n").length + 1,
  }));
}

/** Returns the text that a reader sees below the cell. A display shows its text alternative, after its last update. */
export function shownBy({ messages, reply }: Execution): string {
  const parts: { text: string; displayId: string | undefined }[] = [];
  for (const { header, content } of messages) {
    const displayId = (content["transient"] as { display_id?: string } | undefined)?.display_id;
    const bundle = content["data"] as Record<string, unknown> | undefined;
    const shown = `${String(bundle?.["text/plain"])}\n`;
    if (header.msg_type === "stream") parts.push({ text: String(content["text"]), displayId: undefined });
    if (header.msg_type === "error")
      parts.push({ text: (content["traceback"] as string[]).join("\n"), displayId: undefined });
    if (header.msg_type === "execute_result" || header.msg_type === "display_data")
      parts.push({ text: shown, displayId });
    if (header.msg_type === "update_display_data")
      for (const part of parts) if (part.displayId === displayId) part.text = shown;
  }
  // Help on a name opens in the reader's pager.
  const pages = (reply["payload"] ?? []) as readonly { data?: Record<string, unknown> }[];
  const paged = pages.map(({ data }) => String(data?.["text/plain"] ?? ""));
  const text = parts.map((part) => part.text).join("") + paged.join("");
  return stripVTControlCharacters(text)
    .replaceAll(/[ \t]+$/gm, "")
    .replace(/^\n+/, "")
    .trimEnd();
}

/**
 * Replaces every number with its unit by one sign, and joins spaces and rules of tables. Of a memory chart's summary it
 * keeps what was measured and drops the verdict after it: what the process grows by, and whether the search for a holder
 * ends in its time, differ from machine to machine. The verdicts have tests of their own. Rows of a table that are sorted by
 * what was measured come in the order of their names.
 */
export const withoutNumbers = (text: string): string =>
  text
    .replaceAll(/^(Memory of .*; recommended limit [^;]*);.*$/gm, "$1")
    .replaceAll(/-?\d[\d,.]*(?:e[+-]?\d+)?(?: ?(?:µs|ms|s|min|B|KiB|MiB|GiB|%))?(?![\w])/g, "#")
    .replaceAll(/[─-]{2,}/g, "--")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/(?:^ \S[^\n]*#\n)+/gm, (rows) => `${rows.slice(0, -1).split("\n").toSorted().join("\n")}\n`);
