// Jacobians and Hessians by vmap: one backward for all outputs at once (`torch/_functorch/eager_transforms.py`).
import { native } from "../engine/native.ts";
import { mapTensors, tensorsIn } from "../tensor/nested.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { requireFunction } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { choice, integer, nullable, readOptions, type Rules } from "../vocabulary/options.ts";
import { chosen, type GradOptions, inPlaces, outputOf, RULES } from "./gradients.ts";
import { RANDOMNESS, type Randomness } from "./level.ts";
import { pullbackOf, pushed } from "./products.ts";
import { vmap } from "./vmap.ts";
import type { Func, OfTensors, Structure } from "./function_types.ts";

export interface JacrevOptions extends GradOptions {
  /** How many rows of the Jacobian are computed at once, which bounds the memory; null for all. Default: null. */
  readonly chunkSize?: number | null;
}

export interface JacfwdOptions extends GradOptions {
  /** What a random operator does: fail, draw for each column anew, or draw once for all. Default: `"error"`. */
  readonly randomness?: Randomness;
}

/** The options in a last object, or by their places. */
export type JacrevPlaces = [
  argnums?: number | readonly number[] | JacrevOptions,
  hasAux?: boolean | JacrevOptions,
  options?: JacrevOptions,
];

/** The options in a last object, or by their places. */
export type JacfwdPlaces = [
  argnums?: number | readonly number[] | JacfwdOptions,
  hasAux?: boolean | JacfwdOptions,
  options?: JacfwdOptions,
];

const JACREV_RULES: Rules<JacrevOptions> = { ...RULES, chunkSize: nullable(integer(1, 1)) };
const JACFWD_RULES: Rules<JacfwdOptions> = { ...RULES, randomness: choice("error", RANDOMNESS) };

/** For each tensor, all vectors with one 1, stacked: those of the other tensors are zeros there. */
function basisOf(tensors: readonly Tensor[]): Tensor[] {
  const counts = tensors.map((tensor) => native.numel(tensor));
  const all = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  return tensors.map((tensor, at) => {
    const block = torchFunctions.zeros([all, counts[at]!], {
      dtype: native.dtype(tensor),
      device: native.device(tensor),
    });
    block.narrow(0, before, counts[at]!).fillDiagonal_(1);
    before += counts[at]!;
    return block.view([all, ...native.shape(tensor)]);
  });
}

/** Cuts the rows of a stack into one part for each tensor, of which the rows have its shape. */
function rowsOf(stack: Tensor, tensors: readonly Tensor[]): Tensor[] {
  const parts = stack.split(
    tensors.map((tensor) => native.numel(tensor)),
    0,
  );
  const of = native.shape(stack).slice(1);
  return parts.map((part, at) => part.reshape([...native.shape(tensors[at]!), ...of]));
}

function jacobianFunction<Options extends GradOptions>(
  call: string,
  func: Func,
  given: readonly unknown[],
  rules: Rules<Options>,
  compute: (
    func: Func,
    inputs: readonly unknown[],
    places: readonly number[],
    options: Required<Options>,
  ) => Computed,
): Func {
  requireFunction(call, func);
  const placed = optionsByPlace<Options>(call, ["argnums", "hasAux"], given);
  const options = readOptions<Options>(call, placed, rules);
  const { argnums, hasAux } = options as Required<GradOptions>;
  return (...inputs) => {
    let aux: unknown;
    const own: Func = (...values) => {
      const [output, more] = outputOf(call, func(...values), hasAux);
      aux = more;
      return output;
    };
    const places = chosen(call, argnums, inputs);
    const { output, blocks } = compute(own, inputs, places, options);
    const by = places.map((place) => inputs[place]);
    let row = 0;
    const jacobian = mapTensors(output, () => {
      const found = inPlaces(by, blocks[row++]!) as unknown[];
      return typeof argnums === "number" ? found[0] : found;
    });
    return hasAux ? [jacobian, aux] : jacobian;
  };
}

