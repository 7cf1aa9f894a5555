// Reads the options of an optimizer, by name or by place, and those of PyTorch's that choose between its own implementations:
// here each step runs libtorch's fused kernels, or its kernels over lists, whichever there are.
import { checkBoolean, describe, isRecord } from "../vocabulary/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { neededByPlace, optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { readOptions, type Rules } from "../vocabulary/options.ts";
import type { GroupInput } from "./optimizer.ts";

/** What PyTorch's optimizers take about how they compute, and not what. */
export interface Implementation {
  /** Taken and without effect: a step runs over lists where libtorch can. Default: null. */
  readonly foreach?: boolean | null;
  /** Taken and without effect: a step is fused where libtorch can. Default: null. */
  readonly fused?: boolean | null;
  /** Taken and without effect: `torch.capture` works with each optimizer. Default: false. */
  readonly capturable?: boolean;
  /** True is refused: no step is recorded for gradients. Default: false. */
  readonly differentiable?: boolean;
}

/** What an optimizer takes by name, or a group of its parameters: what it computes, and how PyTorch would. */
export type GivenOptions<Options> = Partial<Options> & Implementation;

/** What an optimizer is made for: parameters, or groups of them. */
type Trained<Options> = Iterable<Tensor> | Iterable<GroupInput<Options>>;

/** Every argument of an optimizer in one object: `{ params: model.parameters(), lr: 0.1 }`. */
export type NamedArguments<Options, Params = Trained<Options>> = GivenOptions<Options> & {
  readonly params: Params;
};

const IMPLEMENTATION = ["foreach", "fused", "capturable", "differentiable"] as const;

/** What an optimizer is made for, and its complete options, whose `places` are those after the parameters. */
export function givenArguments<Options extends object>(
  call: string,
  rules: Rules<Options>,
  places: readonly (keyof Options & string)[],
  all: readonly unknown[],
): [params: Trained<Options>, options: Required<Options>] {
  const [params, ...given] = neededByPlace<[Trained<Options>]>(["params"], all);
  return [params, completeOptions(call, rules, places, given)];
}

function completeOptions<Options extends object>(
  call: string,
  rules: Rules<Options>,
  places: readonly (keyof Options & string)[],
  given: readonly unknown[],
): Required<Options> {
  const options = optionsByPlace<GivenOptions<Options>>(call, places, given);
  if (!isRecord(options)) return { ...readOptions<Options>(call, options, rules) };
  for (const name of IMPLEMENTATION)
    if ((options[name] ?? null) !== null) checkBoolean(call, name, options[name]);
  if (options["differentiable"] === true)
    throw new TypeError(
      `${call}: differentiable must be false, got ${describe(true)}: a step is not recorded for gradients; leave it out.`,
    );
  const own = Object.entries(options).filter(
    ([name]) => !(IMPLEMENTATION as readonly string[]).includes(name),
  );
  return { ...readOptions<Options>(call, Object.fromEntries(own) as Partial<Options>, rules) };
}
