// Tracks which cell the running code belongs to, through timers and promises, with AsyncLocalStorage.
import { AsyncLocalStorage } from "node:async_hooks";

/** Output that is shown anew when the cell clears its output. */
export interface LastingOutput {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** One run of a cell, alive as long as a timer or promise of it is. */
export class Cell {
  /** Whether its evaluation has not ended; its timers may run much later. */
  running = false;
  /** What its code does: it runs, or has been interrupted and is to leave what it runs; null before and after. */
  code: "runs" | "interrupted" | null = null;
  /** How many `finally` blocks of it run now. */
  cleanups = 0;
  /** Rejects each `await` of the cell that is pending now. */
  readonly pendingAwaits = new Set<(reason: Error) => void>();
  /** Called when it is interrupted: each ends a process that it has started. */
  readonly stopsWithIt = new Set<() => void>();
  /** What its work that nobody awaited threw, with the promise that was rejected; null where that is told at once. */
  leftErrors: { readonly error: unknown; readonly promise: unknown }[] | null = null;
  /** Output that is still being made, as the picture of a chart. */
  readonly pendingOutput = new Set<Promise<void>>();
  /** What failed in making output after the code that asked for it had gone on. */
  outputFailure: { readonly thrown: unknown } | null = null;
  /** Values that its output shows already, such as a sweep that it drew while it ran. */
  shown = new WeakSet<object>();
  /** The display ids that its output shows, each with the bundle that outlives a `clearOutput`, or null. */
  readonly displays = new Map<string, LastingOutput | null>();
  readonly #aborter = new AbortController();
  /** The request's `msg_id`, which output carries. */
  readonly id: string;
  readonly count: number;

  constructor(id: string, count: number) {
    this.id = id;
    this.count = count;
  }

  /** The cell's name in messages. */
  get name(): string {
    return `Cell [${this.count}]`;
  }

  /** Fires when the cell is interrupted. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  abort(reason: Error): void {
    if (this.code === "runs") this.code = "interrupted";
    this.#aborter.abort(reason);
    for (const stop of this.stopsWithIt) stop();
    this.stopsWithIt.clear();
  }

  /** Whether an interrupt was thrown into its code, which has not ended yet. */
  get isInterrupted(): boolean {
    return this.code === "interrupted";
  }

  /** Whether its code has ended by an interrupt: what it left behind is not to go on. */
  get isStopped(): boolean {
    return this.code === null && this.#aborter.signal.aborted;
  }

  /** Whether an interrupt was thrown into it, but for what runs in a `finally`, which is left alone. */
  get mustEnd(): boolean {
    return this.isInterrupted && this.cleanups === 0;
  }
}

/** Cells whose last timer and promise have gone are collected. */
const collected = new FinalizationRegistry<string>((id) => gone(id));
let gone: (id: string) => void = () => {};

/** `listener` hears of each cell that can put nothing out any more. */
export function onGone(listener: (id: string) => void): void {
  gone = listener;
}

const storage = new AsyncLocalStorage<Cell>();
/** One of each subshell at most, in the order in which they began. */
const running = new Set<Cell>();
let latest: Cell | null = null;

/** Runs `body` as part of a cell: what it starts belongs to that cell, however late it runs. */
export function inCell<Result>(cell: Cell, body: () => Result): Result {
  return storage.run(cell, body);
}

/** @param options `continues`: whether the rest of the cell runs as another one, of the same id */
export function beginCell(cell: Cell, { continues }: { readonly continues: boolean }): void {
  cell.running = true;
  running.add(cell);
  latest = cell;
  if (!continues) collected.register(cell, cell.id);
}

export function endCell(cell: Cell): void {
  cell.running = false;
  running.delete(cell);
}

/** The cells whose evaluation has not ended. */
export function runningCells(): readonly Cell[] {
  return [...running];
}

/** The cell that started the code which runs now, whether or not that cell has ended. */
export function owningCell(): Cell | null {
  return storage.getStore() ?? null;
}

/** Returns the cell that receives output: the output's own cell, else a running one, else the last one. */
export function outputCell(): Cell | null {
  return storage.getStore() ?? firstRunning() ?? latest;
}

function firstRunning(): Cell | undefined {
  const [first] = running;
  return first;
}
