// Adagrad (Duchi et al., 2011): gradients divided by the root of the sum of all their squares. Accepts sparse gradients.
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { boolean, checkRules, number, type Rules } from "../vocabulary/options.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { tidy } from "../tensor/scope.ts";
import type { MaximizeOption } from "./list_optimizer.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";
import { sparseLike, sparseParts } from "./sparse.ts";
import { stateNumber } from "./state.ts";

export interface AdagradOptions extends MaximizeOption {
  /** Learning rate. Default: 1e-2. */
  lr: number;
  /** The decay of the learning rate with every step. Default: 0. */
  lrDecay: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
  /** The initial value of the sums. Default: 0. */
  initialAccumulatorValue: number;
  /** Added to the denominator. Default: 1e-10. */
  eps: number;
}

const RULES: Rules<AdagradOptions> = {
  lr: number(1e-2, { min: 0 }),
  lrDecay: number(0, { min: 0 }),
  weightDecay: number(0, { min: 0 }),
  initialAccumulatorValue: number(0, { min: 0 }),
  eps: number(1e-10, { min: 0 }),
  maximize: boolean(false),
};

/**
 * Adagrad (Duchi et al., 2011): gradients divided by the root of the sum of all their squares. Takes sparse ones too.
 */
export class Adagrad extends Optimizer<AdagradOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<AdagradOptions>> | NamedArguments<AdagradOptions>,
    lr?: number | GivenOptions<AdagradOptions>,
    lrDecay?: number | GivenOptions<AdagradOptions>,
    weightDecay?: number | GivenOptions<AdagradOptions>,
    initialAccumulatorValue?: number | GivenOptions<AdagradOptions>,
    eps?: number | GivenOptions<AdagradOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<AdagradOptions>(
        "new optim.Adagrad",
        RULES,
        ["lr", "lrDecay", "weightDecay", "initialAccumulatorValue", "eps"],
        all,
      ),
    );
    // As in PyTorch, the sums exist before the first step.
    for (const group of this.paramGroups) for (const parameter of group.params) this.#sum(group, parameter);
  }

  protected override get takesSparse(): boolean {
    return true;
  }

  protected override checkGroup(call: string, options: AdagradOptions): void {
    checkRules(call, options, RULES);
  }

  #sum({ initialAccumulatorValue }: AdagradOptions, parameter: Tensor): Tensor {
    return this.remember(parameter, "sum", () => torchFunctions.fullLike(parameter, initialAccumulatorValue));
  }

  #step(parameter: Tensor): Tensor {
    return this.remember(parameter, "step", () => stateNumber());
  }

  protected override update(group: ParamGroup<AdagradOptions>, { params, grads }: Batch): void {
    this.refuseInCapture();
    const dense = grads.map((grad) => native.layout(grad) === "strided");
    tidy(() => {
      for (const [i, parameter] of params.entries()) {
        const step = this.#step(parameter).add_(1);
        const rate = group.lr / (1 + (step.item() - 1) * group.lrDecay);
        const grad = group.maximize ? grads[i]!.neg() : grads[i]!;
        if (dense[i]) this.#updateDense(group, parameter, grad, rate);
        else this.#updateSparse(group, parameter, grad, rate);
      }
    });
  }

  #updateDense(group: ParamGroup<AdagradOptions>, parameter: Tensor, given: Tensor, rate: number): void {
    const grad = group.weightDecay === 0 ? given : given.add(parameter, { alpha: group.weightDecay });
    const sum = this.#sum(group, parameter);
    sum.addcmul_(grad, grad);
    parameter.addcdiv_(grad, sum.sqrt().add_(group.eps), { value: -rate });
  }

  #updateSparse(group: ParamGroup<AdagradOptions>, parameter: Tensor, given: Tensor, rate: number): void {
    if (group.weightDecay !== 0) {
      throw new TypeError(
        "Adagrad.step: sparse gradients take no weightDecay; put those parameters in a group without.",
      );
    }
    const { grad, values } = sparseParts(given);
    const sum = this.#sum(group, parameter);
    sum.add_(sparseLike(grad, values.pow(2)));
    const roots = sparseParts(sum.sparseMask(grad)).values.sqrt().add_(group.eps);
    parameter.add_(sparseLike(grad, values.div(roots)), { alpha: -rate });
  }
}
