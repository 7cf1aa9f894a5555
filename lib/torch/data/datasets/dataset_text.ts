// Names a dataset in one line, where its items would fill pages: `TensorDataset of 64 items: float32 [64, 4]`.
import { inspect } from "node:util";
import { counted } from "../../../words.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { shapeText } from "../../vocabulary/arguments.ts";

export function tensorsText(name: string, length: number, tensors: readonly Tensor[]): string {
  const parts = tensors.map((tensor) =>
    tensor.isDisposed ? "disposed" : `${tensor.dtype} ${shapeText(tensor.shape)}`,
  );
  return `${name} of ${counted(length, "item")}: ${parts.join(", ")}`;
}

/** A dataset that is made of others. */
export function partsText(name: string, length: number, parts: readonly object[]): string {
  return `${name} of ${counted(length, "item")} of ${parts.map(nameOf).join("; ")}`;
}

function nameOf(dataset: object): string {
  if (inspect.custom in dataset) return inspect(dataset);
  const { length } = dataset as { readonly length?: number };
  const name = dataset.constructor?.name ?? "a dataset";
  return length === undefined ? name : `${name} of ${counted(length, "item")}`;
}
