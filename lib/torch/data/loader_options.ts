// Checks a DataLoader's options once, by PyTorch's rules about which exclude each other, and chooses the sampler of a
// pass. `loader.ts` runs the pass.
import { checkIterable } from "../tensor/tensor_arguments.ts";
import { availableParallelism } from "node:os";
import { checkBoolean, checkInteger, checkNumber, checkOptions, describe } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { native } from "../engine/native.ts";
import { isIndexed, type Source } from "./fetch.ts";
import { checkGenerator } from "./generator.ts";
import { Generator } from "../random/generator.ts";
import { checkSeed } from "../random/random.ts";
import { workerSource, type WorkerSource } from "./workers/worker_dataset.ts";
import { BatchSampler, endlessIndices, RandomSampler, type Sampler, SequentialSampler } from "./samplers.ts";

export interface LoaderOptions<Item, Batch> {
  /** Items a batch. Default: 1; `null` hands out the items themselves. */
  readonly batchSize?: number | null;
  /** Another order each pass. Default: false. */
  readonly shuffle?: boolean;
  /** The order of the indices, instead of `shuffle`. Default: none. */
  readonly sampler?: Sampler;
  /** The indices of each batch, instead of `batchSize`, `shuffle`, `sampler` and `dropLast`. Default: none. */
  readonly batchSampler?: Iterable<readonly number[]> & { readonly length?: number | undefined };
  /** Leaves out a last batch that is not full. Default: false. */
  readonly dropLast?: boolean;
  /** Makes a batch of items; of the item alone with `batchSize: null`. Default: `data.defaultCollate`. */
  readonly collateFn?: (items: Item[]) => Batch;
  /**
   * Makes the order independent of `manualSeed`; each pass goes on where the last one stopped. Default: none, and
   * `manualSeed` makes it repeatable.
   */
  readonly generator?: Generator;
  /** The same as `generator: new torch.Generator().manualSeed(seed)`. Default: none. */
  readonly seed?: number | bigint;
  /**
   * Threads that make batches ahead of time; 0 makes them in this thread. Default: one a processor, at most 8, for a
   * `data.workerDataset`. Any other dataset is in the memory of this thread, so this thread makes its batches, whatever
   * the number. Each worker has random numbers of its own, so equal seeds give equal batches only with equal counts.
   */
  readonly numWorkers?: number;
  /** Batches that each worker makes ahead. Default: 2. */
  readonly prefetchFactor?: number;
  /** Keeps the workers, and their datasets, from one pass to the next; `close()` ends them. Default: false. */
  readonly persistentWorkers?: boolean;
  /** Seconds to wait for a worker's batch before it counts as hung. Default: 120; 0 waits forever. */
  readonly timeout?: number;
  /** True is refused, with the reason: there is nothing to pin. Default: false. */
  readonly pinMemory?: boolean;
}

const OPTIONS = [
  "batchSize",
  "shuffle",
  "sampler",
  "batchSampler",
  "dropLast",
  "collateFn",
  "generator",
  "seed",
  "numWorkers",
  "prefetchFactor",
  "persistentWorkers",
  "timeout",
  "pinMemory",
] as const;

/** What follows the dataset, by place. */
const PLACES = [
  "batchSize",
  "shuffle",
  "sampler",
  "batchSampler",
  "numWorkers",
  "collateFn",
  "pinMemory",
  "dropLast",
  "timeout",
] as const;

/** A sampler is an object too, and no options: those are written as they stand, with braces. */
function isSampler(value: unknown): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

/** The options, given by name or by place; null at a place stands for none, save of `batchSize`. */
export function loaderOptions<Item, Batch>(
  call: string,
  given: readonly unknown[],
): LoaderOptions<Item, Batch> | undefined {
  const options = optionsByPlace<LoaderOptions<Item, Batch>>(call, PLACES, given, isSampler);
  if (given.length <= 1) return options;
  return Object.fromEntries(
    Object.entries(options ?? {}).filter(([name, value]) => value !== null || name === "batchSize"),
  );
}

const DEFAULT_TIMEOUT_SECONDS = 120;
const DEFAULT_PREFETCH_FACTOR = 2;
const MAX_WORKERS_BY_DEFAULT = 8;

/** How workers are used, where there are any. */
export interface WorkerPlan {
  readonly source: WorkerSource;
  readonly numWorkers: number;
  readonly prefetchFactor: number;
  readonly persistent: boolean;
  readonly timeoutSeconds: number;
}

export interface Plan<Item, Batch> {
  readonly batchSize: number | null;
  readonly dropLast: boolean;
  readonly generator: Generator | undefined;
  readonly collateFn: ((items: Item[]) => Batch) | undefined;
  readonly workers: WorkerPlan | undefined;
  /** Iterated once a pass. */
  readonly batches: Iterable<readonly number[] | number> & { readonly length?: number | undefined };
}

function refusePinMemory(): never {
  const { available } = native.devices();
  throw new TypeError(
    available.includes("mps")
      ? "DataLoader: pinMemory does nothing on mps: CPU and GPU share one memory, so there is no page to pin. Leave it out."
      : `DataLoader: pinMemory is not supported (devices here: ${available.join(", ")}). Leave it out.`,
  );
}

/**
 * As in PyTorch, these count by their meaning and not by being given: `shuffle: false` beside a sampler is accepted.
 */
