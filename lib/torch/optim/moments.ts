// Optimizers with Adam's two moments under other formulas: Adamax, NAdam, RAdam.
import { boolean, number, pair, type Rules } from "../vocabulary/options.ts";
import * as foreach from "./foreach.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";
import { stateNumber } from "./state.ts";

export interface AdamaxOptions extends MaximizeOption {
  /** Learning rate. Default: 2e-3. */
  lr: number;
  /** Decay rates of the average of the gradient and of its largest magnitude. Default: [0.9, 0.999]. */
  betas: readonly [number, number];
  /** Added to the denominator. Default: 1e-8. */
  eps: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
}

const decayRate = { min: 0, max: 1, below: true };

const MOMENT_RULES: Rules<AdamaxOptions> = {
  lr: number(2e-3, { min: 0 }),
  betas: pair([0.9, 0.999], [decayRate, decayRate]),
  eps: number(1e-8, { min: 0 }),
  weightDecay: number(0, { min: 0 }),
  maximize: boolean(false),
};

/** Adam by the largest magnitude (Kingma and Ba, arXiv:1412.6980, section 7.1). */
export class Adamax extends listOptimizer<AdamaxOptions>(MOMENT_RULES) {
  protected override stepList(group: ParamGroup<AdamaxOptions>, { params, grads, steps }: ListStep): void {
    const { lr, betas, eps } = group;
    const expAvgs = this.remembered(params, "expAvg");
    const expInfs = this.remembered(params, "expInf");
    foreach.lerp_(expAvgs, grads, 1 - betas[0]);
    const magnitudes = foreach.abs(grads);
    foreach.addNumber_(magnitudes, eps);
    foreach.mulNumber_(expInfs, betas[1]);
    foreach.maximum_(expInfs, magnitudes);
    foreach.addcdiv_(
      params,
      expAvgs,
      expInfs,
      steps.map((step) => -lr / (1 - betas[0] ** step)),
    );
  }
}

interface DecoupledOptions extends AdamaxOptions {
  /** Takes weight decay off the parameter, and not into the gradient, as AdamW does. Default: false. */
  decoupledWeightDecay: boolean;
}

/** Decay that goes into the gradient; the other kind is applied to the parameters at once. */
function coupledDecay(group: DecoupledOptions): number {
  return group.decoupledWeightDecay ? 0 : group.weightDecay;
}

function decayParameters(group: DecoupledOptions, params: foreach.List): void {
  if (group.decoupledWeightDecay && group.weightDecay !== 0)
    foreach.mulNumber_(params, 1 - group.lr * group.weightDecay);
}

export interface NAdamOptions extends DecoupledOptions {
  /** Decay of the momentum. Default: 4e-3. */
  momentumDecay: number;
}

/** Adam with Nesterov's momentum (Dozat, 2016). */
export class NAdam extends listOptimizer<NAdamOptions>({
  ...MOMENT_RULES,
  momentumDecay: number(4e-3, { min: 0 }),
  decoupledWeightDecay: boolean(false),
}) {
  protected override decayOf = coupledDecay;

  protected override stepList(group: ParamGroup<NAdamOptions>, { params, grads, steps }: ListStep): void {
    const { lr, betas, eps, momentumDecay } = group;
    const [beta1, beta2] = betas;
    decayParameters(group, params);
    const expAvgs = this.remembered(params, "expAvg");
    const expAvgSqs = this.remembered(params, "expAvgSq");
    const muProducts = this.remembered(params, "muProduct", () => stateNumber(1));
    const muAt = (step: number) => beta1 * (1 - 0.5 * 0.96 ** (step * momentumDecay));
    foreach.mulNumber_(muProducts, steps.map(muAt));
    const products = muProducts.map((product) => product.item());
    foreach.lerp_(expAvgs, grads, 1 - beta1);
    foreach.mulNumber_(expAvgSqs, beta2);
    foreach.addcmul_(expAvgSqs, grads, grads, 1 - beta2);
    const denominators = foreach.divNumbers(
      expAvgSqs,
      steps.map((step) => 1 - beta2 ** step),
    );
    foreach.sqrt_(denominators);
    foreach.addNumber_(denominators, eps);
    foreach.addcdiv_(
      params,
      grads,
      denominators,
      steps.map((step, i) => (-lr * (1 - muAt(step))) / (1 - products[i]!)),
    );
    foreach.addcdiv_(
      params,
      expAvgs,
      denominators,
      steps.map((step, i) => (-lr * muAt(step + 1)) / (1 - products[i]! * muAt(step + 1))),
    );
  }
}

export type RAdamOptions = DecoupledOptions;

/** Adam whose variance is rectified while it has seen few steps (Liu et al., arXiv:1908.03265). */
export class RAdam extends listOptimizer<RAdamOptions>({
  ...MOMENT_RULES,
  lr: number(1e-3, { min: 0 }),
  decoupledWeightDecay: boolean(false),
}) {
  protected override decayOf = coupledDecay;

  protected override stepList(group: ParamGroup<RAdamOptions>, { params, grads, steps }: ListStep): void {
    const { lr, betas, eps } = group;
    const [beta1, beta2] = betas;
    decayParameters(group, params);
    const expAvgs = this.remembered(params, "expAvg");
    const expAvgSqs = this.remembered(params, "expAvgSq");
    foreach.lerp_(expAvgs, grads, 1 - beta1);
    foreach.mulNumber_(expAvgSqs, beta2);
    foreach.addcmul_(expAvgSqs, grads, grads, 1 - beta2);
    for (const [i, step] of steps.entries()) {
      const rectified = rectification(step, beta2);
      const size = lr / (1 - beta1 ** step);
      if (rectified === null) {
        params[i]!.add_(expAvgs[i]!, { alpha: -size });
        continue;
      }
      const denominator = expAvgSqs[i]!.sqrt().add_(eps);
      const value = -size * rectified * Math.sqrt(1 - beta2 ** step);
      params[i]!.addcdiv_(expAvgs[i]!, denominator, { value });
    }
  }
}

/** The factor that makes up for the variance of the second moment; null while that has none. */
function rectification(step: number, beta2: number): number | null {
  const max = 2 / (1 - beta2) - 1;
  const length = max - (2 * step * beta2 ** step) / (1 - beta2 ** step);
  if (length <= 5) return null;
  return Math.sqrt(((length - 4) * (length - 2) * max) / ((max - 4) * (max - 2) * length));
}
