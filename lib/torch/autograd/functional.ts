// Computes Jacobians, Hessians and their products with vectors, using only `grad` (PyTorch's
// `torch/autograd/functional.py`). One tensor in, one tensor out; arrays in or out give arrays.
import { describe, requireFunction, shapeText } from "../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../vocabulary/options.ts";
import { enableGrad } from "./autograd.ts";
import { gradients } from "./gradients.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** One tensor, or several. */
export type Tensors = Tensor | readonly Tensor[];

/** Options of `jacobian`, `hessian` and their like by name. */
export interface DerivativeOptions {
  /** Record the derivative too, to differentiate it again. Default: false. */
  readonly createGraph?: boolean;
  /** Refuse what does not depend on an input, whose derivative is otherwise zero. Default: false. */
  readonly strict?: boolean;
}

type One = (input: Tensor) => Tensor;
type Function = (...inputs: Tensor[]) => Tensors;

const RULES: Rules<DerivativeOptions> = { createGraph: boolean(false), strict: boolean(false) };

const isOne = (tensors: Tensors): tensors is Tensor => native.isTensor(tensors);

function listOf(call: string, what: string, given: unknown): Tensor[] {
  const list: unknown = native.isTensor(given) ? [given] : given;
  if (!Array.isArray(list) || !list.every((one) => native.isTensor(one)))
    throw new TypeError(`${call}: ${what} must be a tensor or an array of tensors, got ${describe(given)}.`);
  if (list.length === 0) throw new RangeError(`${call}: ${what} must hold at least one tensor, got [].`);
  return list as Tensor[];
}

/**
 * The inputs by which the function is differentiated: with their history if the derivative shall be differentiable,
 * otherwise detached leaves.
 */
function prepare(inputs: readonly Tensor[], createGraph: boolean): Tensor[] {
  return inputs.map((input) => {
    if (createGraph) return native.requiresGrad(input) ? input.viewAs(input) : input.clone().requiresGrad_();
    return input.detach().requiresGrad_();
  });
}

const finish = (tensors: readonly Tensor[], createGraph: boolean): Tensor[] =>
  createGraph ? [...tensors] : tensors.map((tensor) => tensor.detach());

function requireDependence(call: string, outputs: readonly Tensor[], strict: boolean): void {
  const at = outputs.findIndex((output) => !native.requiresGrad(output));
  if (strict && at >= 0)
    throw new RangeError(`${call}: output ${at} of the function does not depend on its inputs (strict).`);
}

/** Replaces a missing gradient by zeros: the output does not depend on that input. */
function filled(
  call: string,
  gradients: readonly (Tensor | null)[],
  inputs: readonly Tensor[],
  strict: boolean,
): Tensor[] {
  return gradients.map((gradient, at) => {
    if (gradient) return gradient;
    if (strict) throw new RangeError(`${call}: the result does not depend on input ${at} (strict).`);
    return torchFunctions.zerosLike(inputs[at]!);
  });
}

/**
 * Checks a vector, whose shapes must be those of the tensors that it is multiplied with. Without one, it is ones, if
 * there is only one element.
 */
function vectorFor(
  call: string,
  v: Tensors | null | undefined,
  of: readonly Tensor[],
  what: string,
): Tensor[] {
  if (v === null || v === undefined) {
    if (of.length === 1 && native.numel(of[0]!) === 1) return [torchFunctions.onesLike(of[0]!)];
    throw new RangeError(
      `${call}: v may be left out where there is one ${what} of one element; give a tensor of its shape.`,
    );
  }
  const list = listOf(call, "v", v);
  if (list.length !== of.length)
    throw new RangeError(`${call}: v has ${list.length} tensors for ${of.length} ${what}s.`);
  for (const [at, vector] of list.entries()) {
    const [own, wanted] = [shapeText(native.shape(vector)), shapeText(native.shape(of[at]!))];
    if (own !== wanted)
      throw new RangeError(`${call}: v[${at}] has shape ${own}, and the ${what} ${wanted}.`);
  }
  return list;
}