function refuseTogether(call: string, given: object, one: string, others: readonly string[]): void {
  const chosen = others.filter((name) => {
    const value = (given as Record<string, unknown>)[name];
    return value !== undefined && value !== false && !(name === "batchSize" && value === 1);
  });
  if (chosen.length > 0) {
    throw new TypeError(`${call}: ${one} excludes ${chosen.join(", ")}; give one or the other.`);
  }
}

const noted = new WeakSet<object>();

/**
 * Workers cannot reach tensors and functions of this thread. The batches are then made here, because a program that
 * PyTorch runs shall run.
 */
function noteMadeHere(source: object, numWorkers: number): void {
  if (noted.has(source)) return;
  noted.add(source);
  process.emitWarning(
    `DataLoader: numWorkers: ${numWorkers} starts no threads: the dataset is in the session's own memory, so the session makes its batches; ` +
      'where items take work to make, put the dataset in a module: await data.workerDataset("./dataset.ts").',
  );
}

function planWorkers<Item, Batch>(
  call: string,
  source: Source<Item>,
  given: Partial<LoaderOptions<Item, Batch>>,
): WorkerPlan | undefined {
  const workers = workerSource(source as Source<unknown>);
  const canHelp = workers !== undefined && given.collateFn === undefined;
  const usual = canHelp ? Math.min(availableParallelism(), MAX_WORKERS_BY_DEFAULT) : 0;
  const numWorkers = checkInteger(call, "numWorkers", given.numWorkers ?? usual, 0);
  const prefetchFactor = checkInteger(
    call,
    "prefetchFactor",
    given.prefetchFactor ?? DEFAULT_PREFETCH_FACTOR,
    1,
  );
  const persistent = checkBoolean(call, "persistentWorkers", given.persistentWorkers ?? false);
  const timeoutSeconds = checkNumber(call, "timeout", given.timeout ?? DEFAULT_TIMEOUT_SECONDS, { min: 0 });
  if (numWorkers === 0) {
    for (const name of ["prefetchFactor", "persistentWorkers"] as const) {
      if (given[name])
        throw new TypeError(
          `${call}: ${name} needs workers; give numWorkers of at least 1, or leave it out.`,
        );
    }
    return undefined;
  }
  if (!workers) {
    noteMadeHere(source, numWorkers);
    return undefined;
  }
  if (given.collateFn !== undefined) {
    throw new TypeError(
      `${call}: a collateFn cannot be sent to workers; export it as collateFn from the dataset's module, or use numWorkers: 0.`,
    );
  }
  return { source: workers, numWorkers, prefetchFactor, persistent, timeoutSeconds };
}

export function planLoader<Item, Batch>(
  call: string,
  source: Source<Item>,
  options: LoaderOptions<Item, Batch> | undefined,
): Plan<Item, Batch> {
  const given = checkOptions(call, options, OPTIONS);
  const batchSize =
    given.batchSize === null ? null : checkInteger(call, "batchSize", given.batchSize ?? 1, 1);
  const shuffle = checkBoolean(call, "shuffle", given.shuffle ?? false);
  const dropLast = checkBoolean(call, "dropLast", given.dropLast ?? false);
  if (checkBoolean(call, "pinMemory", given.pinMemory ?? false)) refusePinMemory();
  if (given.collateFn !== undefined && typeof given.collateFn !== "function") {
    throw new TypeError(`${call}: collateFn must be a function, got ${describe(given.collateFn)}.`);
  }
  if (given.seed !== undefined && given.generator !== undefined) {
    throw new TypeError(`${call}: seed excludes generator; give one or the other.`);
  }
  const generator =
    given.seed !== undefined
      ? new Generator().manualSeed(checkSeed(call, given.seed))
      : checkGenerator(call, given.generator);
  if (!isIndexed(source))
    refuseTogether(call, given, "an iterable dataset", ["shuffle", "sampler", "batchSampler"]);
  if (given.sampler !== undefined) refuseTogether(call, given, "sampler", ["shuffle"]);
  if (batchSize === null) refuseTogether(call, given, "batchSize: null", ["dropLast"]);
  const workers = planWorkers(call, source, given);
  const moduleCollate = workerSource(source as Source<unknown>)?.module.collateFn as typeof given.collateFn;
  const plan = { batchSize, dropLast, generator, workers, collateFn: given.collateFn ?? moduleCollate };
  if (given.batchSampler !== undefined) {
    refuseTogether(call, given, "batchSampler", ["batchSize", "shuffle", "sampler", "dropLast"]);
    return { ...plan, batches: checkIterable(call, "batchSampler", given.batchSampler) };
  }
  const sampler = given.sampler
    ? checkIterable(call, "sampler", given.sampler)
    : chosenSampler(source, shuffle, generator);
  return { ...plan, batches: batchSize === null ? sampler : new BatchSampler(sampler, batchSize, dropLast) };
}

function chosenSampler<Item>(
  source: Source<Item>,
  shuffle: boolean,
  generator: Generator | undefined,
): Sampler {
  if (!isIndexed(source)) return { length: source.length!, [Symbol.iterator]: endlessIndices };
  if (!shuffle) return new SequentialSampler(source);
  return new RandomSampler(source, generator ? { generator } : {});
}
