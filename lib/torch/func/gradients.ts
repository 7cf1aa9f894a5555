// Gradients of functions as functions (`torch/_functorch/eager_transforms.py`). What is differentiated may be an object
// of tensors, as a model's parameters are.
import { enableGrad } from "../autograd/autograd.ts";
import { gradients } from "../autograd/gradients.ts";
import { native } from "../engine/native.ts";
import { mapTensors, tensorsIn } from "../tensor/nested.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkInteger, describe, requireFunction, shapeText } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { boolean, readOptions, type Rules } from "../vocabulary/options.ts";
import { called, withinGrad } from "./level.ts";
import type { FirstOf, Func, OfTensors, Structure } from "./function_types.ts";

export interface GradOptions {
  /** The argument, counted from 0, by which the function is differentiated, or a list of them. Default: 0. */
  readonly argnums?: number | readonly number[];
  /** Whether the function returns `[output, more]`, of which `more` is passed on. Default: false. */
  readonly hasAux?: boolean;
}

/** The options in a last object, or by their places. */
export type GradPlaces = [
  argnums?: number | readonly number[] | GradOptions,
  hasAux?: boolean | GradOptions,
  options?: GradOptions,
];

export const RULES: Rules<GradOptions> = {
  argnums: {
    fallback: 0,
    check(call, name, value) {
      if (!Array.isArray(value)) return checkInteger(call, name, value, -Infinity);
      if (value.length === 0) throw new RangeError(`${call}: ${name} is empty: name an argument.`);
      return value.map((place, at) => checkInteger(call, `${name}[${at}]`, place, -Infinity));
    },
  },
  hasAux: boolean(false),
};

/** The arguments that `argnums` names, from the end where it is negative. */
export function chosen(
  call: string,
  argnums: number | readonly number[],
  inputs: readonly unknown[],
): number[] {
  const places = typeof argnums === "number" ? [argnums] : [...argnums];
  return places.map((place) => {
    const at = place < 0 ? place + inputs.length : place;
    if (at < 0 || at >= inputs.length)
      throw new RangeError(`${call}: argnums is ${place}, and the function got ${inputs.length} arguments.`);
    if (tensorsIn(inputs[at]).length === 0)
      throw new TypeError(`${call}: argument ${at} holds no tensor, got ${describe(inputs[at])}.`);
    return at;
  });
}

/** The gradients in the places of the inputs; zeros where an output does not depend on one. */
export function gradientsOf(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  gradOutputs: readonly Tensor[],
  createGraph: boolean,
): Tensor[] {
  const found = gradients(outputs, inputs, gradOutputs, createGraph);
  return found.map((gradient, at) => gradient ?? torchFunctions.zerosLike(inputs[at]!));
}

export const unwrapped = (value: unknown, level: number): unknown =>
  mapTensors(value, (tensor) => native.unwrapForGrad(tensor, level));

/** Calls a function at the level of a transform, recorded from the tensors of the arguments at `places` on. */
export function recorded(
  call: string,
  func: Func,
  inputs: readonly unknown[],
  places: readonly number[],
  level: number,
): { by: unknown[]; sources: Tensor[]; result: unknown } {
  const own = mapTensors(inputs, (tensor) => native.wrapForGrad(tensor, level)) as unknown[];
  const by = places.map((place) => own[place]);
  const sources = tensorsIn(by);
  for (const source of sources) source.requiresGrad_();
  return { by, sources, result: called(call, func, own) };
}

/** The same structure with other tensors in the places of its own, from left to right. */
export function inPlaces(value: unknown, tensors: readonly Tensor[]): unknown {
  let next = 0;
  return mapTensors(value, () => tensors[next++]!);
}

/** The output of a function, and what it returned beside. */
export function outputOf(call: string, result: unknown, hasAux: boolean): [output: unknown, aux: unknown] {
  if (!hasAux) return [result, undefined];
  if (!Array.isArray(result) || result.length !== 2)
    throw new TypeError(`${call}: with hasAux the function returns [output, more], got ${describe(result)}.`);
  return [result[0], result[1]];
}

