// Builds a loss function from its input names, a table of option rules, and its formula. A call checks inputs and
// options; a layer (`loss/layer.ts`) checks the options once and keeps them.
import { describe, shapeText } from "../../../vocabulary/arguments.ts";
import { tooManyArguments } from "../../../../surplus_arguments.ts";
import { native } from "../../../engine/native.ts";
import { choice, readOptions, type Rules } from "../../../vocabulary/options.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import type { Fit, Judging } from "../../../types/index.ts";

export type Reduction = "mean" | "sum" | "none";

export interface LossOptions {
  /** How the losses of the elements become one: their mean (the default), their sum, or not at all. */
  readonly reduction?: Reduction;
}

export interface WeightedLossOptions extends LossOptions {
  /** A weight for each element, of the input's shape. */
  readonly weight?: Tensor | null;
}

export const reduction = choice<Reduction>("mean", ["mean", "sum", "none"]);

/** libtorch's numbers for reductions. */
const REDUCTIONS: Readonly<Record<Reduction, number>> = { none: 0, mean: 1, sum: 2 };

export function reductionNumber({ reduction: name }: Required<LossOptions>): number {
  return REDUCTIONS[name];
}

export function reduced(losses: Tensor, { reduction: name }: Required<LossOptions>): Tensor {
  if (name === "none") return losses;
  return name === "mean" ? losses.mean() : losses.sum();
}

/** PyTorch broadcasts here with a warning; [N] against [N, 1] then silently trains on N x N differences. */
export function checkSameShape(
  call: string,
  input: Tensor,
  target: Tensor,
  names = "input and target",
): void {
  const [shape, given] = [shapeText(native.shape(input)), shapeText(native.shape(target))];
  if (shape !== given) {
    throw new RangeError(
      `${call}: ${names} must have one shape, got ${shape} and ${given}; reshape one of them.`,
    );
  }
}

type Formula<Inputs extends readonly unknown[], Options> = (
  call: string,
  options: Required<Options>,
  ...inputs: Inputs
) => Tensor;

/** A loss as a function: tensors, then options by name. */
export interface Loss<Inputs extends readonly unknown[], Options extends object> {
  (...args: [...inputs: Inputs, options?: Options]): Tensor;
  readonly rules: Rules<Options>;
  /** Computes the loss with options that were read before. It checks only the inputs. */
  readonly compute: (options: Required<Options>, inputs: Inputs) => Tensor;
}

/** A loss of an input and a target whose types show that their shapes fit together. */
export type PairLoss<Name extends string, How extends Fit, Options extends object> = Judging<
  Name,
  How,
  Options
> &
  Pick<Loss<[input: Tensor, target: Tensor], Options>, "rules" | "compute">;

/**
 * A loss that takes a name for its errors, and for each of its inputs that must be a tensor; `others` are the
 * inputs after them, which the formula checks.
 */
export function loss<Inputs extends readonly unknown[], Options extends object>(
  name: string,
  inputNames: readonly string[],
  rules: Rules<Options>,
  formula: Formula<Inputs, Options>,
  others = 0,
): Loss<Inputs, Options> {
  const count = inputNames.length + others;
  const compute = (options: Required<Options>, inputs: Inputs) => {
    if (inputs.length > count) throw tooManyArguments(name, count, inputs.length);
    for (const [i, inputName] of inputNames.entries()) {
      if (!native.isTensor(inputs[i]))
        throw new TypeError(`${name}: ${inputName} must be a tensor, got ${describe(inputs[i])}.`);
    }
    return formula(name, options, ...inputs);
  };
  const run = (...args: [...Inputs, Options?]): Tensor => {
    if (args.length > count + 1) throw tooManyArguments(name, count + 1, args.length);
    const given = args[count] as Partial<Options> | undefined;
    return compute(readOptions<Options>(name, given, rules), args.slice(0, count) as unknown as Inputs);
  };
  return Object.assign(run, { rules, compute }) as Loss<Inputs, Options>;
}

/**
 * A loss of an input and a target. Its types ask a tensor by the one property that tells it from all else, as every tensor
 * has, and the formula gets whole ones: `loss` has seen to it.
 */
export function pairLoss<Name extends string, How extends Fit, Options extends object>(
  name: Name,
  rules: Rules<Options>,
  formula: Formula<[input: Tensor, target: Tensor], Options>,
): PairLoss<Name, How, Options> {
  return loss(name, ["input", "target"], rules, formula) as unknown as PairLoss<Name, How, Options>;
}
