// Applies a transform to a dataset's images when they are read. Transforms whole batches at once where the result is
// the same.
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Dataset } from "./dataset.ts";
import { isIndexed } from "../fetch.ts";
import { Transform } from "../transforms/transform.ts";

type ImageFunction = (image: Tensor) => Tensor;

/** An image, or a tuple that begins with an image. */
type Item = Tensor | readonly [image: Tensor, ...rest: unknown[]];

function withImage<Given>(item: Given, change: ImageFunction): Given {
  if (native.isTensor(item)) return change(item) as Given;
  if (Array.isArray(item) && native.isTensor(item[0])) return [change(item[0]), ...item.slice(1)] as Given;
  throw new TypeError(
    `TransformedDataset: expected an image tensor or a tuple that begins with one, got ${describe(item)}.`,
  );
}

/**
 * `new data.TransformedDataset(new data.TensorDataset(images, labels), transform)`: items are images [channels, height,
 * width], or tuples that begin with one. Each image draws random numbers of its own.
 */
export class TransformedDataset<Given extends Item = any> implements Dataset<Given> {
  readonly dataset: Dataset<Given>;
  readonly transform: ImageFunction;
  readonly getBatch?: (indices: readonly number[]) => unknown;

  constructor(dataset: Dataset<Given>, transform: ImageFunction) {
    const call = "new data.TransformedDataset";
    const given: unknown = dataset;
    if (typeof given !== "object" || given === null || native.isTensor(given) || !isIndexed(dataset))
      throw new TypeError(
        `${call}: expected a dataset with length and get(index), got ${describe(dataset)}.`,
      );
    if (typeof transform !== "function")
      throw new TypeError(`${call}: the transform must be a function, got ${describe(transform)}.`);
    this.dataset = dataset;
    this.transform = transform;
    if (dataset.getBatch && transform instanceof Transform) {
      this.getBatch = (indices) => withImage(dataset.getBatch!(indices), (batch) => transform.each(batch));
    }
  }

  get length(): number {
    return this.dataset.length;
  }

  /**
   * The item at `index` with its image transformed.
   *
   * @throws RangeError for an index outside of the dataset
   */
  get(index: number): Given {
    checkInteger("TransformedDataset.get", "index", index, 0);
    return withImage(this.dataset.get(index), (image) => this.transform(image));
  }
}
