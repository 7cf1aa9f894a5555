// The base of optimizers over lists of tensors: options by table, a step count for each parameter, gradients with
// sign and weight decay, and a scope that frees intermediate tensors. Subclasses hold the formula.
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";
import { native } from "../engine/native.ts";
import { checkRules, type Rules } from "../vocabulary/options.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { tidy } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import * as foreach from "./foreach.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { stateNumber } from "./state.ts";

export interface MaximizeOption {
  /** Climbs instead of descending. Default: false. */
  maximize: boolean;
}

/** All parameters of one group, device and dtype that have a gradient, and how many steps each has made. */
export interface ListStep {
  readonly params: Tensor[];
  /** The gradients, with the sign that descends. Weight decay is added if the group has it. */
  readonly grads: Tensor[];
  /** This step's count: 1 for a parameter's first. */
  readonly steps: number[];
}

export abstract class ListOptimizer<Options extends MaximizeOption> extends Optimizer<Options> {
  /** The rules of its options; on the prototype, since groups are checked before a subclass has fields. */
  declare protected readonly rules: Rules<Options>;

  protected override checkGroup(call: string, options: Options): void {
    checkRules(call, options, this.rules);
  }

  /** The formula. Runs without autograd; what it makes and does not remember is freed at its end. */
  protected abstract stepList(group: ParamGroup<Options>, step: ListStep): void;

  /** How much of the parameter is added to the gradient. */
  protected decayOf(group: ParamGroup<Options>): number {
    return (group as { readonly weightDecay?: number }).weightDecay ?? 0;
  }

  protected override update(group: ParamGroup<Options>, { device, params, grads: given }: Batch): void {
    // The counts are the host's, and a graph of CUDA does not count them.
    if (device.startsWith("cuda")) this.refuseInCapture();
    tidy(() => {
      const counts = this.remembered(params, "step", () => stateNumber());
      foreach.addNumber_(counts, 1);
      const decay = this.decayOf(group);
      let grads = group.maximize ? foreach.neg(given) : given;
      if (decay !== 0) grads = foreach.add(grads, params, decay);
      const stepsOf = () => this.#read(counts);
      this.stepList(group, {
        params,
        grads,
        get steps() {
          return stepsOf();
        },
      });
    });
  }

  #read(counts: readonly Tensor[]): number[] {
    this.refuseInCapture();
    return counts.map((count) => native.item(count) as number);
  }

  /** A tensor of each parameter's state. */
  protected remembered(
    params: readonly Tensor[],
    name: string,
    create: (parameter: Tensor) => Tensor = (parameter) => torchFunctions.zerosLike(parameter),
  ): Tensor[] {
    return params.map((parameter) => this.remember(parameter, name, () => create(parameter)));
  }
}

/** A class whose options may be given by name, or the learning rate by place and the others by name. */
type ListOptimizerClass<Options extends MaximizeOption> = abstract new (
  params: Iterable<Tensor> | Iterable<GroupInput<Options>> | NamedArguments<Options>,
  lr?: number | GivenOptions<Options>,
  options?: GivenOptions<Options>,
) => ListOptimizer<Options>;

/**
 * The base class of an optimizer with these options: `class Rprop extends listOptimizer(RULES) { ... }`. The rules stand
 * in the order of PyTorch's parameters, by which options may be given too.
 */
export function listOptimizer<Options extends MaximizeOption>(
  rules: Rules<Options>,
): ListOptimizerClass<Options> {
  const places = (Object.keys(rules) as (keyof Options & string)[]).filter((name) => name !== "maximize");
  abstract class RuledOptimizer extends ListOptimizer<Options> {
    constructor(...all: unknown[]) {
      super(...givenArguments<Options>(`new optim.${new.target.name}`, rules, places, all));
    }
  }
  Object.defineProperty(RuledOptimizer.prototype, "rules", { value: rules });
  return RuledOptimizer as unknown as ListOptimizerClass<Options>;
}
