// Makes a batch from what the samplers return: items by index, or the next items of a stream. The session's thread
// and the workers' threads run the same code.
import { describe } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { defaultCollate } from "./collate.ts";
import type { Dataset, IterableDataset } from "./datasets/dataset.ts";
import { noteCall } from "./workers/running_call.ts";
import { inStage } from "./stages.ts";

/** The data that a DataLoader reads: a dataset with items by index, a plain array, or a stream. */
export type Source<Item> = Dataset<Item> | IterableDataset<Item>;

/** The indices of a batch, or a single index if items are not batched (`batchSize: null`). */
export type Wanted = readonly number[] | number;

/** Returned in place of a batch when a stream has ended. */
export const END: unique symbol = Symbol("the end of the stream");

export interface FetchOptions {
  /** Makes a batch of items. Default: `data.defaultCollate`. */
  readonly collateFn?: ((items: never) => unknown) | undefined;
  /** Leaves out a last batch that is not full. */
  readonly dropLast: boolean;
}

export function isIndexed<Item>(source: Source<Item>): source is Dataset<Item> {
  return typeof (source as Dataset<Item>).get === "function" || Array.isArray(source);
}

export function checkSource<Item>(call: string, source: Source<Item>): Source<Item> {
  const given: unknown = source;
  const isObject = typeof given === "object" && given !== null && !native.isTensor(given);
  if (isObject && isIndexed(source) && typeof source.length === "number") return source;
  if (isObject && Symbol.iterator in given && !isIndexed(source)) return source;
  throw new TypeError(
    `${call}: expected a dataset with length and get(index), an array or an iterable, got ${describe(given)}.`,
  );
}

function indexed<Item>(dataset: Dataset<Item>, { collateFn }: FetchOptions): (wanted: Wanted) => unknown {
  const collate = collateFn as ((items: unknown) => unknown) | undefined;
  const list = Array.isArray(dataset) ? (dataset as readonly Item[]) : undefined;
  function at(index: number): Item {
    noteCall("get", index);
    return list ? list[index]! : dataset.get(index);
  }
  return (wanted) => {
    if (typeof wanted === "number") {
      const item = inStage("fetch", () => at(wanted));
      return collate ? collated(item, collate) : item;
    }
    if (!collate && dataset.getBatch) {
      noteCall("getBatch", wanted[0]);
      return inStage("fetch", () => dataset.getBatch!(wanted));
    }
    const items = inStage("fetch", () => wanted.map(at));
    return collated(items, collate ?? (defaultCollate as (items: unknown) => unknown));
  };
}

function collated(items: unknown, collate: (items: unknown) => unknown): unknown {
  noteCall("collate");
  return inStage("collate", () => collate(items));
}

function streamed<Item>(
  stream: IterableDataset<Item>,
  { collateFn, dropLast }: FetchOptions,
): (wanted: Wanted) => unknown {
  const collate = collateFn as ((items: unknown) => unknown) | undefined;
  const items = stream[Symbol.iterator]();
  function next(): IteratorResult<Item> {
    noteCall("next");
    return inStage("fetch", () => items.next());
  }
  return (wanted) => {
    if (typeof wanted === "number") {
      const { done, value } = next();
      return done ? END : collate ? collated(value, collate) : value;
    }
    const batch: Item[] = [];
    for (const _ of wanted) {
      const { done, value } = next();
      if (done) break;
      batch.push(value);
    }
    if (batch.length === 0 || (dropLast && batch.length < wanted.length)) return END;
    return collated(batch, collate ?? (defaultCollate as (items: unknown) => unknown));
  };
}

/** Returns a function that fetches the batches of one pass. The function returns `END` when a stream has ended. */
export function makeFetch<Item>(source: Source<Item>, options: FetchOptions): (wanted: Wanted) => unknown {
  return isIndexed(source) ? indexed(source, options) : streamed(source, options);
}
