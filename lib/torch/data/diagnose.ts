// Finds the best number of workers for a loader: tries one more at a time and reports each count's speed, or which
// worker's dataset call failed or hung. Uses the loader's public interface only.
import { availableParallelism } from "node:os";
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../display.ts";
import { isInterruption } from "../../session.ts";
import { folded } from "../../views/fold.ts";
import { tableBundle } from "../../views/shown_as.ts";
import { columns, type Table, tableText } from "../../views/table.ts";
import { describe } from "../vocabulary/arguments.ts";
import { integer, number, readOptions, type Rules } from "../vocabulary/options.ts";
import type { Source } from "./fetch.ts";
import { DataLoader, type LoaderUsage } from "./loader.ts";
import { type LoaderTimings, TimingRecord } from "./timings.ts";

import { processUsage } from "./workers/usage.ts";
import { workerSource } from "./workers/worker_dataset.ts";

export interface DiagnoseOptions {
  /** The largest count to try. Default: one a processor, at most 8. */
  readonly mostWorkers?: number;
  /** Batches to time at each count. Default: 20. */
  readonly batches?: number;
  /** Seconds to spend on each count. Default: 10. */
  readonly seconds?: number;
  /** Seconds after which a worker counts as hung. Default: 10. */
  readonly timeout?: number;
}

/** The measurement of a loader with one count of workers. */
export interface WorkerTrial {
  readonly numWorkers: number;
  /**
   * Milliseconds until the first batch, including the start of threads and the loading of modules. NaN if no batch
   * came.
   */
  readonly startMs: number;
  /** Batches a second after the first; 0 if none came. */
  readonly batchesPerSecond: number;
  readonly timings: LoaderTimings;
  /** Growth of the process's memory over what it was before. */
  readonly addedResidentBytes: number;
  readonly addedDescriptors: number;
  /** Sum over the workers, as they report it. */
  readonly workerBytes: number;
  /** The failure, with the worker and its call. Null if nothing failed. */
  readonly failure: string | null;
}

/** A count is better only if it is faster by this factor, because smaller differences are noise. */
const WORTHWHILE = 1.05;
const MAX_WORKERS_BY_DEFAULT = 8;

const RULES: Rules<DiagnoseOptions> = {
  mostWorkers: integer(Math.min(availableParallelism(), MAX_WORKERS_BY_DEFAULT), 0),
  batches: integer(20, 1),
  seconds: number(10, { min: 0 }),
  timeout: number(10, { min: 0 }),
};

export class LoaderDiagnosis {
  /** One trial for each count of workers. */
  readonly trials: readonly WorkerTrial[];
  /** Why workers were not tried, or null. */
  readonly withoutWorkers: string | null;

  constructor(trials: readonly WorkerTrial[], withoutWorkers: string | null) {
    this.trials = trials.toSorted((a, b) => a.numWorkers - b.numWorkers);
    this.withoutWorkers = withoutWorkers;
  }

  /** The smallest count that no larger one beats by 5%; null where every count failed. */
  get best(): number | null {
    const sound = this.trials.filter(({ failure }) => failure === null);
    const max = Math.max(...sound.map(({ batchesPerSecond }) => batchesPerSecond));
    return sound.find(({ batchesPerSecond }) => batchesPerSecond * WORTHWHILE >= max)?.numWorkers ?? null;
  }

  /** One line for each count, and the conclusions. */
  toString(): string {
    return tableText(this.#view());
  }

  [DISPLAY](): MimeBundle {
    return tableBundle(this.#view());
  }

  [inspect.custom](): string {
    return this.toString();
  }

  #view(): Table {
    return folded({
      caption: "",
      columns: columns(...HEADINGS),
      rows: this.trials.map(cells),
      notes: this.#verdict(),
    });
  }

  #verdict(): string[] {
    const failed = this.trials.find(({ failure }) => failure !== null);
    const { best } = this;
    const lines = failed ? [`numWorkers ${failed.numWorkers} failed: ${failed.failure}`] : [];
    if (this.withoutWorkers !== null) lines.push(this.withoutWorkers);
    if (best === null) return lines;
    const rateOf = (count: number) =>
      this.trials.find(({ numWorkers }) => numWorkers === count)!.batchesPerSecond;
    const against =
      best === 0 ? "" : `, ${(rateOf(best) / rateOf(0)).toFixed(2)} times as many as without workers`;
    return [...lines, `Best: numWorkers ${best}, ${rateOf(best).toFixed(1)} batches/s${against}.`];
  }
}

const HEADINGS = [
  "workers",
  "batches/s",
  "start ms",
  "fetch ms",
  "decode ms",
  "transform ms",
  "collate ms",
  "transfer ms",
  "wait ms",
  "worker MB",
  "added MB",
  "added descriptors",
];

