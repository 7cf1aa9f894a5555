// Gradients of functions of which an output may depend on no input, which `grad` refuses.
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { grad } from "./autograd.ts";

/** As `grad`, which keeps the graph; null for an input on which no output depends. An output without a given gradient has ones. */
export function gradients(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  gradOutputs: readonly (Tensor | null)[],
  createGraph: boolean,
): (Tensor | null)[] {
  const places = outputs.flatMap((output, at) => (native.requiresGrad(output) ? [at] : []));
  if (places.length === 0) return inputs.map(() => null);
  return grad(
    places.map((at) => outputs[at]!),
    inputs,
    {
      gradOutputs: places.map((at) => gradOutputs[at] ?? null),
      allowUnused: true,
      retainGraph: true,
      createGraph,
    },
  );
}
