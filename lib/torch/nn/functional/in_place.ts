// Activations of libtorch that PyTorch's `functional` can run in place: `inplace` stands behind their numbers, where
// libtorch's own operators take other arguments or none.
import { isArrayCallback } from "../../../surplus_arguments.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkTensor } from "../../tensor/tensor_arguments.ts";
import type { Like, SomeTensor } from "../../types/index.ts";
import { checkBoolean } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import type { Generator } from "../../random/generator.ts";
import type { Scalar } from "../../vocabulary/dtype.ts";

/** The options of activations and dropouts that can overwrite their input. */
export interface InPlaceOptions {
  /** Overwrites the input with the result, which saves its memory. Default: false. */
  readonly inplace?: boolean;
}

/** The last argument of an activation: `true` to run in place, or options. */
export interface ActivationOptions extends InPlaceOptions {
  /** Written to. Default: a new tensor. */
  readonly out?: Tensor;
}

export interface EluOptions extends ActivationOptions {
  /** The scale of what lies below zero. Default: 1. */
  readonly alpha?: Scalar;
}

export interface CeluOptions extends InPlaceOptions {
  /** The scale of what lies below zero. Default: 1. */
  readonly alpha?: Scalar;
}

export interface LeakyReluOptions extends ActivationOptions {
  /** The slope below zero. Default: 0.01. */
  readonly negativeSlope?: Scalar;
}

export interface HardtanhOptions extends ActivationOptions {
  /** The least value of the result. Default: -1. */
  readonly minVal?: Scalar;
  /** The greatest value of the result. Default: 1. */
  readonly maxVal?: Scalar;
}

export interface RReluOptions extends InPlaceOptions {
  /** The least slope below zero. Default: 1 / 8. */
  readonly lower?: Scalar;
  /** The greatest slope below zero. Default: 1 / 3. */
  readonly upper?: Scalar;
  /** Whether slopes are drawn; their mean otherwise. Default: false. */
  readonly training?: boolean;
  /** Draws in place of the device's own generator. Default: none. */
  readonly generator?: Generator | null;
}

type Operator = (input: unknown, ...others: unknown[]) => Tensor;

/**
 * Makes an activation of libtorch's operators, whose numbers it takes by place or by name. `given` is what follows the
 * input.
 */
function activation(
  name: string,
  numbers: readonly string[],
  run: unknown,
  runInPlace: unknown,
  options: readonly string[] = ["out"],
): (input: unknown, given: readonly unknown[]) => Tensor {
  const places = [...numbers, "inplace"];
  return (input, given) => {
    // Most calls; the operator checks the numbers.
    const isPlain = given.length <= numbers.length && given.every((value) => typeof value === "number");
    // `images.map(F.relu)` passes an index and the list too.
    if (isPlain || (numbers.length === 0 && isArrayCallback([input, ...given])))
      return (run as Operator)(input, ...(isPlain ? given : []));
    checkTensor(name, "input", input);
    const form = { first: "input", places, options };
    const { inplace = false, ...others } = argumentsByName<Record<string, unknown>>(name, form, given);
    const operands = Object.keys(others).length > 0 ? [others] : [];
    if (!checkBoolean(name, "inplace", inplace)) return (run as Operator)(input, ...operands);
    if (others["out"] !== undefined)
      throw new TypeError(`${name}: inplace writes to the input, and out to another tensor; leave one out.`);
    return (runInPlace as Operator)(input, ...operands);
  };
}

const runRelu = activation("relu", [], torchFunctions.relu, torchFunctions.relu_, []);

/** max(x, 0) of each element, in the input's shape. */
export function relu<const A extends SomeTensor>(input: A, inplace?: boolean | InPlaceOptions): Like<A>;
export function relu(input: unknown, ...given: unknown[]): unknown {
  return runRelu(input, given);
}

const runRelu6 = activation("relu6", [], nnFunctions.relu6, nnFunctions.relu6_, []);

/** min(max(x, 0), 6) of each element, in the input's shape. */
export function relu6<const A extends SomeTensor>(input: A, inplace?: boolean | InPlaceOptions): Like<A>;
export function relu6(input: unknown, ...given: unknown[]): unknown {
  return runRelu6(input, given);
}

const runSelu = activation("selu", [], torchFunctions.selu, torchFunctions.selu_, []);

/** scale (max(0, x) + min(0, alpha (exp(x) - 1))), scale 1.0507 and alpha 1.6733, in the input's shape. */
export function selu<const A extends SomeTensor>(input: A, inplace?: boolean | InPlaceOptions): Like<A>;
export function selu(input: unknown, ...given: unknown[]): unknown {
  return runSelu(input, given);
}

const runSilu = activation("silu", [], nnFunctions.silu, nnFunctions.silu_);

