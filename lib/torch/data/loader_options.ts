// What a DataLoader may be told, checked once: PyTorch's options and PyTorch's rules which of them exclude each other.
// It decides which sampler a pass uses; the pass itself is `loader.ts`.
import { checkBoolean, checkInteger, checkOptions, describe } from "../arguments.ts";
import { native } from "../native.ts";
import { isIndexed, type Source } from "./fetch.ts";
import { checkGenerator, Generator } from "./generator.ts";
import {
  BatchSampler,
  checkIterable,
  endlessIndices,
  RandomSampler,
  type Sampler,
  SequentialSampler,
} from "./samplers.ts";

export interface LoaderOptions<Item, Batch> {
  /** Items a batch, 1 unless given; `null` hands out the items themselves. */
  readonly batchSize?: number | null;
  /** Another order each pass. */
  readonly shuffle?: boolean;
  /** The order of the indices, instead of `shuffle`. */
  readonly sampler?: Sampler;
  /** The indices of each batch, instead of `batchSize`, `shuffle`, `sampler` and `dropLast`. */
  readonly batchSampler?: Iterable<readonly number[]> & { readonly length?: number | undefined };
  /** Leaves out a last batch that is not full. */
  readonly dropLast?: boolean;
  /** Makes a batch of items; of the item alone with `batchSize: null`. */
  readonly collateFn?: (items: Item[]) => Batch;
  /** Makes the order independent of `manualSeed`; each pass goes on where the last one stopped. */
  readonly generator?: Generator;
  /** The same as `generator: new data.Generator(seed)`. */
  readonly seed?: number | bigint;
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
  "pinMemory",
] as const;

export interface Plan<Item, Batch> {
  readonly batchSize: number | null;
  readonly dropLast: boolean;
  readonly generator: Generator | undefined;
  readonly collateFn: ((items: Item[]) => Batch) | undefined;
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

/** PyTorch lets these pass or fail by their meaning, not by their value: `shuffle: false` beside a sampler is fine. */
function refuseTogether(call: string, given: object, one: string, others: readonly string[]): void {
  const chosen = others.filter((name) => {
    const value = (given as Record<string, unknown>)[name];
    return value !== undefined && value !== false && !(name === "batchSize" && value === 1);
  });
  if (chosen.length > 0) {
    throw new TypeError(`${call}: ${one} excludes ${chosen.join(", ")}; give one or the other.`);
  }
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
    given.seed !== undefined ? new Generator(given.seed) : checkGenerator(call, given.generator);
  if (!isIndexed(source))
    refuseTogether(call, given, "an iterable dataset", ["shuffle", "sampler", "batchSampler"]);
  if (given.sampler !== undefined) refuseTogether(call, given, "sampler", ["shuffle"]);
  if (batchSize === null) refuseTogether(call, given, "batchSize: null", ["dropLast"]);
  const plan = { batchSize, dropLast, generator, collateFn: given.collateFn };
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
