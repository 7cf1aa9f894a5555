// Adam for sparse gradients: updates only rows that have a gradient, with their averages.
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { boolean, checkRules, number, pair, type Rules } from "../vocabulary/options.ts";
import { tidy } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { MaximizeOption } from "./list_optimizer.ts";
import { Optimizer, type Batch, type GroupInput, type ParamGroup } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";
import { sparseLike, sparseParts } from "./sparse.ts";
import { stateNumber } from "./state.ts";

export interface SparseAdamOptions extends MaximizeOption {
  /** Learning rate. Default: 1e-3. */
  lr: number;
  /** Decay rates of the averages of the gradient and of its square. Default: [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the denominator. Default: 1e-8. */
  eps: number;
}

const decayRate = { min: 0, max: 1, below: true };
const RULES: Rules<SparseAdamOptions> = {
  lr: number(1e-3, { min: Number.MIN_VALUE }),
  betas: pair([0.9, 0.999], [decayRate, decayRate]),
  eps: number(1e-8, { min: Number.MIN_VALUE }),
  maximize: boolean(false),
};

/** Adam for sparse gradients, as `nn.Embedding` with `sparse` makes them: rows without a gradient stay as they are. */
export class SparseAdam extends Optimizer<SparseAdamOptions> {
  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<SparseAdamOptions>> | NamedArguments<SparseAdamOptions>,
    lr?: number | GivenOptions<SparseAdamOptions>,
    betas?: readonly [number, number] | GivenOptions<SparseAdamOptions>,
    eps?: number | GivenOptions<SparseAdamOptions>,
    maximize?: boolean | GivenOptions<SparseAdamOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<SparseAdamOptions>(
        "new optim.SparseAdam",
        RULES,
        ["lr", "betas", "eps", "maximize"],
        all,
      ),
    );
  }

  protected override get takesSparse(): boolean {
    return true;
  }

  protected override checkGroup(call: string, options: SparseAdamOptions): void {
    checkRules(call, options, RULES);
  }

  protected override update(group: ParamGroup<SparseAdamOptions>, { params, grads }: Batch): void {
    this.refuseInCapture();
    const dense = grads.findIndex((grad) => native.layout(grad) === "strided");
    if (dense >= 0) {
      throw new TypeError(
        `SparseAdam.step: parameter ${group.params.indexOf(params[dense]!)} has a dense gradient; optim.Adam takes those.`,
      );
    }
    tidy(() => {
      for (const [i, parameter] of params.entries()) this.#updateRows(group, parameter, grads[i]!);
    });
  }

  #updateRows(group: ParamGroup<SparseAdamOptions>, parameter: Tensor, given: Tensor): void {
    const zeros = () => torchFunctions.zerosLike(parameter);
    const step = this.remember(parameter, "step", () => stateNumber())
      .add_(1)
      .item();
    const expAvg = this.remember(parameter, "expAvg", zeros);
    const expAvgSq = this.remember(parameter, "expAvgSq", zeros);
    const [beta1, beta2] = group.betas;
    const { grad, values } = sparseParts(group.maximize ? given.neg() : given);
    if (native.numel(values) === 0) return;
    const move = (average: Tensor, towards: Tensor, share: number): Tensor => {
      const old = sparseParts(average.sparseMask(grad)).values;
      const change = towards.sub(old).mul_(share);
      average.add_(sparseLike(grad, change));
      return change.add_(old);
    };
    const numerator = move(expAvg, values, 1 - beta1);
    const denominator = move(expAvgSq, values.pow(2), 1 - beta2)
      .sqrt_()
      .add_(group.eps);
    const size = (group.lr * Math.sqrt(1 - beta2 ** step)) / (1 - beta1 ** step);
    parameter.add_(sparseLike(grad, numerator.div_(denominator).mul_(-size)));
  }
}
