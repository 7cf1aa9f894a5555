// Batches of a dataset, pass by pass. Random numbers are drawn as PyTorch's DataLoader draws them, so equal seeds give
// equal batches: one at the start of every pass (the workers' seed, drawn without them too), then the sampler's own.
import type { Collated } from "./collate.ts";
import { checkSource, END, makeFetch, type Source } from "./fetch.ts";
import { drawSeed } from "./generator.ts";
import { type LoaderOptions, type Plan, planLoader } from "./loader_options.ts";

export class DataLoader<Item, Batch = Collated<Item>> implements Iterable<Batch> {
  readonly dataset: Source<Item>;
  readonly #plan: Plan<Item, Batch>;

  constructor(dataset: Source<Item>, options?: LoaderOptions<Item, Batch>) {
    const call = "new data.DataLoader";
    this.dataset = checkSource(call, dataset);
    this.#plan = planLoader(call, dataset, options);
  }

  get batchSize(): number | null {
    return this.#plan.batchSize;
  }

  get dropLast(): boolean {
    return this.#plan.dropLast;
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
    drawSeed(this.#plan.generator);
    const fetch = makeFetch(this.dataset, this.#plan);
    for (const wanted of this.#plan.batches) {
      const batch = fetch(wanted);
      if (batch === END) return;
      yield batch as Batch;
    }
  }
}
