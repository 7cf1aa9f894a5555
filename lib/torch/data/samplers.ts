// Samplers choose the order in which a pass visits a dataset (torch/utils/data/sampler.py). They draw random numbers
// when PyTorch draws them, and as many, so equal seeds give equal orders.
import { checkIterable } from "../tensor/tensor_arguments.ts";
import { checkBoolean, checkInteger, checkNumber, describe } from "../vocabulary/arguments.ts";
import { boolean, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Generator } from "../random/generator.ts";
import { by, checkGenerator, drawSeed, indicesBy, takeIntegers } from "./generator.ts";

/** Indices of one pass; iterated once a pass. Any iterable will do, `length` is their number if it is known. */
export interface Sampler extends Iterable<number> {
  readonly length?: number;
}

type Pass<T> = globalThis.Generator<T, void, undefined>;

/** Something with a length: all that samplers ask of a dataset. */
export interface Sized {
  readonly length: number;
}

/** Refuses what has no length. */
export function checkSized(call: string, source: unknown): Sized {
  const length = (source as Sized | undefined | null)?.length;
  if (typeof source === "string" || typeof length !== "number") {
    throw new TypeError(`${call}: expected a dataset with a length, got ${describe(source)}.`);
  }
  return source as Sized;
}

/** 0, 1, 2, ... up to the dataset's length. */
export class SequentialSampler implements Sampler {
  readonly #source: Sized;

  constructor(source: Sized) {
    this.#source = checkSized("new data.SequentialSampler", source);
  }

  get length(): number {
    return this.#source.length;
  }

  *[Symbol.iterator](): Pass<number> {
    for (let index = 0; index < this.#source.length; index++) yield index;
  }
}

/** Options of `data.RandomSampler` by name. */
export interface RandomSamplerOptions {
  /** Whether an index may come twice before all have come once. Default: false. */
  readonly replacement?: boolean;
  /** Indices a pass. Default: the dataset's length. */
  readonly numSamples?: number;
  /** Draws the order. Default: a generator seeded from the session's. */
  readonly generator?: Generator;
}

const RANDOM_RULES = {
  replacement: boolean(false),
  numSamples: optional((call, name, value) => checkInteger(call, name, value, 1)),
  generator: optional((call, _name, value) => checkGenerator(call, value)),
} satisfies OpenRules<RandomSamplerOptions>;

/** Numbers that PyTorch draws at once with replacement. */
const REPLACEMENT_CHUNK = 32;

/**
 * Indices in an order that is drawn anew for each pass: a permutation, or with `replacement` each drawn on its own.
 *
 * @throws RangeError for an empty dataset where `numSamples` is not given
 */
export class RandomSampler implements Sampler {
  readonly #source: Sized;
  readonly #replacement: boolean;
  readonly #numSamples: number | undefined;
  readonly #generator: Generator | undefined;

  constructor(source: Sized, options: RandomSamplerOptions = {}) {
    const call = "new data.RandomSampler";
    this.#source = checkSized(call, source);
    const { replacement, numSamples, generator } = readOptions(call, options, RANDOM_RULES);
    if (numSamples === undefined && source.length === 0)
      throw new RangeError(`${call}: the dataset is empty, so there is no index to draw.`);
    this.#replacement = replacement;
    this.#numSamples = numSamples;
    this.#generator = generator;
  }

  get length(): number {
    return this.#numSamples ?? this.#source.length;
  }

  *[Symbol.iterator](): Pass<number> {
    const generator = this.#generator ?? new Generator().manualSeed(drawSeed(undefined));
    const from = this.#source.length;
    const count = this.length;
    if (this.#replacement) {
      const chunk = (size: number) =>
        takeIntegers(torchFunctions.randint(from, [size], indicesBy(generator)));
      for (let i = 0; i < Math.floor(count / REPLACEMENT_CHUNK); i++) yield* chunk(REPLACEMENT_CHUNK);
      yield* chunk(count % REPLACEMENT_CHUNK);
      return;
    }
    const permutation = () => takeIntegers(torchFunctions.randperm(from, indicesBy(generator)));
    for (let i = 0; i < Math.floor(count / from); i++) yield* permutation();
    // PyTorch also draws this permutation if none of it is used.
    yield* permutation().subarray(0, count % from);
  }
}

/** The given indices, in an order that is drawn anew for each pass. */
export class SubsetRandomSampler implements Sampler {
  readonly #indices: readonly number[];
  readonly #generator: Generator | undefined;

