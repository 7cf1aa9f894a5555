// Combines datasets side by side: an item holds one item of each.
import { describe, isRecord } from "../../vocabulary/arguments.ts";
import type { Dataset } from "./dataset.ts";
import { isIndexed } from "../fetch.ts";

type Datasets = readonly Dataset<unknown>[] | Readonly<Record<string, Dataset<unknown>>>;
type Items<Given extends Datasets> = {
  -readonly [K in keyof Given]: Given[K] extends Dataset<infer Item> ? Item : never;
};

/** `new StackDataset([images, captions])` has items `[image, caption]`, `new StackDataset({ image, text })` objects. */
export class StackDataset<const Given extends Datasets = any> implements Dataset<Items<Given>> {
  readonly datasets: Given;
  readonly length: number;

  constructor(datasets: Given) {
    const call = "new data.StackDataset";
    const given: unknown = datasets;
    const all = Array.isArray(given) || isRecord(given) ? Object.entries(given) : [];
    if (all.length === 0)
      throw new TypeError(`${call}: expected a list or an object of datasets, got ${describe(given)}.`);
    for (const [name, dataset] of all) {
      if (typeof dataset !== "object" || dataset === null || !isIndexed(dataset))
        throw new TypeError(
          `${call}: ${name} must be a dataset with length and get(index), got ${describe(dataset)}.`,
        );
    }
    const lengths = all.map(([, dataset]) => (dataset as Dataset<unknown>).length);
    if (new Set(lengths).size > 1)
      throw new RangeError(`${call}: the datasets differ in length: ${lengths.join(", ")}.`);
    this.datasets = datasets;
    this.length = lengths[0]!;
  }

  /** The items at `index` of all datasets, in a list or under their names. */
  get(index: number): Items<Given> {
    const item = (dataset: Dataset<unknown>) => dataset.get(index);
    if (Array.isArray(this.datasets)) return this.datasets.map(item) as Items<Given>;
    const entries = Object.entries(this.datasets as Record<string, Dataset<unknown>>);
    return Object.fromEntries(entries.map(([name, dataset]) => [name, item(dataset)])) as Items<Given>;
  }
}
