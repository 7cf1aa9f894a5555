// Declares datasets: a length and an item at each index, or a stream of items. `loader.ts` makes batches from them.
import { inspect } from "node:util";
import { tensorsText } from "./dataset_text.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkList, describe } from "../../vocabulary/arguments.ts";

export interface Dataset<Item = any> {
  readonly length: number;
  get(index: number): Item;
  /** A whole batch at once, already collated, for datasets that can. */
  getBatch?(indices: readonly number[]): unknown;
}

/** Items one after the other, each pass from the start: a file's lines, a database's rows. */
export interface IterableDataset<Item = any> extends Iterable<Item> {
  /** How many items a pass has, if it is known. */
  readonly length?: number;
}

/** Indices as an int64 tensor on the CPU. */
function indexTensor(indices: readonly number[]): Tensor {
  for (const index of indices)
    if (!Number.isInteger(index)) checkInteger("TensorDataset.getBatch", "an index", index, 0);
  const doubles = native.fromTypedArray(Float64Array.from(indices), [indices.length], "float64");
  const integers = doubles.to("int64");
  native.dispose(doubles);
  return integers;
}

/** Items along the first dimension of tensors of equal length: `new TensorDataset(images, labels)`. */
export class TensorDataset<const Tensors extends readonly Tensor[] = readonly Tensor[]> implements Dataset<{
  [K in keyof Tensors]: Tensor;
}> {
  readonly tensors: Tensors;
  readonly length: number;

  constructor(...tensors: Tensors) {
    const call = "new data.TensorDataset";
    if (tensors.length === 0) throw new TypeError(`${call}: expected at least one tensor, got none.`);
    for (const [position, tensor] of tensors.entries()) {
      if (!native.isTensor(tensor)) {
        throw new TypeError(`${call}: argument ${position} must be a tensor, got ${describe(tensor)}.`);
      }
      if (native.dim(tensor) === 0) {
        throw new RangeError(`${call}: argument ${position} has no first dimension to take items from.`);
      }
    }
    const lengths = tensors.map((tensor) => native.shape(tensor)[0]!);
    if (new Set(lengths).size > 1) {
      throw new RangeError(`${call}: the tensors differ in length: ${lengths.join(", ")}.`);
    }
    this.tensors = tensors;
    this.length = lengths[0]!;
  }

  /**
   * The row `index` of each tensor.
   *
   * @throws RangeError for an index outside of them
   */
  get(index: number): { [K in keyof Tensors]: Tensor } {
    checkInteger("TensorDataset.get", "index", index, 0);
    if (index >= this.length) {
      throw new RangeError(`TensorDataset.get: index ${index} is outside a dataset of ${this.length} items.`);
    }
    return this.tensors.map((tensor) => tensor.select(0, index)) as { [K in keyof Tensors]: Tensor };
  }

  [inspect.custom](): string {
    return tensorsText(this.constructor.name, this.length, this.tensors);
  }

  /** Returns those rows of each tensor, [indices, ...], with one operator for each tensor. */
  getBatch(indices: readonly number[]): { [K in keyof Tensors]: Tensor } {
    const onCpu = indexTensor(checkList("TensorDataset.getBatch", "indices", indices));
    const batch = this.tensors.map((tensor) => {
      const device = native.device(tensor);
      if (device === "cpu") return tensor.indexSelect(0, onCpu);
      const moved = onCpu.to(device);
      const part = tensor.indexSelect(0, moved);
      native.dispose(moved);
      return part;
    });
    native.dispose(onCpu);
    return batch as { [K in keyof Tensors]: Tensor };
  }
}
