// Datasets made from other datasets: a subset, several in a row, a random split.
import { inspect } from "node:util";
import { partsText } from "./dataset_text.ts";
import { checkInteger, checkNumber, describe } from "../../vocabulary/arguments.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Dataset, IterableDataset } from "./dataset.ts";
import type { Generator } from "../../random/generator.ts";
import { checkGenerator, indicesBy, takeIntegers } from "../generator.ts";
import { checkIndices } from "../samplers.ts";

function checkIndexed<Item>(call: string, dataset: Dataset<Item>): Dataset<Item> {
  if (typeof dataset?.length === "number" && typeof dataset.get === "function") return dataset;
  throw new TypeError(`${call}: expected a dataset with length and get(index), got ${describe(dataset)}.`);
}

function checkWithin(call: string, index: number, length: number): number {
  checkInteger(call, "index", index, 0);
  if (index < length) return index;
  throw new RangeError(`${call}: index ${index} is outside a dataset of ${length} items.`);
}

/** The items of `dataset` at `indices`, in that order. */
export class Subset<Item = any> implements Dataset<Item> {
  readonly dataset: Dataset<Item>;
  readonly indices: readonly number[];
  readonly getBatch?: (indices: readonly number[]) => unknown;

  constructor(dataset: Dataset<Item>, indices: readonly number[]) {
    const call = "new data.Subset";
    this.dataset = checkIndexed(call, dataset);
    this.indices = checkIndices(call, indices);
    for (const index of indices) checkWithin(call, index, dataset.length);
    if (dataset.getBatch) {
      this.getBatch = (wanted) => dataset.getBatch!(wanted.map((position) => indices[position]!));
    }
  }

  get length(): number {
    return this.indices.length;
  }

  [inspect.custom](): string {
    return partsText(this.constructor.name, this.length, [this.dataset]);
  }

  /**
   * The part's item number `index`, taken from the whole dataset.
   *
   * @throws RangeError for an index outside of the part
   */
  get(index: number): Item {
    return this.dataset.get(this.indices[checkWithin("Subset.get", index, this.length)]!);
  }
}

/** Several datasets, one after the other. */
export class ConcatDataset<Item = any> implements Dataset<Item> {
  readonly datasets: readonly Dataset<Item>[];
  readonly length: number;

  constructor(datasets: readonly Dataset<Item>[]) {
    const call = "new data.ConcatDataset";
    if (!Array.isArray(datasets) || datasets.length === 0) {
      throw new TypeError(`${call}: expected a list of at least one dataset, got ${describe(datasets)}.`);
    }
    this.datasets = datasets.map((dataset) => checkIndexed<Item>(call, dataset as Dataset<Item>));
    this.length = this.datasets.reduce((sum, { length }) => sum + length, 0);
  }

  [inspect.custom](): string {
    return partsText(this.constructor.name, this.length, this.datasets);
  }

  /**
   * The item at `index`, counted through the datasets one after the other.
   *
   * @throws RangeError for an index outside of them
   */
  get(index: number): Item {
    let position = checkWithin("ConcatDataset.get", index, this.length);
    let dataset = 0;
    while (position >= this.datasets[dataset]!.length) position -= this.datasets[dataset++]!.length;
    return this.datasets[dataset]!.get(position);
  }
}

/** Several streams, one after the other. */
export class ChainDataset<Item = any> implements IterableDataset<Item> {
  readonly datasets: readonly Iterable<Item>[];

  constructor(datasets: readonly Iterable<Item>[]) {
    const iterable = (dataset: unknown): boolean =>
      typeof dataset === "object" && dataset !== null && Symbol.iterator in dataset;
    if (!Array.isArray(datasets) || !Array.from(datasets).every(iterable)) {
      throw new TypeError(`new data.ChainDataset: expected a list of iterables, got ${describe(datasets)}.`);
    }
    this.datasets = datasets;
  }

  *[Symbol.iterator](): globalThis.Generator<Item, void, undefined> {
    for (const dataset of this.datasets) yield* dataset;
  }
}

/**
 * Sizes of the parts. Fractions that add up to one are converted to counts, and the remainder is distributed one by one
 * from the first part on.
 */
function splitLengths(call: string, lengths: readonly number[], total: number): number[] {
  for (const [i, length] of lengths.entries()) checkNumber(call, `lengths[${i}]`, length, { min: 0 });
  const sum = lengths.reduce((a, b) => a + b, 0);
  // PyTorch's test for fractions: math.isclose(sum, 1) and sum <= 1.
  if (sum <= 1 && 1 - sum <= 1e-9) {
    const counts = lengths.map((fraction) => Math.floor(total * fraction));
    const left = total - counts.reduce((a, b) => a + b, 0);
    for (let i = 0; i < left; i++) counts[i % counts.length]!++;
    return counts;
  }
  for (const [i, length] of lengths.entries()) checkInteger(call, `lengths[${i}]`, length, 0);
  if (sum === total) return [...lengths];
  throw new RangeError(
    `${call}: the lengths ${lengths.join(" + ")} make ${sum}, the dataset has ${total} items; give counts that make ${total}, or fractions that make 1.`,
  );
}

/** `randomSplit(dataset, [0.8, 0.2], new torch.Generator().manualSeed(1))`: parts that do not overlap, as counts or fractions. */
export function randomSplit<Item>(
  dataset: Dataset<Item>,
  lengths: readonly number[],
  generator?: Generator,
): Subset<Item>[] {
  const call = "data.randomSplit";
  const { length } = checkIndexed(call, dataset);
  if (!Array.isArray(lengths) || lengths.length === 0) {
    throw new TypeError(`${call}: lengths must be a list of counts or fractions, got ${describe(lengths)}.`);
  }
  const counts = splitLengths(call, lengths, length);
  const drawn = torchFunctions.randperm(length, indicesBy(checkGenerator(call, generator)));
  const order = Array.from(takeIntegers(drawn));
  let start = 0;
  return counts.map((count) => new Subset(dataset, order.slice(start, (start += count))));
}
