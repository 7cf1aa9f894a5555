// Draws normal numbers between two bounds: redraws what falls outside, or far out in the tails uses rejection from
// uniform numbers. The order of draws is PyTorch's, so equal seeds give equal numbers on the CPU.
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Generator } from "../../random/generator.ts";
import type { Tensor } from "../../tensor/tensor.ts";

function normalShare(from: number, to: number): number {
  const bounds = native.fromTypedArray(Float64Array.of(from, to), [2], "float64").div(Math.SQRT2);
  const [low, high] = torchFunctions.erf(bounds).tolist() as [number, number];
  return (high - low) / 2;
}

/** The bound as the tensor's dtype holds it. */
function rounded(bound: number, like: Tensor): number {
  const bounds = native.fromTypedArray(Float64Array.of(bound), [1], "float64");
  return bounds.to(native.dtype(like)).item();
}

const some = (mask: Tensor) => mask.any().item<boolean>();

interface Truncated {
  readonly mean: number;
  readonly std: number;
  readonly a: number;
  readonly b: number;
  readonly generator: Generator | undefined;
}

/** Fills the tensor in place. To be called without autograd. */
export function fillTruncatedNormal(tensor: Tensor, wanted: Truncated): void {
  const { mean, std, a, b } = wanted;
  const isCommon = normalShare((a - mean) / std, (b - mean) / std) > 0.3;
  const result = isCommon ? drawAgain(tensor, wanted) : reject(tensor, wanted);
  if (result !== tensor) tensor.copy_(result);
}

function drawAgain(tensor: Tensor, { mean, std, a, b, generator }: Truncated): Tensor {
  const [low, high] = [rounded(a, tensor), rounded(b, tensor)];
  let result = tensor.normal_(mean, std, { generator });
  for (;;) {
    const outside = result.lt(low).logicalOr(result.gt(high));
    if (!some(outside)) return result;
    const others = torchFunctions.emptyLike(result).normal_(mean, std, { generator });
    result = torchFunctions.where(outside, others, result);
  }
}

function reject(tensor: Tensor, { mean, std, a, b, generator }: Truncated): Tensor {
  const highest = Math.max(a, Math.min(mean, b));
  const logPeak = -0.5 * ((highest - mean) / std) ** 2;
  const chances = torchFunctions.emptyLike(tensor);
  const rejected = (candidates: Tensor): Tensor => {
    const logDensity = candidates.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(logPeak);
    return chances.uniform_(0, 1, { generator }).log_().gt(logDensity);
  };
  let result = tensor.uniform_(a, b, { generator });
  let pending = rejected(result);
  while (some(pending)) {
    const candidates = torchFunctions.emptyLike(tensor).uniform_(a, b, { generator });
    result = torchFunctions.where(pending, candidates, result);
    pending = pending.logicalAnd(rejected(candidates));
  }
  return result;
}
