// RMSprop (Hinton, 2012): gradients divided by the root of a running mean of their squares.
import { boolean, number } from "../vocabulary/options.ts";
import * as foreach from "./foreach.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";

export interface RMSpropOptions extends MaximizeOption {
  /** Learning rate. Default: 1e-2. */
  lr: number;
  /** Decay rate of the mean of squares. Default: 0.99. */
  alpha: number;
  /** Added to the denominator. Default: 1e-8. */
  eps: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
  /** Share of the last step's direction that stays. Default: 0. */
  momentum: number;
  /** Takes the gradient's mean off before squaring. Default: false. */
  centered: boolean;
}

const least0 = { min: 0 };

export class RMSprop extends listOptimizer<RMSpropOptions>({
  lr: number(1e-2, least0),
  alpha: number(0.99, least0),
  eps: number(1e-8, least0),
  weightDecay: number(0, least0),
  momentum: number(0, least0),
  centered: boolean(false),
  maximize: boolean(false),
}) {
  protected override stepList(group: ParamGroup<RMSpropOptions>, { params, grads }: ListStep): void {
    const { lr, alpha, eps, momentum } = group;
    const squareAvgs = this.remembered(params, "squareAvg");
    foreach.mulNumber_(squareAvgs, alpha);
    foreach.addcmul_(squareAvgs, grads, grads, 1 - alpha);
    const denominators = group.centered
      ? this.#centered(squareAvgs, params, grads, alpha)
      : foreach.sqrt(squareAvgs);
    foreach.addNumber_(denominators, eps);
    if (momentum === 0) {
      foreach.addcdiv_(params, grads, denominators, -lr);
      return;
    }
    const buffers = this.remembered(params, "momentumBuffer");
    foreach.mulNumber_(buffers, momentum);
    foreach.addcdiv_(buffers, grads, denominators, 1);
    foreach.add_(params, buffers, -lr);
  }

  #centered(squareAvgs: foreach.List, params: ListStep["params"], grads: foreach.List, alpha: number) {
    const gradAvgs = this.remembered(params, "gradAvg");
    foreach.lerp_(gradAvgs, grads, 1 - alpha);
    const variances = foreach.addcmul(squareAvgs, gradAvgs, gradAvgs, -1);
    foreach.sqrt_(variances);
    return variances;
  }
}