interface Computed {
  readonly output: unknown;
  /** For each tensor of the output the derivatives by each tensor of the inputs. */
  readonly blocks: Tensor[][];
}

/**
 * A function that gives the Jacobian of `func`: for an output of shape [a] and an input of shape [b] a tensor of shape
 * [a, b]. Right for fewer outputs than inputs; `jacfwd` for fewer inputs.
 */
export function jacrev<F extends OfTensors>(
  func: F,
  ...given: JacrevPlaces
): (...inputs: Parameters<F>) => Structure;
export function jacrev<F extends Func>(
  func: F,
  ...given: JacrevPlaces
): (...inputs: Parameters<F>) => Structure;
export function jacrev(func: Func, ...given: readonly unknown[]): Func {
  const call = "torch.func.jacrev";
  return jacobianFunction(call, func, given, JACREV_RULES, (own, inputs, places, { chunkSize }) => {
    const { output, sources, pullback } = pullbackOf(call, own, inputs, places);
    const outputs = tensorsIn(output);
    const stacks = vmap((...vectors: Tensor[]) => pullback(vectors), { chunkSize })(...basisOf(outputs));
    const columns = stacks.map((stack) => rowsOf(stack, outputs));
    return { output, blocks: outputs.map((_, row) => tensorsIn(sources).map((_, at) => columns[at]![row]!)) };
  });
}

/**
 * As `jacrev`, from the inputs to the outputs: right for fewer inputs than outputs. Computed by differentiating twice, which
 * gives what PyTorch's forward mode gives, up to the rounding.
 */
export function jacfwd<F extends OfTensors>(
  func: F,
  ...given: JacfwdPlaces
): (...inputs: Parameters<F>) => Structure;
export function jacfwd<F extends Func>(
  func: F,
  ...given: JacfwdPlaces
): (...inputs: Parameters<F>) => Structure;
export function jacfwd(func: Func, ...given: readonly unknown[]): Func {
  const call = "torch.func.jacfwd";
  return jacobianFunction(call, func, given, JACFWD_RULES, (own, inputs, places, { randomness }) => {
    const sources = tensorsIn(places.map((place) => inputs[place]));
    let output: unknown;
    const along = (...tangents: Tensor[]): Tensor[] => {
      const [value, tangent] = pushed(call, own, inputs, places, tangents);
      output = value;
      return tensorsIn(tangent);
    };
    // The stack of an output has the inputs' elements first; they are the last dimensions of a Jacobian.
    const stacks = vmap(along, { outDims: -1, randomness })(...basisOf(sources));
    const blocks = stacks.map((stack) => {
      const parts = stack.split(
        sources.map((source) => native.numel(source)),
        -1,
      );
      const of = native.shape(stack).slice(0, -1);
      return parts.map((part, at) => part.reshape([...of, ...native.shape(sources[at]!)]));
    });
    return { output, blocks };
  });
}

/**
 * A function that gives the second derivatives of `func`: `jacfwd` of `jacrev`. For an output of shape [] and an input of
 * shape [b] a tensor of shape [b, b].
 */
export function hessian<F extends OfTensors>(
  func: F,
  argnums?: GradOptions["argnums"] | Pick<GradOptions, "argnums">,
): (...inputs: Parameters<F>) => Structure;
export function hessian<F extends Func>(
  func: F,
  argnums?: GradOptions["argnums"] | Pick<GradOptions, "argnums">,
): (...inputs: Parameters<F>) => Structure;
export function hessian(func: Func, ...given: readonly unknown[]): Func {
  const call = "torch.func.hessian";
  requireFunction(call, func);
  const placed = optionsByPlace<GradOptions>(call, ["argnums"], given);
  const { argnums } = readOptions(call, placed, { argnums: RULES.argnums });
  return jacfwd(jacrev(func as (...inputs: Tensor[]) => unknown, { argnums }), { argnums });
}