/** x sigmoid(x) of each element, in the input's shape. */
export function silu<const A extends SomeTensor>(input: A, inplace?: boolean | ActivationOptions): Like<A>;
export function silu(input: unknown, ...given: unknown[]): unknown {
  return runSilu(input, given);
}

const runMish = activation("mish", [], nnFunctions.mish, nnFunctions.mish_);

/** x tanh(softplus(x)) of each element, in the input's shape. */
export function mish<const A extends SomeTensor>(input: A, inplace?: boolean | ActivationOptions): Like<A>;
export function mish(input: unknown, ...given: unknown[]): unknown {
  return runMish(input, given);
}

const runHardswish = activation("hardswish", [], nnFunctions.hardswish, nnFunctions.hardswish_);

/** x relu6(x + 3) / 6 of each element, in the input's shape. */
export function hardswish<const A extends SomeTensor>(
  input: A,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function hardswish(input: unknown, ...given: unknown[]): unknown {
  return runHardswish(input, given);
}

const runHardsigmoid = activation("hardsigmoid", [], nnFunctions.hardsigmoid, nnFunctions.hardsigmoid_);

/** relu6(x + 3) / 6 of each element, in the input's shape. */
export function hardsigmoid<const A extends SomeTensor>(
  input: A,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function hardsigmoid(input: unknown, ...given: unknown[]): unknown {
  return runHardsigmoid(input, given);
}

const runElu = activation("elu", ["alpha"], nnFunctions.elu, nnFunctions.elu_);

/** x above 0, alpha (exp(x) - 1) below, in the input's shape. */
export function elu<const A extends SomeTensor>(
  input: A,
  alpha?: Scalar,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function elu<const A extends SomeTensor>(input: A, options: EluOptions): Like<A>;
export function elu(input: unknown, ...given: unknown[]): unknown {
  return runElu(input, given);
}

const runCelu = activation("celu", ["alpha"], torchFunctions.celu, torchFunctions.celu_, []);

/** max(x, 0) + min(0, alpha (exp(x / alpha) - 1)), in the input's shape. */
export function celu<const A extends SomeTensor>(
  input: A,
  alpha?: Scalar,
  inplace?: boolean | InPlaceOptions,
): Like<A>;
export function celu<const A extends SomeTensor>(input: A, options: CeluOptions): Like<A>;
export function celu(input: unknown, ...given: unknown[]): unknown {
  return runCelu(input, given);
}

const runLeakyRelu = activation(
  "leakyRelu",
  ["negativeSlope"],
  nnFunctions.leakyRelu,
  nnFunctions.leakyRelu_,
);

/** x above 0, negativeSlope x below, in the input's shape. */
export function leakyRelu<const A extends SomeTensor>(
  input: A,
  negativeSlope?: Scalar,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function leakyRelu<const A extends SomeTensor>(input: A, options: LeakyReluOptions): Like<A>;
export function leakyRelu(input: unknown, ...given: unknown[]): unknown {
  return runLeakyRelu(input, given);
}

const runHardtanh = activation("hardtanh", ["minVal", "maxVal"], nnFunctions.hardtanh, nnFunctions.hardtanh_);

/** x between minVal and maxVal, else the nearer of them, in the input's shape. */
export function hardtanh<const A extends SomeTensor>(
  input: A,
  minVal?: Scalar,
  maxVal?: Scalar,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function hardtanh<const A extends SomeTensor>(input: A, options: HardtanhOptions): Like<A>;
export function hardtanh(input: unknown, ...given: unknown[]): unknown {
  return runHardtanh(input, given);
}

const runRRelu = activation(
  "rrelu",
  ["lower", "upper", "training"],
  torchFunctions.rrelu,
  torchFunctions.rrelu_,
  ["generator"],
);

/**
 * x above 0, a x below, in the input's shape: `a` is drawn from [lower, upper] for each element while `training`, and is
 * their mean otherwise.
 */
export function rrelu<const A extends SomeTensor>(
  input: A,
  lower?: Scalar,
  upper?: Scalar,
  training?: boolean,
  inplace?: boolean | RReluOptions,
): Like<A>;
export function rrelu<const A extends SomeTensor>(input: A, options: RReluOptions): Like<A>;
export function rrelu(input: unknown, ...given: unknown[]): unknown {
  return runRRelu(input, given);
}

const runThreshold = activation(
  "threshold",
  ["threshold", "value"],
  torchFunctions.threshold,
  torchFunctions.threshold_,
);

/** x above the threshold, else the value, in the input's shape. */
export function threshold<const A extends SomeTensor>(
  input: A,
  threshold: Scalar,
  value: Scalar,
  inplace?: boolean | ActivationOptions,
): Like<A>;
export function threshold(input: unknown, ...given: unknown[]): unknown {
  return runThreshold(input, given);
}