function requireScalar(call: string, output: unknown): Tensor {
  if (!native.isTensor(output))
    throw new TypeError(
      `${call}: the function must return a tensor of one element, got ${describe(output)}.`,
    );
  if (native.dim(output) !== 0)
    throw new RangeError(
      `${call}: the function must return a tensor of shape [], got ${shapeText(native.shape(output))}: reduce it with sum() or mean().`,
    );
  return output;
}

/** The function that computes the gradients, and what it returns besides. */
function gradientFunction<Returned>(
  call: string,
  func: Func,
  given: readonly unknown[],
  returned: (gradients: unknown, output: unknown, aux: unknown, hasAux: boolean) => Returned,
): (...inputs: readonly unknown[]) => Returned {
  requireFunction(call, func);
  const placed = optionsByPlace<GradOptions>(call, ["argnums", "hasAux"], given);
  const { argnums, hasAux } = readOptions<GradOptions>(call, placed, RULES);
  return (...inputs) => {
    const places = chosen(call, argnums, inputs);
    return withinGrad((level) =>
      enableGrad(() => {
        const { by, sources, result } = recorded(call, func, inputs, places, level);
        const [output, aux] = outputOf(call, result, hasAux);
        const slopes = gradientsOf([requireScalar(call, output)], sources, [], true);
        const placed = inPlaces(by, slopes) as unknown[];
        const [found, value, more] = unwrapped([placed, output, aux], level) as [unknown[], unknown, unknown];
        return returned(typeof argnums === "number" ? found[0] : found, value, more, hasAux);
      }),
    );
  };
}

/**
 * A function that gives the gradient of `func` by one of its arguments, of the argument's structure. `func` returns one
 * number. It may stand inside of `vmap` and of itself.
 *
 *     torch.func.grad((x) => x.sin())(torch.zeros([]))   // 1, the cosine of 0
 *
 * @returns with `hasAux` a function of `[gradient, more]`; with a list of `argnums` the gradient is a list
 */
export function grad<F extends OfTensors>(func: F): (...inputs: Parameters<F>) => FirstOf<F>;
export function grad<F extends Func>(func: F): (...inputs: Parameters<F>) => FirstOf<F>;
export function grad<F extends OfTensors>(
  func: F,
  ...given: GradPlaces
): (...inputs: Parameters<F>) => Structure;
export function grad<F extends Func>(func: F, ...given: GradPlaces): (...inputs: Parameters<F>) => Structure;
export function grad(func: Func, ...given: readonly unknown[]): Func {
  return gradientFunction("torch.func.grad", func, given, (gradients, _, aux, hasAux) =>
    hasAux ? [gradients, aux] : gradients,
  );
}

/**
 * As `grad`, with the value: a function that gives `[gradient, output]`.
 *
 * @returns with `hasAux` a function of `[gradient, [output, more]]`
 */
export function gradAndValue<F extends OfTensors>(
  func: F,
): (...inputs: Parameters<F>) => [gradient: FirstOf<F>, value: Tensor];
export function gradAndValue<F extends Func>(
  func: F,
): (...inputs: Parameters<F>) => [gradient: FirstOf<F>, value: Tensor];
export function gradAndValue<F extends OfTensors>(
  func: F,
  ...given: GradPlaces
): (...inputs: Parameters<F>) => [gradient: Structure, value: Structure];
export function gradAndValue<F extends Func>(
  func: F,
  ...given: GradPlaces
): (...inputs: Parameters<F>) => [gradient: Structure, value: Structure];
export function gradAndValue(
  func: Func,
  ...given: readonly unknown[]
): (...inputs: readonly unknown[]) => [gradient: Structure, value: Structure] {
  return gradientFunction("torch.func.gradAndValue", func, given, (gradients, output, aux, hasAux) =>
    hasAux ? [gradients, [output, aux]] : [gradients, output],
  );
}
