// Keeps the outputs of the latest cells, for `%outputs`. A page that is closed or loaded again misses what the kernel
// publishes meanwhile: jupyter_server buffers messages only for a connection with the same session id, and a page that
// is loaded again has a new one.
//
// What is kept is what a notebook would hold: streams joined, displays as last updated, cleared outputs gone.
import { deserialize, serialize } from "node:v8";
import type { Json } from "../protocol/messages.ts";

/** How many cells' outputs are kept. Those of an older cell are dropped as a whole. */
const MAX_CELLS = 50;
const MAX_BYTES = 32 << 20;
/** The limits of one cell. jupyter_server drops text above 3 MB and 3,000 messages in three seconds. */
const MAX_CELL_BYTES = 16 << 20;
const MAX_CELL_TEXT = 2 << 20;
const MAX_CELL_OUTPUTS = 1000;
/** A longer text continues in another output, so that the oldest text can be dropped without copying. */
const PORTION_LENGTH = 1 << 17;
/** The size that is counted for each output besides its data. */
const OUTPUT_BYTES = 200;

type OutputType = "stream" | "display_data" | "error";

/** A message's type and content. */
export interface KeptOutput {
  readonly type: OutputType;
  readonly content: Json;
}

export interface KeptCell {
  /** The `msg_id` of its request. */
  readonly cell: string;
  readonly count: number;
  readonly startedMs: number;
  /** Null while the cell runs. */
  readonly endedMs: number | null;
  readonly outputs: readonly KeptOutput[];
  /** The bytes of older outputs that were dropped. */
  readonly droppedBytes: number;
}

interface Output {
  readonly type: OutputType;
  content: Json;
  bytes: number;
}

interface Cell extends KeptCell {
  endedMs: number | null;
  outputs: Output[];
  bytes: number;
  textLength: number;
  droppedBytes: number;
  /** `clear_output(wait)`: the outputs are removed when the next one comes. */
  clearsWithNext: boolean;
}

export class KeptOutputs {
  /** By the `msg_id` of the cell's request, oldest first. */
  readonly #cells = new Map<string, Cell>();
  #bytes = 0;

  begin(cell: string, count: number): void {
    const counters = { bytes: 0, textLength: 0, droppedBytes: 0, clearsWithNext: false };
    this.#cells.set(cell, { cell, count, startedMs: Date.now(), endedMs: null, outputs: [], ...counters });
    this.#dropOldCells(cell);
  }

  end(cell: string): void {
    const kept = this.#cells.get(cell);
    if (kept !== undefined) kept.endedMs = Date.now();
  }

  /**
   * Records one published message. Messages of cells that are not kept, and messages that are no outputs, are ignored.
   */
  take(cell: string, type: string, content: Json): void {
    if (type === "update_display_data") return this.#update(content);
    const kept = this.#cells.get(cell);
    if (kept === undefined) return;
    if (type === "clear_output") {
      if (content["wait"] === true) kept.clearsWithNext = true;
      else this.#clear(kept);
      return;
    }
    const output = keptForm(type, content);
    if (output === null) return;
    if (kept.clearsWithNext) this.#clear(kept);
    this.#append(kept, output);
    this.#dropOldOutputs(kept);
    this.#dropOldCells(cell);
  }

  /** The numbers of the kept cells, oldest first. */
  numbers(): number[] {
    return [...this.#cells.values()].map(({ count }) => count);
  }

  /**
   * @param count null for the cell that runs, or else the latest
   * @param except the cell that asks
   */
  find(count: number | null, except: string): KeptCell | null {
    const others = [...this.#cells.values()].filter(({ cell }) => cell !== except);
    if (count !== null) return others.findLast((kept) => kept.count === count) ?? null;
    return others.findLast(({ endedMs }) => endedMs === null) ?? others.at(-1) ?? null;
  }

  #append(kept: Cell, output: KeptOutput): void {
    const { type } = output;
    let { content } = output;
    const last = kept.outputs.at(-1);
    if (type === "stream") {
      const text = copyOf(content["text"] as string);
      content = { ...content, text };
      kept.textLength += text.length;
      const joins = last?.type === "stream" && last.content["name"] === content["name"];
      if (joins && (last.content["text"] as string).length < PORTION_LENGTH) {
        last.content = { ...last.content, text: (last.content["text"] as string) + text };
        this.#resize(kept, last, last.bytes + text.length);
        return;
      }
    }
    const added = { type, content, bytes: 0 };
    kept.outputs.push(added);
    this.#resize(kept, added, OUTPUT_BYTES + sizeOf(content));
  }

  /** An update concerns each display of that id, whichever cell showed it. */
  #update({ data, metadata, transient }: Json): void {
    const id = displayIdOf(transient);
    for (const kept of this.#cells.values()) {
      for (const output of kept.outputs) {
        if (output.type !== "display_data" || displayIdOf(output.content["transient"]) !== id) continue;
        output.content = { ...output.content, data, metadata };
        this.#resize(kept, output, OUTPUT_BYTES + sizeOf(output.content));
      }
    }
  }

