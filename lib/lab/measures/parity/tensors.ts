// Lists the tensors of a model that two devices must agree on, by name and group, and computes how far two of them
// differ.
import type { DType } from "../../../torch/vocabulary/dtype.ts";
import { noGrad } from "../../../torch/autograd/autograd.ts";
import { native } from "../../../torch/engine/native.ts";
import type { Module } from "../../../torch/nn/module/module.ts";
import { tidy } from "../../../torch/tensor/scope.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import type { ParityGroup, Tolerance } from "./tolerance.ts";

export interface TensorDelta {
  /** `0.weight`, `grad of 0.weight`, `1.runningMean`. */
  readonly name: string;
  readonly group: ParityGroup;
  readonly dtype: DType;
  readonly largestDifference: number;
  /**
   * The largest difference as a multiple of its tolerance; above 1 it is too large. Null if one of the two values is
   * not finite.
   */
  readonly tolerances: number | null;
}

export interface NamedTensor {
  readonly name: string;
  readonly group: ParityGroup;
  readonly tensor: Tensor;
}

export function tensorsOf(model: Module): NamedTensor[] {
  const found: NamedTensor[] = [];
  const groups = groupsByPath(model);
  const groupOf = (path: string): ParityGroup => groups.get(path.replace(/\.?[^.]*$/, "")) ?? "other weights";
  for (const [name, parameter] of model.namedParameters()) {
    const group = groupOf(name);
    found.push({ name, group: group === "norm statistics" ? "other weights" : group, tensor: parameter });
    const grad = native.grad(parameter);
    if (grad !== null) found.push({ name: `grad of ${name}`, group: "gradients", tensor: grad });
  }
  for (const [name, tensor] of model.namedBuffers()) found.push({ name, group: groupOf(name), tensor });
  return found;
}

function groupsByPath(model: Module): Map<string, ParityGroup> {
  const groups = new Map<string, ParityGroup>();
  for (const [path, module] of model.namedModules()) {
    const kind = module.constructor.name;
    if (/^(Lazy)?Conv/.test(kind)) groups.set(path, "convolution weights");
    if (/Norm/.test(kind)) groups.set(path, "norm statistics");
  }
  return groups;
}

/** Computes the difference in double precision on the CPU. */
export function deltaOf(
  { name, group, tensor }: NamedTensor,
  other: Tensor,
  { relative, absolute, relativeTo = "element" }: Tolerance,
  factor: number,
): TensorDelta {
  return noGrad(() =>
    tidy(() => {
      const a = tensor.detach().cpu().double();
      const b = other.detach().cpu().double();
      const apart = a.sub(b).abs();
      const size = relativeTo === "element" || b.numel() === 0 ? b.abs() : b.abs().max();
      const allowed = size.mul(relative).add(absolute).mul(factor);
      const largestDifference = apart.numel() === 0 ? 0 : apart.max().item();
      const tolerances = apart.numel() === 0 ? 0 : apart.div(allowed).max().item();
      return {
        name,
        group,
        dtype: native.dtype(tensor),
        largestDifference: Number.isFinite(largestDifference) ? largestDifference : Number.MAX_VALUE,
        tolerances: Number.isFinite(tolerances) ? tolerances : null,
      };
    }),
  );
}
