// Makes tensors of one dtype, device and batch shape of a distribution's parameters.
import type { Tensor } from "../types/index.ts";
import { checkNumber } from "../vocabulary/arguments.ts";
import { boolean, type OpenRules, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import { tensor } from "../tensor/creation.ts";
import { getDefaultDtype } from "../tensor/default_dtype.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { checkConstraint, type Constraint } from "./constraints.ts";

/** A parameter for each element of a batch, or one for all. */
export type Parameter = Tensor | number;

export interface DistributionOptions {
  /**
   * Whether parameters and values are checked, which reads them and so waits for the device. Default: true.
   */
  readonly validateArgs?: boolean;
}

export const VALIDATE_ARGS = { validateArgs: boolean(true) } satisfies OpenRules<DistributionOptions>;

export function readValidateArgs(call: string, options: DistributionOptions | undefined): boolean {
  return readOptions(call, options, VALIDATE_ARGS).validateArgs;
}

/** A tensor of floats. @throws TypeError for anything else */
export function checkFloats(call: string, name: string, value: unknown): Tensor {
  const given = checkTensor(call, name, value);
  if (given.isFloatingPoint()) return given;
  throw new TypeError(
    `${call}: ${name} must be a tensor of floats, got ${given.dtype}: write ${name}.float().`,
  );
}

/**
 * The parameters as tensors that are broadcast to one shape. A number takes dtype and device of the first tensor, and the
 * default dtype if there is none.
 *
 * @throws TypeError for a parameter that is neither a number nor a tensor of floats; RangeError for one that its
 *   constraint refuses, and for shapes that do not broadcast
 */
export function broadcastParameters<Name extends string>(
  call: string,
  given: Readonly<Record<Name, Parameter>>,
  constraints: Readonly<Record<Name, Constraint>>,
  validate: boolean,
): Record<Name, Tensor> {
  const names = Object.keys(given) as Name[];
  const first = names.map((name) => given[name]).find((value) => native.isTensor(value));
  const like =
    first === undefined ? { dtype: getDefaultDtype() } : { dtype: first.dtype, device: first.device };
  const single = names.map((name) =>
    typeof given[name] === "number"
      ? tensor(checkNumber(call, name, given[name]), like)
      : checkFloats(call, name, given[name]),
  );
  const together = torchFunctions.broadcastTensors(single) as Tensor[];
  const read = Object.fromEntries(names.map((name, at) => [name, together[at]!])) as Record<Name, Tensor>;
  if (validate) for (const name of names) checkConstraint(call, name, read[name], constraints[name]);
  return read;
}

/** Exactly one of two parameters that say the same, as `probs` and `logits`. */
export function checkOneOf(call: string, given: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(given);
  const count = names.filter((name) => given[name] !== undefined).length;
  if (count !== 1)
    throw new TypeError(`${call}: give one of ${names.join(" and ")}, got ${count === 0 ? "none" : count}.`);
}