/** The times of stages are those of one batch. */
function cells(trial: WorkerTrial): string[] {
  const { timings, failure } = trial;
  if (failure !== null) return [String(trial.numWorkers), "failed", ...HEADINGS.slice(2).map(() => "")];
  const each = (ms: number) => (ms / Math.max(1, timings.batches)).toFixed(2);
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return [
    String(trial.numWorkers),
    trial.batchesPerSecond.toFixed(1),
    trial.startMs.toFixed(0),
    ...[timings.fetchMs, timings.decodeMs, timings.transformMs, timings.collateMs].map(each),
    ...[timings.transferMs, timings.waitMs].map(each),
    megabytes(trial.workerBytes),
    megabytes(trial.addedResidentBytes),
    String(trial.addedDescriptors),
  ];
}

/**
 * `data.diagnoseLoader(loader)` runs batches of the loader's dataset with one worker, with none, with two and so on, until
 * a count fails or `mostWorkers` is reached. One comes first: what hangs there has a deadline, in the session's own thread
 * it would have none. A dataset that workers cannot make is tried without them alone. The loader itself is left as it is;
 * the batches are thrown away, random numbers are drawn.
 */
export function diagnoseLoader<Item, Batch>(
  loader: DataLoader<Item, Batch>,
  options?: DiagnoseOptions,
): LoaderDiagnosis {
  const call = "data.diagnoseLoader";
  if (!(loader instanceof DataLoader))
    throw new TypeError(`${call}: expected a DataLoader, got ${describe(loader)}.`);
  const { mostWorkers: max, batches, seconds, timeout } = readOptions<DiagnoseOptions>(call, options, RULES);
  const withoutWorkers = whyNone(loader);
  const counts = Array.from({ length: withoutWorkers === null ? max + 1 : 1 }, (_, count) => count);
  const order = counts.length > 1 ? [1, 0, ...counts.slice(2)] : counts;
  const trials: WorkerTrial[] = [];
  for (const numWorkers of order) {
    const trial = runTrial(loader, { numWorkers, batches, seconds, timeout });
    trials.push(trial);
    if (trial.failure !== null) break;
  }
  return new LoaderDiagnosis(trials, withoutWorkers);
}

function whyNone<Item, Batch>({ dataset, options }: DataLoader<Item, Batch>): string | null {
  if (workerSource(dataset as Source<unknown>) === undefined)
    return 'Workers cannot make this dataset: put it in a module and use await data.workerDataset("./dataset.ts").';
  if (options.collateFn === undefined) return null;
  return "Workers cannot be sent the collateFn: export it as collateFn from the dataset's module.";
}

interface TrialPlan {
  readonly numWorkers: number;
  readonly batches: number;
  readonly seconds: number;
  readonly timeout: number;
}

/** Batches of one pass after the other; ends if a pass is empty. */
function* withoutEnd<Batch>(loader: Iterable<Batch>): globalThis.Generator<Batch, void, undefined> {
  for (let some = true; some;) {
    some = false;
    for (const batch of loader) {
      some = true;
      yield batch;
    }
  }
}

/** The same loader with another count of workers. */
function withWorkers<Item, Batch>(
  { dataset, options }: DataLoader<Item, Batch>,
  { numWorkers, timeout }: TrialPlan,
): DataLoader<Item, Batch> {
  const { prefetchFactor, persistentWorkers: _, ...others } = options;
  const ofWorkers = prefetchFactor === undefined ? {} : { prefetchFactor };
  return new DataLoader<Item, Batch>(dataset, {
    ...others,
    numWorkers,
    ...(numWorkers > 0 ? { timeout, persistentWorkers: true, ...ofWorkers } : {}),
  });
}

function failureOf(error: unknown): string {
  if (isInterruption(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}

function runTrial<Item, Batch>(loader: DataLoader<Item, Batch>, plan: TrialPlan): WorkerTrial {
  const before = processUsage();
  const start = performance.now();
  // Batches that were made while the workers started seem free, so they do not count.
  let free = plan.numWorkers * (loader.options.prefetchFactor ?? 2) + 1;
  let counted = 0;
  let firstAt = NaN;
  let countedFrom = NaN;
  let lastAt = start;
  let usage: LoaderUsage = { workers: [], ...before };
  let timings: LoaderTimings = new TimingRecord().read();
  let failure: string | null = null;
  try {
    using trial = withWorkers(loader, plan);
    for (const _batch of withoutEnd(trial)) {
      lastAt = performance.now();
      if (Number.isNaN(firstAt)) firstAt = lastAt;
      if (free > 0) {
        free--;
        countedFrom = lastAt;
      } else counted++;
      if (counted >= plan.batches || lastAt - start > plan.seconds * 1000) {
        usage = trial.usage;
        break;
      }
    }
    timings = trial.timings;
  } catch (error) {
    failure = failureOf(error);
  }
  return {
    numWorkers: plan.numWorkers,
    startMs: firstAt - start,
    batchesPerSecond: counted === 0 ? 0 : (counted * 1000) / (lastAt - countedFrom),
    timings,
    addedResidentBytes: usage.residentBytes - before.residentBytes,
    addedDescriptors: usage.descriptors - before.descriptors,
    workerBytes: usage.workers.reduce((sum, one) => sum + (one ? one.heapBytes + one.externalBytes : 0), 0),
    failure,
  };
}
