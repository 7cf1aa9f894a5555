// Builds a loss function from its input names, a table of option rules, and its formula. A call checks inputs and
// options; a layer (`loss/layer.ts`) checks the options once and keeps them.
import { describe, isRecord, shapeText } from "../../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../../vocabulary/arguments_by_name.ts";
import { tooManyArguments } from "../../../../surplus_arguments.ts";
import { native } from "../../../engine/native.ts";
import { choice, readOptions, type Rules } from "../../../vocabulary/options.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import type { ByName, Fit, Judging, OptionsAt } from "../../../types/index.ts";

export type Reduction = "mean" | "sum" | "none";

export interface LossOptions {
  /** How the losses of the elements become one: their mean, their sum, or not at all. Default: "mean". */
  readonly reduction?: Reduction;
}

export interface WeightedLossOptions extends LossOptions {
  /** A weight for each element, of the input's shape. Default: none, and all count alike. */
  readonly weight?: Tensor | null;
}

/** The places of PyTorch's losses that take nothing else. */
export const REDUCTION_PLACES = ["sizeAverage", "reduce", "reduction"] as const;
export const WEIGHTED_PLACES = ["weight", ...REDUCTION_PLACES] as const;

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

/** The names of the inputs of most losses. */
export type Pair = readonly ["input", "target"];

/** Inputs in one object: `[Tensor, Tensor]` and `["input", "target"]` -> `{ input: Tensor; target: Tensor }` */
type NamedInputs<Inputs extends readonly unknown[], Given extends readonly string[]> = {
  readonly [At in keyof Given & keyof Inputs & `${number}` as Given[At] & string]: Inputs[At];
};

/** A loss as a function: tensors, then options, at their places or by name. */
export interface Loss<
  Inputs extends readonly unknown[],
  Options extends object,
  Names extends readonly string[] = readonly [],
  Given extends readonly string[] = Pair,
> {
  (...args: [...inputs: Inputs, options?: Options]): Tensor;
  (...args: [...inputs: Inputs, ...options: OptionsAt<Options, Names>]): Tensor;
  (named: ByName & Options & NamedInputs<Inputs, Given>): Tensor;
  // The compiler explains the last form.
  (...args: [...inputs: Inputs, options?: Options]): Tensor;
  readonly rules: Rules<Options>;
  /** The names of the options in the order of their places. */
  readonly places: Names;
  /** Computes the loss with options that were read before. It checks only the inputs. */
  readonly compute: (options: Required<Options>, inputs: Inputs) => Tensor;
}

/** A loss of an input and a target whose types show that their shapes fit together. */
export type PairLoss<
  Name extends string,
  How extends Fit,
  Options extends object,
  Names extends readonly string[],
> = Judging<Name, How, Options, Names> &
  Pick<Loss<[input: Tensor, target: Tensor], Options, Names>, "rules" | "places" | "compute">;

/** What PyTorch has given up for `reduction`, and still has places for. */
const GIVEN_UP: readonly string[] = ["sizeAverage", "reduce"];

/** Reads a loss's options, given at their places or by name. */
export function readLossOptions<Options extends object>(
  call: string,
  { rules, places }: { readonly rules: Rules<Options>; readonly places: readonly string[] },
  given: readonly unknown[],
): Required<Options> {
  const named = optionsByPlace<Record<string, unknown>>(call, places, given);
  const old = GIVEN_UP.find((name) => places.includes(name) && (named?.[name] ?? null) !== null);
  if (old !== undefined)
    throw new TypeError(
      `${call}: ${old} must be null, got ${describe(named![old])}: PyTorch has given it up for reduction, "mean", "sum" or "none".`,
    );
  const isKept = ([name]: [string, unknown]) => !(GIVEN_UP.includes(name) && places.includes(name));
  const kept = isRecord(named) ? Object.fromEntries(Object.entries(named).filter(isKept)) : named;
  return readOptions<Options>(call, kept as Partial<Options> | undefined, rules);
}

/** How a loss is called. */
interface LossForm<Options extends object, Names extends readonly string[]> {
  /** The names of the inputs that must be tensors. */
  readonly inputs: readonly string[];
  /** The names of the inputs that follow them, which the formula checks. Default: none. */
  readonly others?: readonly string[];
  readonly rules: Rules<Options>;
  /** The names of the options in the order of PyTorch's places. */
  readonly places: Names;
}

/** A loss that takes a name for its errors. */
export function loss<
  Inputs extends readonly unknown[],
  Options extends object,
  const Names extends readonly string[] = readonly [],
  const Given extends readonly string[] = Pair,
>(
  name: string,
  { inputs: inputNames, others = [], rules, places }: LossForm<Options, Names>,
  formula: Formula<Inputs, Options>,
): Loss<Inputs, Options, Names, Given> {
  const names = [...inputNames, ...others];
  const count = names.length;
  const compute = (options: Required<Options>, inputs: Inputs) => {
    if (inputs.length > count) throw tooManyArguments(name, count, inputs.length);
    for (const [i, inputName] of inputNames.entries()) {
      if (!native.isTensor(inputs[i]))
        throw new TypeError(`${name}: ${inputName} must be a tensor, got ${describe(inputs[i])}.`);
    }
    return formula(name, options, ...inputs);
  };
  const run = (...all: unknown[]): Tensor => {
    const args: readonly unknown[] = neededByPlace(names, all);
    const options = readLossOptions(name, { rules, places }, args.slice(count));
    return compute(options, args.slice(0, count) as unknown as Inputs);
  };
  return Object.assign(run, { rules, places, compute }) as unknown as Loss<Inputs, Options, Names, Given>;
}

/**
 * A loss of an input and a target. Its types ask a tensor by the one property that tells it from all else, as every tensor
 * has, and the formula gets whole ones: `loss` has seen to it.
 */
export function pairLoss<
  Name extends string,
  How extends Fit,
  Options extends object,
  Names extends readonly string[],
>(
  name: Name,
  form: Pick<LossForm<Options, Names>, "rules" | "places">,
  formula: Formula<[input: Tensor, target: Tensor], Options>,
): PairLoss<Name, How, Options, Names> {
  const inputs = ["input", "target"];
  return loss(name, { inputs, ...form }, formula) as unknown as PairLoss<Name, How, Options, Names>;
}
