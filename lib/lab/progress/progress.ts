// `lab.progress(...)`: passes on the items of anything that can be iterated, and shows how far the loop is.
import { CUT_EPOCH } from "../../contract.ts";
import { outputSink } from "../../display.ts";
import { installedSession, observeCells } from "../../session.ts";
import { checkInteger, describe } from "../../torch/vocabulary/arguments.ts";
import { optional, readOptions, type OpenRules } from "../../torch/vocabulary/options.ts";
import { ProgressBoard } from "./progress_board.ts";
import { ProgressLine } from "./progress_line.ts";

export interface ProgressOptions {
  /** Stands before the line: `train: 37 of 100`. Default: none. */
  readonly description?: string;
  /** What the items are: `37 of 100 batches`. Default: none. */
  readonly unit?: string;
  /** How many items will come, if the source does not tell. Default: its `length` or `size`. */
  readonly total?: number;
}

const CALL = "lab.progress";

const text = (call: string, name: string, value: unknown): string => {
  if (typeof value === "string") return value;
  throw new TypeError(`${call}: ${name} must be a string, got ${describe(value)}.`);
};

const RULES = {
  description: optional(text),
  unit: optional(text),
  total: optional((call, name, value) => checkInteger(call, name, value, 0)),
} satisfies OpenRules<ProgressOptions>;

/** The items are passed on unchanged. A source that can be iterated in both ways still can. */
export type WithProgress<Source> = (Source extends Iterable<infer Item> ? Iterable<Item> : unknown) &
  (Source extends AsyncIterable<infer Item> ? AsyncIterable<Item> : unknown);

/** Loops of a cell that run within each other share a board; it is dropped when the outermost one has ended. */
let board: ProgressBoard | null = null;

/** Lines of loops that have begun but not ended. */
const open = new Set<Pass>();

// Needed because a loop that was stopped inside a package runs no `finally`.
observeCells({
  cellEnded() {
    if (installedSession()?.cellSignal()?.aborted !== true) return;
    for (const pass of [...open].toReversed()) pass.stop();
  },
});

/**
 * Shows how far a loop is: count, rate and time left, in one line that is replaced in place.
 *
 *     for (const [x, y] of lab.progress(loader, { description: "train", unit: "batches" })) step(x, y);
 *     for await (const line of lab.progress(lines)) parse(line);
 *     for (const i of lab.progress(100)) simulate(i);
 *
 * A loop of under half a second shows nothing. If a break, a throw or Stop leaves the loop, the line says
 * `stopped at 37 of 100`; the item at which the loop was left is not counted. A loop inside another one stands below
 * it. In a terminal the line goes to stderr.
 *
 * @throws TypeError, RangeError for a value that is neither iterable nor a whole number of 0 or more
 */
export function progress(count: number, options?: ProgressOptions): Iterable<number>;
export function progress<Source extends Iterable<unknown> | AsyncIterable<unknown>>(
  source: Source,
  options?: ProgressOptions,
): WithProgress<Source>;
export function progress(
  source: number | Iterable<unknown> | AsyncIterable<unknown>,
  options: ProgressOptions = {},
): unknown {
  const { description = "", unit = "", total } = readOptions(CALL, options, RULES);
  const items = typeof source === "number" ? counted(source) : source;
  // A string here is a description in the wrong position.
  const synchronous = typeof items !== "string" && has(items, Symbol.iterator);
  const asynchronous = has(items, Symbol.asyncIterator);
  if (!synchronous && !asynchronous)
    throw new TypeError(
      `${CALL} takes a number, an array, a loader or another iterable, sync or async, not ${describe(source)}.`,
    );
  const begin = (): Pass => new Pass(new ProgressLine(description, unit, total ?? lengthOf(items)));
  const measured: Record<PropertyKey, unknown> = {};
  if (synchronous) measured[Symbol.iterator] = () => passOf(items as Iterable<unknown>, begin);
  if (asynchronous)
    measured[Symbol.asyncIterator] = () => asyncPassOf(items as AsyncIterable<unknown>, begin);
  // Passes on a throw, so that `lab.progress(lab.epochs(5))` hears of it too.
  if (has(items, CUT)) measured[CUT] = () => (items as unknown as Record<symbol, () => void>)[CUT]!();
  return measured;
}

const CUT = Symbol.for(CUT_EPOCH);

/** One pass over the items. */
class Pass {
  readonly line: ProgressLine;
  readonly #board: ProgressBoard;

  constructor(line: ProgressLine) {
    this.line = line;
    const sink = outputSink();
    if (board === null || !board.runs || board.cell !== sink.currentCell()) board = new ProgressBoard(sink);
    this.#board = board;
    this.#board.open(line);
    open.add(this);
  }

  counted(): void {
    this.line.count++;
    this.#board.counted();
  }

  stop(): void {
    this.end("stopped");
  }

  end(state: "ended" | "stopped"): void {
    if (!open.delete(this)) return;
    this.line.end(state);
    this.#board.closed(this.line);
  }
}

function* passOf(items: Iterable<unknown>, begin: () => Pass): Generator<unknown, void, undefined> {
  const pass = begin();
  try {
    for (const item of items) {
      yield item;
      pass.counted();
    }
    pass.end("ended");
  } finally {
    pass.stop();
  }
}

async function* asyncPassOf(
  items: AsyncIterable<unknown>,
  begin: () => Pass,
): AsyncGenerator<unknown, void, undefined> {
  const pass = begin();
  try {
    for await (const item of items) {
      yield item;
      pass.counted();
    }
    pass.end("ended");
  } finally {
    pass.stop();
  }
}

function counted(count: number): Iterable<number> & { readonly length: number } {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${CALL} takes a whole number of items, 0 or more, not ${count}.`);
  return {
    length: count,
    *[Symbol.iterator]() {
      for (let item = 0; item < count; item++) yield item;
    },
  };
}

function has(value: unknown, method: symbol): boolean {
  return typeof (value as Record<symbol, unknown> | null | undefined)?.[method] === "function";
}

/** Null if the source does not tell: a loader's getter throws then. */
function lengthOf(items: object): number | null {
  const sized = items as { readonly length?: unknown; readonly size?: unknown };
  try {
    const length = sized.length ?? sized.size;
    return typeof length === "number" && Number.isSafeInteger(length) && length >= 0 ? length : null;
  } catch {
    return null;
  }
}
