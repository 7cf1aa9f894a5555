// Averaged stochastic gradient descent (Polyak and Juditsky, 1992): beside the parameters it keeps their mean.
import { boolean, number } from "../vocabulary/options.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";
import { stateNumber } from "./state.ts";

export interface AsgdOptions extends MaximizeOption {
  /** Learning rate. Default: 1e-2. */
  lr: number;
  /** Decay of the parameters. Default: 1e-4. */
  lambda: number;
  /** Exponent by which the learning rate falls. Default: 0.75. */
  alpha: number;
  /** The step at which averaging starts. Default: 1e6. */
  t0: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
}

export class ASGD extends listOptimizer<AsgdOptions>({
  lr: number(1e-2, { min: 0 }),
  lambda: number(1e-4),
  alpha: number(0.75),
  t0: number(1e6),
  weightDecay: number(0, { min: 0 }),
  maximize: boolean(false),
}) {
  protected override stepList(group: ParamGroup<AsgdOptions>, { params, grads, steps }: ListStep): void {
    const { lr, lambda, alpha, t0 } = group;
    const means = this.remembered(params, "ax");
    const etas = this.remembered(params, "eta", () => stateNumber(lr));
    const mus = this.remembered(params, "mu", () => stateNumber(1));
    for (const [i, parameter] of params.entries()) {
      const [eta, mu] = [etas[i]!.item(), mus[i]!.item()];
      parameter.mul_(1 - lambda * eta);
      parameter.add_(grads[i]!, { alpha: -eta });
      if (mu === 1) means[i]!.copy_(parameter);
      else means[i]!.add_(parameter.sub(means[i]!).mul_(mu));
      etas[i]!.fill_(lr / (1 + lambda * lr * steps[i]!) ** alpha);
      mus[i]!.fill_(1 / Math.max(1, steps[i]! - t0));
    }
  }
}
