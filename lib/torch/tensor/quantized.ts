// Describes how a quantized tensor's integers represent numbers. Operators make and read such tensors:
// `torch.quantizePerTensor`, `x.intRepr()`, `x.dequantize()`.
import type { Tensor } from "../types/index.ts";
import { isQuantizedDType } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";

/** The schemes at the index of their number in c10::QScheme. */
const SCHEMES = [
  "per_tensor_affine",
  "per_channel_affine",
  "per_tensor_symmetric",
  "per_channel_symmetric",
  "per_channel_affine_float_qparams",
] as const;

export type QScheme = (typeof SCHEMES)[number];

const schemeOf = makeOperator("qscheme") as (tensor: Tensor) => number;

export function qscheme(tensor: Tensor): QScheme {
  const dtype = native.dtype(tensor);
  const scheme = isQuantizedDType(dtype) ? SCHEMES[schemeOf(tensor)] : undefined;
  if (scheme !== undefined) return scheme;
  throw new TypeError(
    `qscheme() is of quantized tensors, and this one is ${dtype}: torch.quantizePerTensor() makes one.`,
  );
}
