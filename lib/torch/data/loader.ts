// Makes a dataset's batches, pass by pass. Draws random numbers as PyTorch's DataLoader does, so equal seeds give
// equal batches: first one number a pass (the workers' seed, drawn without workers too), then the sampler's own.
import { inspect } from "node:util";
import { counted } from "../../words.ts";
import type { Collated } from "./collate.ts";
import { ColumnDtypes } from "./column_dtypes.ts";
import { checkSource, END, makeFetch, type Source } from "./fetch.ts";
import { drawSeed } from "./generator.ts";
import {
  type LoaderOptions,
  loaderOptions,
  type Plan,
  planLoader,
  type WorkerPlan,
} from "./loader_options.ts";
import type { Sampler } from "./samplers.ts";
import { stagesNow, stagesSince } from "./stages.ts";
import { shownAs } from "../../views/shown_as.ts";
import { timingsTable, usageTable } from "./usage_view.ts";
import { type LoaderTimings, TimingRecord } from "./timings.ts";
import { type ProcessUsage, processUsage, type WorkerUsage } from "./workers/usage.ts";
import { workerPass } from "./workers/worker_pass.ts";
import { Workers } from "./workers/workers.ts";

/** The memory of a loader's workers, and the usage of the process whose threads they are. */
export interface LoaderUsage extends ProcessUsage {
  /**
   * One entry for each worker; null until that worker has made a batch. Empty outside of a pass, unless the workers are
   * persistent.
   */
  readonly workers: readonly (WorkerUsage | null)[];
}

/**
 * Batches of a dataset: `for (const [images, labels] of new data.DataLoader(dataset, { batchSize: 64, shuffle: true
 * }))`. With `numWorkers` threads make them ahead, in the same order and from the same seeds
 * (`torch/utils/data/dataloader.py`).
 */
export class DataLoader<Item = any, Batch = Collated<Item>> implements Iterable<Batch> {
  readonly dataset: Source<Item>;
  /** The options that the caller gave. */
  readonly options: LoaderOptions<Item, Batch>;
  readonly #plan: Plan<Item, Batch>;
  readonly #timings = new TimingRecord();
  /** Kept for all passes: a column's first fraction may come in an epoch's last batch. */
  readonly #columns: ColumnDtypes;

  /** The workers of a running pass, or persistent ones, and the number of their next task. */
  #running: Workers | undefined;
  #kept: Workers | undefined;
  #nextTask = 0;

  constructor(
    dataset: Source<Item>,
    batchSize?: number | null | LoaderOptions<Item, Batch>,
    shuffle?: boolean | LoaderOptions<Item, Batch>,
    sampler?: Sampler | null | LoaderOptions<Item, Batch>,
    batchSampler?: LoaderOptions<Item, Batch>["batchSampler"] | null | LoaderOptions<Item, Batch>,
    numWorkers?: number | LoaderOptions<Item, Batch>,
    collateFn?: LoaderOptions<Item, Batch>["collateFn"] | null | LoaderOptions<Item, Batch>,
    pinMemory?: boolean | LoaderOptions<Item, Batch>,
    dropLast?: boolean | LoaderOptions<Item, Batch>,
    timeout?: number | LoaderOptions<Item, Batch>,
  );
  constructor(dataset: Source<Item>, ...given: unknown[]) {
    const call = "new data.DataLoader";
    const options = loaderOptions<Item, Batch>(call, given);
    this.dataset = checkSource(call, dataset);
    this.options = { ...options };
    this.#plan = planLoader(call, dataset, options);
    this.#columns = new ColumnDtypes(this.#plan.collateFn === undefined ? dataset : undefined);
  }

  get batchSize(): number | null {
    return this.#plan.batchSize;
  }

  get dropLast(): boolean {
    return this.#plan.dropLast;
  }

  /** Threads that make its batches; 0 for the session's own. */
  get numWorkers(): number {
    return this.#plan.workers?.numWorkers ?? 0;
  }

  /** The time of all passes so far, stage by stage. */
  get timings(): LoaderTimings {
    return shownAs(this.#timings.read(), timingsTable);
  }

  /** Memory of each worker; resident memory and open descriptors of the process. */
  get usage(): LoaderUsage {
    const workers = this.#running?.usage ?? this.#kept?.usage ?? [];
    return shownAs<LoaderUsage>({ workers, ...processUsage() }, usageTable);
  }

  /** Names the dataset, and says how often it was passed through so far. */
  [inspect.custom](): string {
    const { batches } = this.#timings.read();
    const made = batches === 0 ? "" : `, ${counted(batches, "batch")} made`;
    const size = this.batchSize === null ? "" : ` in batches of ${this.batchSize}`;
    return `DataLoader of ${inspect(this.dataset)}${size}${made}`;
  }

  /** Batches in one pass. */
  get length(): number {
    const { length } = this.#plan.batches;
    if (length !== undefined) return length;
    throw new TypeError(
      "DataLoader.length: the dataset or sampler does not tell its length; give it a length, or count the batches.",
    );
  }

  *[Symbol.iterator](): globalThis.Generator<Batch, void, undefined> {
    const { batchSize, workers } = this.#plan;
    const batches = workers ? this.#passOfWorkers(workers) : this.#passHere();
    // If items are not batched, they are passed on as the dataset's own.
    for (const batch of batches) yield (batchSize === null ? batch : this.#columns.settle(batch)) as Batch;
  }

  /** Ends persistent workers; the next pass starts others. */
  close(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  *#passHere(): globalThis.Generator<unknown, void, undefined> {
    drawSeed(this.#plan.generator);
    const fetch = makeFetch(this.dataset, this.#plan);
    for (const wanted of this.#plan.batches) {
      const start = performance.now();
      const before = stagesNow();
      const batch = fetch(wanted);
      if (batch === END) return;
      this.#timings.addStages(stagesSince(before));
      this.#timings.addBatch(performance.now() - start);
      yield batch;
    }
  }

  *#passOfWorkers(plan: WorkerPlan): globalThis.Generator<unknown, void, undefined> {
    const again = this.#kept !== undefined;
    const workers = this.#kept ?? this.#start(plan);
    if (plan.persistent) this.#kept = workers;
    this.#running = workers;
    let failed = true;
    try {
      yield* workerPass(workers, {
        batches: this.#plan.batches,
        translate: plan.source.translate,
        prefetchFactor: plan.prefetchFactor,
        firstTask: this.#nextTask,
        used: (nextTask) => (this.#nextTask = nextTask),
        timings: this.#timings,
        again,
      });
      failed = false;
    } finally {
      if (this.#running === workers) this.#running = undefined;
      // Workers of a pass that was left early still have its tasks to do; new ones start sooner.
      if (failed || !plan.persistent) {
        workers.close();
        if (this.#kept === workers) this.#kept = undefined;
      }
    }
  }

  /** Persistent workers keep the seeds with which they started, as in PyTorch. */
  #start({ source, numWorkers, timeoutSeconds }: WorkerPlan): Workers {
    const baseSeed = drawSeed(this.#plan.generator);
    return new Workers(source, { numWorkers, baseSeed, dropLast: this.#plan.dropLast, timeoutSeconds });
  }
}
