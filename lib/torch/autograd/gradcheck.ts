// Compares the derivatives from backward with those from finite differences (`gradcheck`; the slow mode of PyTorch's
// `torch/autograd/gradcheck.py`).
import { checkTensors } from "../tensor/tensor_arguments.ts";
import { describe, requireFunction } from "../vocabulary/arguments.ts";
import { boolean, number, readOptions, type Rules } from "../vocabulary/options.ts";
import { enableGrad, grad } from "./autograd.ts";
import { isComplexDType, isFloatingDType } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Tensors } from "./functional.ts";

/** The derivatives of a function do not agree, or it cannot be checked. */
export class GradcheckError extends Error {
  override readonly name = "GradcheckError";
}

export interface GradcheckOptions {
  /** Half the difference between the inputs that are compared. Default: 1e-6, for float64. */
  readonly eps?: number;
  /** Absolute tolerance. Default: 1e-5. */
  readonly atol?: number;
  /** Relative tolerance. Default: 1e-3. */
  readonly rtol?: number;
  /** Throw where they do not agree, and not return false. Default: true. */
  readonly raiseException?: boolean;
  /** How far two runs of the same backward may differ. Default: 0. */
  readonly nondetTol?: number;
}

const RULES: Rules<GradcheckOptions> = {
  eps: number(1e-6, { min: 0 }),
  atol: number(1e-5, { min: 0 }),
  rtol: number(1e-3, { min: 0 }),
  raiseException: boolean(true),
  nondetTol: number(0, { min: 0 }),
};

type Func = (...inputs: Tensor[]) => Tensors;

const differentiable = (tensor: Tensor): boolean =>
  isFloatingDType(native.dtype(tensor)) || isComplexDType(native.dtype(tensor));

function inputList(call: string, given: Tensors): Tensor[] {
  const list: readonly unknown[] = native.isTensor(given) ? [given] : given;
  if (!Array.isArray(list) || !list.every((one) => native.isTensor(one)))
    throw new TypeError(`${call}: inputs must be a tensor or an array of tensors, got ${describe(given)}.`);
  const inputs = list as Tensor[];
  if (!inputs.some((input) => native.requiresGrad(input)))
    throw new TypeError(
      `${call} needs an input that requires gradients, and none of the ${inputs.length} does.`,
    );
  for (const [at, input] of inputs.entries()) {
    const dtype = native.dtype(input);
    if (!native.requiresGrad(input) || dtype === "float64" || dtype === "complex128") continue;
    throw new TypeError(
      `${call}: input ${at} is ${dtype}, whose last digits are larger than the differences that are compared: use float64, or complex128.`,
    );
  }
  return inputs;
}

/** Complex results are treated as pairs of real numbers, each of which is a result of its own. */
function realOutputs(func: Func, inputs: readonly Tensor[]): Tensor[] {
  const outputs = checkTensors("gradcheck", "what the function returns", func(...inputs));
  return outputs
    .filter(differentiable)
    .map((output) =>
      isComplexDType(native.dtype(output)) ? torchFunctions.viewAsReal(output.resolveConj()) : output,
    );
}

/** Returns the tensor as real numbers that share its memory, detached from its graph. */
function realParts(tensor: Tensor): Tensor {
  const detached = tensor.detach();
  return isComplexDType(native.dtype(tensor)) ? torchFunctions.viewAsReal(detached) : detached;
}

/** Views of the single elements over the tensor's memory, in row-major order. */
function* entriesOf(tensor: Tensor): Generator<Tensor> {
  if (native.dim(tensor) === 0) yield tensor;
  else for (const part of tensor.unbind(0)) yield* entriesOf(part);
}

/**
 * The Jacobian by finite differences for each output: one row for each element of the input, one column for each of the
 * output.
 */
function numericalJacobians(func: Func, inputs: readonly Tensor[], by: Tensor, eps: number): Tensor[] {
  const rows = Array.from(entriesOf(realParts(by)), (entry) => {
    const value = entry.item();
    const outputsWith = (changed: number) => {
      entry.fill_(changed);
      return realOutputs(func, inputs).map((output) => output.detach().clone().reshape([-1]));
    };
    try {
      const [less, more] = [outputsWith(value - eps), outputsWith(value + eps)];
      return more.map((output, of) => output.sub(less[of]!).div(2 * eps));
    } finally {
      entry.fill_(value);
    }
  });
  return rows[0]?.map((_, of) => torchFunctions.stack(rows.map((row) => row[of]!))) ?? [];
}