  #clear(kept: Cell): void {
    this.#bytes -= kept.bytes;
    Object.assign(kept, { outputs: [], bytes: 0, textLength: 0, droppedBytes: 0, clearsWithNext: false });
  }

  #dropOldOutputs(kept: Cell): void {
    while (
      kept.outputs.length > 1 &&
      (kept.bytes > MAX_CELL_BYTES ||
        kept.textLength > MAX_CELL_TEXT ||
        kept.outputs.length > MAX_CELL_OUTPUTS)
    ) {
      const oldest = kept.outputs.shift() as Output;
      if (oldest.type === "stream") kept.textLength -= (oldest.content["text"] as string).length;
      kept.droppedBytes += oldest.bytes;
      this.#resize(kept, oldest, 0);
    }
  }

  /** @param except the cell that is written to now */
  #dropOldCells(except: string): void {
    for (const [cell, kept] of this.#cells) {
      if (this.#cells.size <= MAX_CELLS && this.#bytes <= MAX_BYTES) return;
      if (cell === except || kept.endedMs === null) continue;
      this.#clear(kept);
      this.#cells.delete(cell);
    }
  }

  #resize(kept: Cell, output: Output, bytes: number): void {
    kept.bytes += bytes - output.bytes;
    this.#bytes += bytes - output.bytes;
    output.bytes = bytes;
  }
}

/**
 * The message under which another cell shows an output. A result becomes a display: it would give its own number to the
 * cell that shows it. Null for a message that is no output.
 */
export function keptForm(type: string, content: Json): KeptOutput | null {
  switch (type) {
    case "stream":
    case "display_data":
    case "error":
      return { type, content };
    case "execute_result": {
      const { data, metadata } = content;
      return { type: "display_data", content: { data, metadata, transient: {} } };
    }
    default:
      return null;
  }
}

/** The first line of `%outputs`: which cell's outputs follow, and what is missing from them. */
export function keptCellHeading({ count, startedMs, endedMs, outputs, droppedBytes }: KeptCell): string {
  const dropped =
    droppedBytes === 0 ? "" : ` The first ${(droppedBytes / 2 ** 20).toFixed(1)} MiB are no longer kept.`;
  if (endedMs === null) {
    return `Cell [${count}] runs since ${timeOf(startedMs)}. Its outputs so far, and those that follow:${dropped}\n`;
  }
  const what = outputs.length === 0 ? "It had no outputs." : "Its outputs:";
  return `Cell [${count}] ended at ${timeOf(endedMs)}. ${what}${dropped}\n`;
}

/** Copies a part of a printed text. V8 makes it a slice, which keeps the whole text alive: 50 MB for its last line. */
function copyOf(text: string): string {
  return deserialize(serialize(text)) as string;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toTimeString().slice(0, 8);
}

function displayIdOf(transient: unknown): string | undefined {
  return (transient as { readonly display_id?: string } | undefined)?.display_id;
}

/** The length of text and of JSON, which is close enough to their size in bytes. */
function sizeOf({ data, ...others }: Json): number {
  let length = 0;
  for (const value of [...Object.values(others), ...Object.values((data ?? {}) as Json)]) {
    length += typeof value === "string" ? value.length : JSON.stringify(value ?? null).length;
  }
  return length;
}