interface Run {
  readonly inputs: Tensor[];
  readonly outputs: Tensor[];
  readonly oneInput: boolean;
  readonly oneOutput: boolean;
  readonly options: Required<DerivativeOptions>;
}

function run(
  call: string,
  func: (...inputs: Tensor[]) => unknown,
  given: Tensors,
  options: DerivativeOptions | undefined,
  records: boolean,
): Run {
  requireFunction(call, func);
  const read = readOptions<DerivativeOptions>(call, options, RULES);
  const inputs = prepare(listOf(call, "inputs", given), records);
  const result = func(...inputs);
  const outputs = listOf(call, "what the function returns", result);
  requireDependence(call, outputs, read.strict);
  return { inputs, outputs, oneInput: isOne(given), oneOutput: native.isTensor(result), options: read };
}

/**
 * All partial derivatives: for an output of shape [a] and an input of shape [b], a tensor of shape [a, b]. Several
 * outputs give an array for each, several inputs an array for each within.
 */
export function jacobian(func: One, inputs: Tensor, options?: DerivativeOptions): Tensor;
export function jacobian(
  func: (...inputs: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  options?: DerivativeOptions,
): Tensor[];
export function jacobian(
  func: (input: Tensor) => readonly Tensor[],
  inputs: Tensor,
  options?: DerivativeOptions,
): Tensor[];
export function jacobian(
  func: (...inputs: Tensor[]) => readonly Tensor[],
  inputs: readonly Tensor[],
  options?: DerivativeOptions,
): Tensor[][];
export function jacobian(
  func: Function,
  inputs: Tensors,
  options?: DerivativeOptions,
): Tensor | Tensor[] | Tensor[][] {
  const call = "jacobian";
  return enableGrad(() => {
    const made = run(call, func, inputs, options, options?.createGraph === true);
    const { createGraph, strict } = made.options;
    const rows = made.outputs.map((output) => {
      const flat = output.reshape([-1]);
      const each = Array.from({ length: native.numel(output) }, (_, at) =>
        filled(call, gradients([flat.select(0, at)], made.inputs, [], createGraph), made.inputs, strict),
      );
      const blocks = made.inputs.map((input, of) => {
        const shape = [...native.shape(output), ...native.shape(input)];
        return each.length === 0
          ? torchFunctions.zeros(shape, { dtype: native.dtype(input), device: native.device(input) })
          : torchFunctions.stack(each.map((row) => row[of]!)).reshape(shape);
      });
      const finished = finish(blocks, createGraph);
      return made.oneInput ? finished[0]! : finished;
    });
    return made.oneOutput ? rows[0]! : (rows as Tensor[] | Tensor[][]);
  });
}

function requireScalar(call: string, output: unknown): Tensor {
  if (!native.isTensor(output))
    throw new TypeError(`${call}: the function must return one tensor, got ${describe(output)}.`);
  if (native.numel(output) !== 1)
    throw new RangeError(
      `${call}: the function must return a tensor of one element, got one of shape ${shapeText(native.shape(output))}.`,
    );
  return output.reshape([]);
}

/** Second derivatives of a function with one output: an array of arrays for several inputs. */
export function hessian(func: One, inputs: Tensor, options?: DerivativeOptions): Tensor;
export function hessian(
  func: (...inputs: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  options?: DerivativeOptions,
): Tensor[][];
export function hessian(
  func: (...inputs: Tensor[]) => Tensor,
  inputs: Tensors,
  options?: DerivativeOptions,
): Tensor | Tensor[][] {
  const call = "hessian";
  const { strict } = readOptions<DerivativeOptions>(call, options, RULES);
  requireFunction(call, func);
  const scalar = (...given: Tensor[]) => requireScalar(call, func(...given));
  const first = (...given: Tensor[]) => jacobian(scalar, given, { createGraph: true, strict });
  const list = listOf(call, "inputs", inputs);
  const second = jacobian(first, list, options);
  return isOne(inputs) ? second[0]![0]! : second;
}

/** The function's outputs, and the product of `v` with its Jacobian: what backward with `v` as gradient gives. */
export function vjp(
  func: Function,
  inputs: Tensors,
  v?: Tensors | null,
  options?: DerivativeOptions,
): [outputs: Tensor | Tensor[], product: Tensor | Tensor[]] {
  const call = "vjp";
  return enableGrad(() => {
    const made = run(call, func, inputs, options, options?.createGraph === true);
    const { createGraph, strict } = made.options;
    const vector = vectorFor(call, v, made.outputs, "output");
    const product = filled(
      call,
      gradients(made.outputs, made.inputs, vector, createGraph),
      made.inputs,
      strict,
    );
    return results(made, made.outputs, finish(product, createGraph), made.oneInput);
  });
}

/**
 * The function's outputs, and the product of its Jacobian with `v`. Computed by differentiating twice, as in PyTorch:
 * the backward product is linear in its vector, and the derivative by that vector gives the forward product.
 */
export function jvp(
  func: Function,
  inputs: Tensors,
  v?: Tensors | null,
  options?: DerivativeOptions,
): [outputs: Tensor | Tensor[], product: Tensor | Tensor[]] {
  const call = "jvp";
  return enableGrad(() => {
    const made = run(call, func, inputs, options, options?.createGraph === true);
    const { createGraph, strict } = made.options;
    const vector = vectorFor(call, v, made.inputs, "input");
    const dummies = made.outputs.map((output) => torchFunctions.zerosLike(output).requiresGrad_());
    const by = filled(call, gradients(made.outputs, made.inputs, dummies, true), made.inputs, strict);
    const product = filled(call, gradients(by, dummies, vector, createGraph), dummies, strict);
    return results(made, made.outputs, finish(product, createGraph), made.oneOutput);
  });
}

/** The function's output, and the product of `v` with its Hessian. */
export function vhp(
  func: (...inputs: Tensor[]) => Tensor,
  inputs: Tensors,
  v?: Tensors | null,
  options?: DerivativeOptions,
): [output: Tensor, product: Tensor | Tensor[]] {
  return hessianProduct("vhp", func, inputs, v, options);
}

/**
 * The function's output, and the product of its Hessian with `v`. It equals the result of `vhp`, because the Hessian is
 * symmetric.
 */
export function hvp(
  func: (...inputs: Tensor[]) => Tensor,
  inputs: Tensors,
  v?: Tensors | null,
  options?: DerivativeOptions,
): [output: Tensor, product: Tensor | Tensor[]] {
  return hessianProduct("hvp", func, inputs, v, options);
}

function hessianProduct(
  call: string,
  func: (...inputs: Tensor[]) => Tensor,
  inputs: Tensors,
  v: Tensors | null | undefined,
  options: DerivativeOptions | undefined,
): [output: Tensor, product: Tensor | Tensor[]] {
  return enableGrad(() => {
    const made = run(call, func, inputs, options, options?.createGraph === true);
    const { createGraph, strict } = made.options;
    const output = requireScalar(call, made.oneOutput ? made.outputs[0] : made.outputs);
    const vector = vectorFor(call, v, made.inputs, "input");
    const first = filled(call, gradients([output], made.inputs, [], true), made.inputs, strict);
    const product = filled(call, gradients(first, made.inputs, vector, createGraph), made.inputs, strict);
    return results(made, [output], finish(product, createGraph), made.oneInput) as [
      Tensor,
      Tensor | Tensor[],
    ];
  });
}

function results(
  { options: { createGraph }, oneOutput }: Run,
  outputs: readonly Tensor[],
  product: Tensor[],
  oneProduct: boolean,
): [Tensor | Tensor[], Tensor | Tensor[]] {
  const values = finish(outputs, createGraph);
  return [oneOutput ? values[0]! : values, oneProduct ? product[0]! : product];
}
