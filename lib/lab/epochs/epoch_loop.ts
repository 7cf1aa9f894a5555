// Runs one epoch loop: times each epoch, flushes at its end, writes the ledger, feeds the charts.
import type { EpochLoop, EpochLoopDescription } from "../../contract.ts";
import { pausedMs, runningNowMs } from "../../session.ts";
import { type SkippedSteps, tellCountedSteps } from "../../torch/amp/skipped_steps.ts";
import { beginStrategy, endStrategy } from "../../torch/engine/step_strategy.ts";
import type { DeviceInterface } from "../core/device_interface.ts";
import type { Collector } from "../core/collector.ts";
import { type Flush, flush } from "./flush.ts";
import { growth, rises } from "./growth.ts";
import { GrowthSearch } from "./growth_search.ts";
import { LoopCollections } from "./loop_collections.ts";
import { EpochMetrics, type LogCall } from "./metrics.ts";
import type { Ledger } from "../core/ledger.ts";
import type { EpochRecord, MemoryMark, MemorySample } from "../../records/epochs.ts";
import { shownEpoch } from "../core/ledger_view.ts";
import { sampleMemory } from "../core/memory.ts";
import { shownMark } from "../core/memory_view.ts";

/**
 * How long the variables may be searched for what holds memory: this share of the loop so far, or this time, whichever
 * is more.
 */
const SEARCH_SHARE = 0.05;
const SEARCH_MS = 50;
/** The longer time that a search may take while memory rises; a loop has two such searches. */
const RISING_SEARCH_MS = 500;

/**
 * Shows one loop while it runs; the last call is `finish`. It gets a function that gathers the records, which is called
 * only if they are drawn.
 */
export interface LoopDisplay {
  update(records: () => LoopRecords): void;
  finish(records: () => LoopRecords): void;
}

/** The ledger's records of one loop. */
export interface LoopRecords {
  readonly epochs: readonly EpochRecord[];
  readonly marks: readonly MemoryMark[];
  /** The variables that hold growing memory; empty if none was found. */
  readonly holders: readonly string[];
  readonly guess?: string;
  /** The metrics for which several `lab.log` calls in one epoch were combined, and how. */
  readonly combined: Readonly<Record<string, "mean" | "last">>;
}

export interface LoopHost {
  readonly ledger: Ledger;
  readonly collector: Collector;
  /** Returns the current device. It is called at every epoch, because a cell may change the device. */
  accelerator(): DeviceInterface;
  display(description: EpochLoopDescription): LoopDisplay;
  /** Runs work that waits for the end of an epoch, such as widget handlers. Throws if an interrupt ends the loop. */
  epochEnded(): void;
}

interface OpenEpoch {
  readonly accelerator: DeviceInterface;
  readonly atMs: number;
  readonly beganMs: number;
  readonly cpuMs: number;
  readonly pausedMs: number;
  readonly waitedMs: number | null;
  readonly fallbacks: number | null;
  readonly start: MemorySample;
  readonly metrics: EpochMetrics;
}

/**
 * The loops of one session. Only the outermost running loop is recorded: a loop that begins an epoch while another
 * loop has not closed is part of that loop's epoch. So a `for` over `lab.epochs(5)` that the compiler saw as well
 * flushes once.
 */
export class EpochLoops {
  readonly #host: LoopHost;
  #count = 0;
  #outermost: RecordedLoop | null = null;
  /** The loop goes on although its cell has ended. */
  #background: RecordedLoop | null = null;
  #clockStartMs: number | null = null;

  constructor(host: LoopHost) {
    this.#host = host;
  }

