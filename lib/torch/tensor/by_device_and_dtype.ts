// Sorts tensors into lists that one kernel can take: those of `_foreach_` operators must share device and dtype. PyTorch's
// `torch/utils/_foreach_utils.py` groups them so.
import { grouped } from "../../grouped.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "./tensor.ts";

/** In the order in which devices and dtypes first occur. */
export function byDeviceAndDType(tensors: readonly Tensor[]): Tensor[][] {
  const pairs = tensors.map(
    (tensor) => [`${native.device(tensor)} ${native.dtype(tensor)}`, tensor] as const,
  );
  return [...grouped(pairs).values()];
}
