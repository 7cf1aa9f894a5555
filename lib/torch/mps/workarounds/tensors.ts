// Operators and values that mps has trouble with, done another way: stages on the CPU, sparse products, updates that are
// not in place, sizes that its matrix units like, float64.
import { checkInteger, describe } from "../../arguments.ts";
import { noGrad } from "../../autograd.ts";
import type { DeviceName } from "../../native.ts";
import { native } from "../../native.ts";
import { convertTensor } from "../../nn/conversion.ts";
import * as functional from "../../nn/functional/index.ts";
import { Module } from "../../nn/module.ts";
import type { Tensor } from "../../tensor.ts";
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
 * A function that does the same on the CPU: tensors among its arguments go there, and those that it returns to the device
 * that the first came from. Gradients follow. For a stage without a Metal kernel, or with one that is wrong.
 *
 * @example const eigenvalues = mps.workarounds.onCpu((x: Tensor) => torch.linalg.eigvals(x).real);
 */
export function onCpu<Args extends unknown[], Result>(
  stage: (...args: Args) => Result,
): (...args: Args) => Result {
  if (typeof stage !== "function")
    throw new TypeError(`mps.workarounds.onCpu: expected a function, got ${describe(stage)}.`);
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
  if (!native.isTensor(tensor) || native.layout(tensor) === "strided")
    throw new TypeError(`${call}: expected a sparse tensor, got ${describe(tensor)}.`);
}

/** `sparse.matmul(dense)`, on the CPU where that is needed; the result is where `dense` is. */
export function sparseMatmul(sparse: Tensor, dense: Tensor): Tensor {
  requireSparse("mps.workarounds.sparseMatmul", sparse);
  const there = dense.device;
  if (there.startsWith("mps") && check("sparseMatmul").needed)
    return sparse.cpu().matmul(dense.cpu()).to(there);
  return sparse.to(there).matmul(dense);
}

/** `sparse.toDense()` on `device`, made on the CPU where that is needed. */
export function toDense(sparse: Tensor, device: DeviceName = "mps"): Tensor {
  requireSparse("mps.workarounds.toDense", sparse);
  if (device.startsWith("mps") && check("sparseToDense").needed) return sparse.cpu().toDense().to(device);
  return sparse.to(device).toDense();
}

/**
 * Gives `target` the value of `compute(target)`, as an operator in place would, but computed beside it: where
 * `check("inPlace")` finds those wrong. Records no gradient, as an optimizer's step. Returns `target`.
 *
 * @example mps.workarounds.outOfPlace(weight, (w) => w.sub(weight.grad!.mul(0.1)));
 */
export function outOfPlace(target: Tensor, compute: (value: Tensor) => Tensor): Tensor {
  noGrad(() => {
    const value = compute(target.contiguous());
    const same =
      value.shape.length === target.shape.length && value.shape.every((size, i) => size === target.shape[i]);
    if (!same) {
      throw new RangeError(
        `mps.workarounds.outOfPlace: the value must have the target's shape [${target.shape.join(", ")}], got [${value.shape.join(", ")}].`,
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

/** Zeros behind the end of a dimension, up to a multiple of 8. */
export function padToMultipleOf8(tensor: Tensor, dim = -1): Tensor {
  const call = "mps.workarounds.padToMultipleOf8";
  const rank = tensor.shape.length;
  checkInteger(call, "dim", dim, -rank);
  if (dim >= rank) throw new RangeError(`${call}: dim must be below ${rank}, got ${dim}.`);
  const at = dim < 0 ? dim + rank : dim;
  const missing = multipleOf8(tensor.shape[at]!) - tensor.shape[at]!;
  if (missing === 0) return tensor;
  return functional.pad(tensor, [...Array<number>(2 * (rank - 1 - at)).fill(0), 0, missing]);
}

/**
 * The same with float32 in place of float64, which mps has not: of a tensor, of a state dict and whatever else holds
 * tensors, and of a module in place, which is returned.
 */
export function float32For<T>(value: T): T {
  if (value instanceof Module) {
    for (const tensor of [...value.parameters(), ...value.buffers()])
      if (tensor.dtype === "float64") convertTensor(tensor, { dtype: "float32" });
    return value;
  }
  return mapTensors(value, (tensor) => (tensor.dtype === "float64" ? tensor.float() : tensor)) as T;
}