  constructor(indices: readonly number[], generator?: Generator) {
    const call = "new data.SubsetRandomSampler";
    this.#indices = checkIndices(call, indices);
    this.#generator = checkGenerator(call, generator);
  }

  get length(): number {
    return this.#indices.length;
  }

  *[Symbol.iterator](): Pass<number> {
    const order = takeIntegers(torchFunctions.randperm(this.length, indicesBy(this.#generator)));
    for (const position of order) yield this.#indices[position]!;
  }
}

/** Options of `data.WeightedRandomSampler` by name. */
export interface WeightedRandomSamplerOptions {
  /** Whether an index may come more than once. Default: true, as in PyTorch. */
  readonly replacement?: boolean;
  /** Draws the items. Default: the session's generator. */
  readonly generator?: Generator;
}

const WEIGHTED_RULES = {
  replacement: boolean(true),
  generator: RANDOM_RULES.generator,
} satisfies OpenRules<WeightedRandomSamplerOptions>;

/** `numSamples` indices of `weights`, each as probable as its weight says; the weights need not add up to one. */
export class WeightedRandomSampler implements Sampler {
  readonly length: number;
  readonly #weights: Float64Array;
  readonly #replacement: boolean;
  readonly #generator: Generator | undefined;

  constructor(
    weights: readonly number[] | Tensor,
    numSamples: number,
    options: WeightedRandomSamplerOptions = {},
  ) {
    const call = "new data.WeightedRandomSampler";
    this.length = checkInteger(call, "numSamples", numSamples, 1);
    const { replacement, generator } = readOptions(call, options, WEIGHTED_RULES);
    this.#replacement = replacement;
    this.#generator = generator;
    const list: unknown = native.isTensor(weights) ? weights.tolist() : weights;
    if (!Array.isArray(list)) {
      throw new TypeError(`${call}: weights must be a list of numbers, got ${describe(weights)}.`);
    }
    this.#weights = Float64Array.from(list, (weight, i) =>
      checkNumber(call, `weights[${i}]`, weight, { min: 0 }),
    );
    const positive = this.#weights.filter((weight) => weight > 0).length;
    if (positive === 0) throw new RangeError(`${call}: no weight is above 0, so there is nothing to draw.`);
    if (!this.#replacement && positive < numSamples) {
      throw new RangeError(
        `${call}: ${numSamples} samples cannot be drawn without replacement from ${positive} weights above 0.`,
      );
    }
  }

  *[Symbol.iterator](): Pass<number> {
    const weights = native.fromTypedArray(this.#weights, [this.#weights.length], "float64");
    const drawn = torchFunctions.multinomial(weights, this.length, this.#replacement, by(this.#generator));
    native.dispose(weights);
    yield* takeIntegers(drawn);
  }
}

/** Groups another sampler's indices: `[[0, 1, 2], [3, 4, 5], [6]]`. */
export class BatchSampler implements Iterable<number[]> {
  readonly sampler: Sampler;
  readonly batchSize: number;
  readonly dropLast: boolean;

  constructor(sampler: Sampler, batchSize: number, dropLast = false) {
    const call = "new data.BatchSampler";
    this.sampler = checkIterable(call, "sampler", sampler);
    this.batchSize = checkInteger(call, "batchSize", batchSize, 1);
    this.dropLast = checkBoolean(call, "dropLast", dropLast);
  }

  /** Undefined if the sampler has no length. */
  get length(): number | undefined {
    const { length } = this.sampler;
    if (length === undefined) return undefined;
    return this.dropLast ? Math.floor(length / this.batchSize) : Math.ceil(length / this.batchSize);
  }

  *[Symbol.iterator](): Pass<number[]> {
    let batch: number[] = [];
    for (const index of this.sampler) {
      batch.push(index);
      if (batch.length < this.batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0 && !this.dropLast) yield batch;
  }
}

/** Requests items from a dataset without indices. It yields 0 for ever; the value is not used. */
export function* endlessIndices(): Pass<number> {
  for (;;) yield 0;
}

export function checkIndices(call: string, indices: readonly number[]): readonly number[] {
  if (!Array.isArray(indices)) {
    throw new TypeError(`${call}: indices must be an array of integers, got ${describe(indices)}.`);
  }
  for (const [i, index] of indices.entries()) checkInteger(call, `indices[${i}]`, index, 0);
  return indices;
}
