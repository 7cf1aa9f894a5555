// The sampler of several processes: each visits its part of the dataset (torch/utils/data/distributed.py).
import { torchFunctions } from "../tensor/operators.ts";
import { getRank, getWorldSize, isInitialized } from "../distributed/init.ts";
import { Generator } from "../random/generator.ts";
import { checkInteger } from "../vocabulary/arguments.ts";
import { boolean, integer, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { indicesBy, takeIntegers } from "./generator.ts";
import { checkSized, type Sampler, type Sized } from "./samplers.ts";

/** Options of `data.DistributedSampler` by name. */
export interface DistributedSamplerOptions {
  /** How many processes share the dataset. Default: the size of the process group. */
  readonly numReplicas?: number;
  /** The rank of this process, from 0. Default: the one in the process group. */
  readonly rank?: number;
  /** Whether each epoch has another order. Default: true. */
  readonly shuffle?: boolean;
  /** Seeds the order, with the epoch added; the same on all ranks. Default: 0. */
  readonly seed?: number;
  /**
   * What happens if the number of items is not divisible by the number of processes: true leaves surplus items out,
   * false repeats some. Default: false.
   */
  readonly dropLast?: boolean;
}

const RULES = {
  numReplicas: optional((call, name, value) => checkInteger(call, name, value, 1)),
  rank: optional((call, name, value) => checkInteger(call, name, value, 0)),
  shuffle: boolean(true),
  seed: integer(0, 0),
  dropLast: boolean(false),
} satisfies OpenRules<DistributedSamplerOptions>;

/**
 * Indices of this process: every process of the group visits another part of the dataset, and all visit as many items.
 * Call `setEpoch` before each pass; without it every pass has the same order.
 *
 *     const sampler = new data.DistributedSampler(dataset);
 *     const loader = new data.DataLoader(dataset, { batchSize: 32, sampler });
 *     for (let epoch = 0; epoch < 10; epoch++) {
 *       sampler.setEpoch(epoch);
 *       for (const batch of loader) step(batch);
 *     }
 *
 * @throws TypeError where there is no process group, and `numReplicas` and `rank` are not given
 */
export class DistributedSampler implements Sampler {
  /** Indices of one pass. */
  readonly length: number;
  readonly numReplicas: number;
  readonly rank: number;
  readonly #source: Sized;
  readonly #shuffle: boolean;
  readonly #seed: number;
  readonly #dropLast: boolean;
  #epoch = 0;

  constructor(source: Sized, options: DistributedSamplerOptions = {}) {
    const call = "new data.DistributedSampler";
    this.#source = checkSized(call, source);
    const read = readOptions(call, options, RULES);
    if ((read.numReplicas === undefined || read.rank === undefined) && !isInitialized())
      throw new TypeError(
        `${call}: there is no process group: call distributed.initProcessGroup() first, or pass numReplicas and rank.`,
      );
    this.numReplicas = read.numReplicas ?? getWorldSize();
    this.rank = read.rank ?? getRank();
    if (this.rank >= this.numReplicas)
      throw new RangeError(`${call}: rank must be below numReplicas, ${this.numReplicas}, got ${this.rank}.`);
    this.#shuffle = read.shuffle;
    this.#seed = read.seed;
    this.#dropLast = read.dropLast;
    const items = source.length;
    const share = items / this.numReplicas;
    this.length = this.#dropLast ? Math.floor(share) : Math.ceil(share);
  }

  *[Symbol.iterator](): globalThis.Generator<number, void, undefined> {
    const order = this.#order();
    if (order.length === 0) return;
    // Items from the beginning are repeated until all ranks have the same number.
    for (let i = 0; i < this.length; i++) yield order[(this.rank + i * this.numReplicas) % order.length]!;
  }

  #order(): ArrayLike<number> {
    const { length } = this.#source;
    if (!this.#shuffle) return Array.from({ length }, (_, i) => i);
    const generator = new Generator().manualSeed(this.#seed + this.#epoch);
    return takeIntegers(torchFunctions.randperm(length, indicesBy(generator)));
  }

  /** Chooses the order of the next pass. Call it on every rank with the same number. */
  setEpoch(epoch: number): void {
    this.#epoch = checkInteger("DistributedSampler.setEpoch", "epoch", epoch, 0);
  }
}