/** The same Jacobian from backward: a column is the gradient of one element of the output. */
function analyticalJacobian(output: Tensor, by: Tensor): Tensor {
  const flat = output.reshape([-1]);
  const columns = Array.from({ length: native.numel(flat) }, (_, at) => {
    const entry = flat.select(0, at);
    const [gradient] = native.requiresGrad(entry)
      ? grad(entry, by, { allowUnused: true, retainGraph: true })
      : [null];
    return realParts((gradient ?? torchFunctions.zerosLike(by)).resolveConj()).reshape([-1]);
  });
  return torchFunctions.stack(columns, 1);
}

function compare(func: Func, inputs: readonly Tensor[], options: Required<GradcheckOptions>): void {
  for (const [of, input] of inputs.entries()) {
    if (!native.requiresGrad(input)) continue;
    if (native.numel(input) === 0) continue;
    if (native.stride(input).some((step, dim) => step === 0 && native.shape(input)[dim]! > 1))
      throw new GradcheckError(
        `gradcheck: elements of input ${of} share their memory: give input.contiguous().`,
      );
    const numerical = numericalJacobians(func, inputs, input, options.eps);
    // The outputs are computed only now, because the graph of earlier outputs would have seen its inputs change.
    const outputs = realOutputs(func, inputs);
    if (outputs.length === 0) throw new GradcheckError("gradcheck: the function returns no floating tensor.");
    for (const [at, output] of outputs.entries()) {
      if (native.numel(output) === 0) continue;
      const analytical = analyticalJacobian(output, input);
      const again = analyticalJacobian(output, input);
      if (again.sub(analytical).abs().max().item() > options.nondetTol)
        throw new GradcheckError(
          `Backward is not reentrant: for output ${at} with respect to input ${of}, two runs with the same gradient differ by ${again.sub(analytical).abs().max().item()}, and nondetTol is ${options.nondetTol}.`,
        );
      if (!torchFunctions.allclose(analytical, numerical[at]!, options.rtol, options.atol))
        throw new GradcheckError(
          `Jacobian mismatch for output ${at} with respect to input ${of},\n` +
            `numerical:${numerical[at]!.toString()}\nanalytical:${analytical.toString()}`,
        );
    }
  }
}

/**
 * Are the derivatives that backward gives those that small differences of the inputs give? For inputs of float64 or
 * complex128 that require gradients; they are changed in place meanwhile, and back.
 *
 * @throws GradcheckError that says which output and input do not agree, with both Jacobians, unless `raiseException` is
 *   false
 */
export function gradcheck(func: Func, inputs: Tensors, options?: GradcheckOptions): boolean {
  return check("gradcheck", func, inputs, options, compare);
}

/**
 * Checks the gradients' own gradients. Each operation of the backward must have a derivative too. Default of
 * `gradOutputs`: random.
 */
export function gradgradcheck(
  func: Func,
  inputs: Tensors,
  gradOutputs?: Tensors | null,
  options?: GradcheckOptions,
): boolean {
  return check("gradgradcheck", func, inputs, options, (_, list, read) => {
    const outputs = realOutputs(func, list);
    const given =
      gradOutputs === null || gradOutputs === undefined
        ? outputs.map((output) => torchFunctions.randnLike(output).requiresGrad_())
        : inputList("gradgradcheck", gradOutputs);
    const places = list.flatMap((input, at) => (native.requiresGrad(input) ? [at] : []));
    const gradients: Func = (...all) => {
      const own = all.slice(0, list.length);
      const made = realOutputs(func, own);
      const by = places.map((at) => own[at]!);
      const used = made.flatMap((output, at) => (native.requiresGrad(output) ? [at] : []));
      return grad(
        used.map((at) => made[at]!),
        by,
        {
          gradOutputs: used.map((at) => all[list.length + at]!),
          createGraph: true,
          allowUnused: true,
        },
      ).flatMap((gradient) => gradient ?? []);
    };
    compare(gradients, [...list, ...given], read);
  });
}

function check(
  call: string,
  func: Func,
  given: Tensors,
  options: GradcheckOptions | undefined,
  run: (func: Func, inputs: readonly Tensor[], options: Required<GradcheckOptions>) => void,
): boolean {
  requireFunction(call, func);
  const read = readOptions<GradcheckOptions>(call, options, RULES);
  const inputs = inputList(call, given);
  try {
    enableGrad(() => run(func, inputs, read));
    return true;
  } catch (error) {
    if (error instanceof GradcheckError && !read.raiseException) return false;
    throw error;
  }
}
