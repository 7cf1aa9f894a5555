// Offers replacements for operators and values that have faults on mps: stages on the CPU, sparse products, updates out
// of place, sizes that suit the GPU's matrix units, float64.
import type { DeviceName } from "../../../vocabulary/device_name.ts";
import { checkFunction, checkInteger, describe, isRecord, shapeText } from "../../../vocabulary/arguments.ts";
import { requireDevice } from "../../../engine/device.ts";
import { noGrad } from "../../../autograd/autograd.ts";
import { native } from "../../../engine/native.ts";
import { convertTensor } from "../../../nn/module/conversion.ts";
import * as functional from "../../../nn/functional/index.ts";
import { Module } from "../../../nn/module/module.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { checkTensor } from "../../../tensor/tensor_arguments.ts";
import { check } from "./probes.ts";

/** Applies `change` to every tensor in lists and records, however deep; everything else stays. */
function mapTensors(value: unknown, change: (tensor: Tensor) => unknown): unknown {
  if (native.isTensor(value)) return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTensors(one, change));
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, mapTensors(one, change)]));
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTensors(one, change)]));
  return value;
}

/**
 * Returns a function that does the same on the CPU: tensors among its arguments are copied there, and tensors that it
 * returns are copied to the device of the first argument. Gradients flow through the copies. For a stage without a
 * Metal kernel, or with a wrong one.
 *
 * @example const eigenvalues = mps.workarounds.onCpu((x: Tensor) => torch.linalg.eigvals(x).real);
 */
export function onCpu<Args extends unknown[], Result>(
  stage: (...args: Args) => Result,
): (...args: Args) => Result {
  checkFunction("mps.workarounds.onCpu", "the stage", stage);
  return (...args) => {
    let home: DeviceName | null = null;
    const here = mapTensors(args, (tensor) => {
      home ??= tensor.device;
      return tensor.cpu();
    }) as Args;
    const result = stage(...here);
    return (home === null ? result : mapTensors(result, (tensor) => tensor.to(home!))) as Result;
  };
}

function requireSparse(call: string, tensor: Tensor): void {
  if (native.layout(checkTensor(call, "sparse", tensor)) === "strided")
    throw new TypeError(
      `${call}: sparse must be a sparse tensor, got one with strides; make it one with toSparse().`,
    );
}

/** `sparse.matmul(dense)`, computed on the CPU if that is needed; the result is on the device of `dense`. */
export function sparseMatmul(sparse: Tensor, dense: Tensor): Tensor {
  const call = "mps.workarounds.sparseMatmul";
  requireSparse(call, sparse);
  const there = checkTensor(call, "dense", dense).device;
  if (there.startsWith("mps") && check("sparseMatmul").needed !== false)
    return sparse.cpu().matmul(dense.cpu()).to(there);
  return sparse.to(there).matmul(dense);
}

/** `sparse.toDense()` on `device`, computed on the CPU if that is needed. */
export function toDense(sparse: Tensor, device: DeviceName = "mps"): Tensor {
  requireSparse("mps.workarounds.toDense", sparse);
  requireDevice(device);
  if (device.startsWith("mps") && check("sparseToDense").needed !== false)
    return sparse.cpu().toDense().to(device);
  return sparse.to(device).toDense();
}

/**
 * Gives `target` the value of `compute(target)`, as an in-place operator would, but computes it in new memory. For
 * devices on which `check("inPlace")` finds that in-place operators are wrong. Records no gradient, as an optimizer's
 * step. Returns `target`.
 *
 * @example mps.workarounds.outOfPlace(weight, (w) => w.sub(weight.grad!.mul(0.1)));
 */
export function outOfPlace(target: Tensor, compute: (value: Tensor) => Tensor): Tensor {
  const call = "mps.workarounds.outOfPlace";
  checkTensor(call, "target", target);
  checkFunction(call, "compute", compute);
  noGrad(() => {
    const value = checkTensor(call, "what compute returns", compute(target.contiguous()));
    if (shapeText(value.shape) !== shapeText(target.shape)) {
      throw new RangeError(
        `${call}: the value must have the target's shape ${shapeText(target.shape)}, got ${shapeText(value.shape)}.`,
      );
    }
    target.copy_(value);
  });
  return target;
}

/** The next multiple of 8: for widths of layers and heads, which Apple's matrix units take whole. */
export function multipleOf8(size: number): number {
  return Math.ceil(checkInteger("mps.workarounds.multipleOf8", "size", size, 0) / 8) * 8;
}

/** Pads a dimension with zeros at its end, up to a multiple of 8. */
export function padToMultipleOf8(tensor: Tensor, dim = -1): Tensor {
  const call = "mps.workarounds.padToMultipleOf8";
  const rank = checkTensor(call, "tensor", tensor).shape.length;
  checkInteger(call, "dim", dim, -rank);
  if (dim >= rank) throw new RangeError(`${call}: dim must be below ${rank}, got ${dim}.`);
  const at = dim < 0 ? dim + rank : dim;
  const missing = multipleOf8(tensor.shape[at]!) - tensor.shape[at]!;
  if (missing === 0) return tensor;
  return functional.pad(tensor, [...Array<number>(2 * (rank - 1 - at)).fill(0), 0, missing]);
}

/**
 * Converts float64, which mps does not have, to float32: in a tensor, in a state dict or anything else that holds
 * tensors, or in a module, which is changed in place and returned.
 */
export function float32For<T>(value: T): T {
  if (value instanceof Module) {
    for (const tensor of [...value.parameters(), ...value.buffers()])
      if (tensor.dtype === "float64") convertTensor(tensor, { dtype: "float32" });
    return value;
  }
  const holds = native.isTensor(value) || Array.isArray(value) || value instanceof Map || isRecord(value);
  if (!holds)
    throw new TypeError(
      `mps.workarounds.float32For: the value must be a tensor, a module, or lists and records of tensors, got ${describe(value)}.`,
    );
  return mapTensors(value, (tensor) => (tensor.dtype === "float64" ? tensor.float() : tensor)) as T;
}