  open(description: EpochLoopDescription): EpochLoop {
    let recorded: RecordedLoop | null = null;
    const inner = (): boolean => this.#outermost !== null && this.#outermost !== recorded;
    return {
      begin: () => {
        if (inner()) return;
        recorded ??= new RecordedLoop(this.#host, description, this.#count++);
        this.#outermost = recorded;
        recorded.begin(this.#clockMs());
      },
      cut: () => {
        if (!inner()) recorded?.cut();
      },
      end: () => {
        if (inner()) return;
        recorded?.end();
        this.#host.epochEnded();
      },
      close: () => {
        if (inner()) return;
        this.#outermost = null;
        recorded?.close();
      },
    };
  }

  /**
   * Draws the final charts of a loop that may never be closed, and lets another loop be the outermost one. It is needed
   * because a cell that was stopped inside a package runs no `finally`. Called after every cell. A loop that does go on
   * in the background is still recorded.
   *
   * @param stopped whether the cell was interrupted, so that no such loop is left
   */
  abandon(stopped = false): void {
    const abandoned = this.#outermost;
    this.#outermost = null;
    this.#background = stopped ? null : (abandoned ?? this.#background);
    abandoned?.abandon();
  }

  /** @throws Error if no epoch is running, because no record would hold the values */
  log(call: LogCall): void {
    const loop = this.#outermost ?? this.#background;
    if (loop?.log(call) === true) return;
    const names = Object.keys(call.values).join(", ");
    throw new Error(
      `lab.log: no epoch is running that could record { ${names} }; call it inside an epoch loop, as for (const epoch of lab.epochs(5)) { ... }.`,
    );
  }

  mark(tag: string): MemoryMark {
    const sample = sampleMemory(this.#host.accelerator());
    const mark = shownMark({ tag, ...this.#moment(), sample });
    this.#host.ledger.marks.push(mark);
    return mark;
  }

  skippedSteps(steps: SkippedSteps): void {
    this.#host.ledger.skippedSteps.push({ ...steps, ...this.#moment() });
  }

  /** The present time, and the current epoch. */
  #moment(): { readonly loop: number | null; readonly epoch: number | null; readonly atMs: number } {
    const epoch = this.#outermost?.epoch ?? null;
    return { loop: epoch === null ? null : this.#outermost!.number, epoch, atMs: this.#clockMs() };
  }

  /** Zero is the session's first epoch or mark. */
  #clockMs(): number {
    const nowMs = performance.now();
    this.#clockStartMs ??= nowMs;
    return nowMs - this.#clockStartMs;
  }
}

class RecordedLoop {
  readonly number: number;
  readonly #host: LoopHost;
  readonly #flushes: boolean;
  readonly #display: LoopDisplay;
  readonly #collections: LoopCollections;
  readonly #search = new GrowthSearch();
  readonly #beganMs = runningNowMs();
  readonly #guess: string | undefined;
  #last: EpochRecord | null = null;
  #ended = 0;
  #open: OpenEpoch | null = null;
  #cut = false;
  #combined: Readonly<Record<string, "mean" | "last">> = {};

  constructor(host: LoopHost, description: EpochLoopDescription, number: number) {
    this.#host = host;
    this.number = number;
    this.#flushes = description.flush ?? true;
    this.#display = host.display(description);
    this.#collections = new LoopCollections(host.collector);
    this.#guess = description.guess;
    beginStrategy();
  }

  /** The epoch that is running, null between epochs. */
  get epoch(): number | null {
    return this.#open === null ? null : this.#ended;
  }

  begin(atMs: number): void {
    const accelerator = this.#host.accelerator();
    accelerator.resetPeak();
    this.#cut = false;
    this.#open = {
      accelerator,
      atMs,
      start: sampleMemory(accelerator),
      waitedMs: accelerator.waitedMs(),
      fallbacks: accelerator.fallbacks(),
      metrics: new EpochMetrics(),
      pausedMs: pausedMs(),
      cpuMs: processorMs(),
      beganMs: runningNowMs(),
    };
  }

  /** Returns false if no epoch is running, to which the values could belong. */
  log(call: LogCall): boolean {
    this.#open?.metrics.add(call);
    return this.#open !== null;
  }

  cut(): void {
    this.#cut = true;
  }

  end(): void {
    const open = this.#open;
    if (open === null) return;
    // Optimizer steps that captured steps skipped in this epoch belong to it.
    tellCountedSteps();
    this.#open = null;
    const epoch = this.#ended++;

    const { accelerator } = open;
    const workedMs = runningNowMs() - open.beganMs;
    const cpuMs = processorMs() - open.cpuMs;
    const heldMs = pausedMs() - open.pausedMs;
    const waitedInsideMs = difference(accelerator.waitedMs(), open.waitedMs);
    const fallbacks = difference(accelerator.fallbacks(), open.fallbacks);
    let metrics: EpochRecord["metrics"] | undefined;
    const flushed = this.#flushes
      ? flush(accelerator, (tensorBytes) => {
          // The device is idle now, so that reading the metrics waits for nothing.
          metrics = open.metrics.read();
          return this.#collections.collect(tensorBytes, this.#search.needsCompleteFlush ? "full" : "in turn");
        })
      : unflushed(accelerator);
    metrics ??= open.metrics.read();
    this.#combined = { ...this.#combined, ...Object.fromEntries(open.metrics.combined) };

    // Without a queue there is nothing to wait for, and the time of the call itself is no waiting time.
    const finalWaitMs = accelerator.asynchronous ? flushed.waitMs : 0;
    const wallMs = workedMs + (finalWaitMs ?? 0);
    const waitMs = finalWaitMs === null || waitedInsideMs === null ? null : waitedInsideMs + finalWaitMs;
    const record: EpochRecord = {
      loop: this.number,
      epoch,
      first: epoch === 0,
      cut: this.#cut,
      device: accelerator.label,
      ...(heldMs > 0 ? { pausedMs: heldMs } : {}),
      atMs: open.atMs,
      wallMs,
      cpuMs,
      hostMs: waitMs === null ? null : wallMs - waitMs,
      waitMs,
      finalWaitMs,
      flushMs: flushed.flushMs,
      collection: flushed.collection,
      complete: flushed.complete,
      start: open.start,
      before: flushed.before,
      after: flushed.after,
      freedBytes: flushed.freedBytes,
      releasedBytes: flushed.releasedBytes,
      fallbacks,
      metrics,
    };
    this.#record(shownEpoch(record));
    this.#display.update(() => this.#records());
  }

  close(): void {
    this.#flushLast();
    this.abandon();
  }

  /** Ends the recording without the final flush. What the loop held is not judged. */
  abandon(): void {
    this.#search.stop();
    endStrategy();
    this.#display.finish(() => this.#records());
  }

  /**
   * Flushes once more when the loop closes, because only then is it known which epoch was the last. If that epoch's
   * collection was a minor one, a full one follows and completes its record: the verdict on growth needs an exact end.
   */
  #flushLast(): void {
    const last = this.#last;
    if (last === null || last.cut || last.collection !== "minor") return;
    const flushed = flush(this.#host.accelerator(), (tensorBytes) => this.#collections.full(tensorBytes));
    const record: EpochRecord = {
      ...last,
      flushMs: last.flushMs + flushed.flushMs,
      collection: "full",
      complete: true,
      after: flushed.after,
      freedBytes: last.freedBytes + flushed.freedBytes,
      releasedBytes: last.releasedBytes + flushed.releasedBytes,
    };
    const shown = shownEpoch(record);
    this.#host.ledger.replace(last, shown);
    this.#searchAfter(shown);
  }

  #record(record: EpochRecord): void {
    this.#last = record;
    this.#host.ledger.epochs.push(record);
    if (!record.cut && record.collection === "full") this.#searchAfter(record);
  }

  /**
   * Searches for what holds memory. The record is in the ledger first, because the verdict reads the ledger; afterwards
   * the record's flush time includes the search.
   */
  #searchAfter(record: EpochRecord): void {
    const beganMs = performance.now();
    // The search calls this only before it has begun. Both are judged, because tensors on the CPU may pile up in a
    // session whose device is a GPU.
    const isRising = () => {
      const { epochs } = this.#records();
      return rises(growth(epochs)) || rises(growth(epochs, "hostBytes"));
    };
    const shareMs = SEARCH_SHARE * (runningNowMs() - this.#beganMs);
    const budgetMs = (rising: boolean) => Math.max(rising ? RISING_SEARCH_MS : SEARCH_MS, shareMs);
    this.#search.flushed(Math.max(record.after.allocatedBytes, record.after.hostBytes), isRising, budgetMs);
    this.#host.ledger.setHolders(this.number, this.#search.holders);
    this.#last = shownEpoch({ ...record, flushMs: record.flushMs + performance.now() - beganMs });
    this.#host.ledger.replace(record, this.#last);
  }

  #records(): LoopRecords {
    const { epochs, marks } = this.#host.ledger;
    return {
      epochs: epochs.filter((record) => record.loop === this.number),
      marks: marks.filter((mark) => mark.loop === this.number),
      holders: this.#search.holders,
      combined: this.#combined,
      ...(this.#guess === undefined ? {} : { guess: this.#guess }),
    };
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Difference of two readings of a counter; null if one of them is. */
function difference(later: number | null, earlier: number | null): number | null {
  return later === null || earlier === null ? null : later - earlier;
}

/** Reads only counters: a user who switches the flush off wants to see the memory as it is without one. */
function unflushed(accelerator: DeviceInterface): Omit<Flush, "waitMs"> & { readonly waitMs: number | null } {
  const sample = sampleMemory(accelerator);
  return {
    waitMs: null,
    flushMs: 0,
    collection: "none",
    complete: false,
    before: sample,
    after: sample,
    freedBytes: 0,
    releasedBytes: 0,
  };
}
