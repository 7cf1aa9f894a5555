// Products of Jacobians with vectors, from the outputs and from the inputs
// (`torch/_functorch/eager_transforms.py`).
import { enableGrad } from "../autograd/autograd.ts";
import { native } from "../engine/native.ts";
import { tensorsIn } from "../tensor/nested.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { describe, requireFunction, shapeText } from "../vocabulary/arguments.ts";
import { chosen, gradientsOf, inPlaces, recorded, unwrapped } from "./gradients.ts";
import { withinGrad } from "./level.ts";
import type { Func, Structure } from "./function_types.ts";

/** What `vjp` needs of a function that was called with `inputs`. The graph is kept for every later call. */
export function pullbackOf(
  call: string,
  func: Func,
  inputs: readonly unknown[],
  places: readonly number[],
): { output: unknown; sources: unknown[]; pullback(cotangents: readonly Tensor[]): Tensor[] } {
  return withinGrad((level) =>
    enableGrad(() => {
      const { by, sources, result } = recorded(call, func, inputs, places, level);
      const outputs = tensorsIn(result);
      if (outputs.length === 0)
        throw new TypeError(`${call}: the function must return tensors, got ${describe(result)}.`);
      return {
        output: unwrapped(result, level),
        sources: by,
        pullback: (cotangents) => gradientsOf(outputs, sources, cotangents, native.gradEnabled()),
      };
    }),
  );
}

/** Checks gradients that are given for outputs. */
function checkedCotangents(call: string, outputs: readonly Tensor[], given: unknown): Tensor[] {
  const tensors = tensorsIn(given);
  if (tensors.length !== outputs.length)
    throw new RangeError(
      `${call}: ${outputs.length} tensors are needed, got ${tensors.length} in ${describe(given)}.`,
    );
  for (const [at, tensor] of tensors.entries()) {
    const [own, wanted] = [shapeText(native.shape(tensor)), shapeText(native.shape(outputs[at]!))];
    if (own !== wanted)
      throw new RangeError(`${call}: tensor ${at} of shape ${own} belongs to one of shape ${wanted}.`);
  }
  return tensors;
}

/**
 * `const [output, pullback] = torch.func.vjp(func, ...inputs)`: `pullback(cotangents)` gives the product of gradients of the
 * outputs with the Jacobian, a list with what belongs to each input.
 *
 * @throws where an input holds no tensor
 */
export function vjp<Inputs extends readonly unknown[], Output>(
  func: (...inputs: Inputs) => Output,
  ...inputs: Inputs
): [output: Output, pullback: (cotangents: Structure) => Structure] {
  const call = "torch.func.vjp";
  requireFunction(call, func);
  if (inputs.length === 0) throw new RangeError(`${call}: give the function's inputs.`);
  const places = chosen(
    call,
    inputs.map((_, at) => at),
    inputs,
  );
  const { output, sources, pullback } = pullbackOf(call, func, inputs, places);
  const outputs = tensorsIn(output);
  const back = (cotangents: unknown): unknown => {
    return inPlaces(sources, pullback(checkedCotangents(call, outputs, cotangents)));
  };
  return [output as Output, back];
}

/**
 * `const [output, tangent] = torch.func.jvp(func, inputs, tangents)`: the output, and the product of the Jacobian with
 * `tangents`: how the output changes along them. Computed by differentiating twice, which gives what PyTorch's forward mode
 * gives, up to the rounding.
 */
export function jvp<Inputs extends readonly unknown[]>(
  func: (...inputs: Inputs) => Structure,
  inputs: Inputs,
  tangents: readonly unknown[],
): [output: Structure, tangent: Structure] {
  const call = "torch.func.jvp";
  requireFunction(call, func);
  if (!Array.isArray(inputs)) throw new TypeError(`${call}: inputs must be a list, got ${describe(inputs)}.`);
  const places = chosen(
    call,
    inputs.map((_, at) => at),
    inputs,
  );
  const sources = tensorsIn(inputs);
  const along = checkedCotangents(call, sources, tangents);
  return pushed(call, func, inputs, places, along);
}

/** The output, and its change along `tangents` of the tensors in the arguments at `places`. */
export function pushed(
  call: string,
  func: Func,
  inputs: readonly unknown[],
  places: readonly number[],
  tangents: readonly Tensor[],
): [output: unknown, tangent: unknown] {
  const { output, pullback } = enableGrad(() => pullbackOf(call, func, inputs, places));
  const zeros = tensorsIn(output).map((tensor) => torchFunctions.zerosLike(tensor));
  // The product with the transposed Jacobian is linear in its vector, so its own transposed product is the forward one.
  const back = (...vectors: Tensor[]): Tensor[] => pullback(vectors);
  const linear = pullbackOf(call, back, zeros, [...zeros.keys()]);
  return [output, inPlaces(output, linear.pullback(tangents))];
}
