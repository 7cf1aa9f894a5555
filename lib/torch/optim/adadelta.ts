// Adadelta (Zeiler, arXiv:1212.5701): scales each step by the running mean of earlier steps.
import { boolean, number } from "../vocabulary/options.ts";
import * as foreach from "./foreach.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";

export interface AdadeltaOptions extends MaximizeOption {
  /** Multiplier of the steps. Default: 1. */
  lr: number;
  /** Decay rate of the means of squares. Default: 0.9. */
  rho: number;
  /** Added under the roots. Default: 1e-6. */
  eps: number;
  /** Added to the gradient, times the parameter. Default: 0. */
  weightDecay: number;
}

export class Adadelta extends listOptimizer<AdadeltaOptions>({
  lr: number(1, { min: 0 }),
  rho: number(0.9, { min: 0, max: 1 }),
  eps: number(1e-6, { min: 0 }),
  weightDecay: number(0, { min: 0 }),
  maximize: boolean(false),
}) {
  protected override stepList(group: ParamGroup<AdadeltaOptions>, { params, grads }: ListStep): void {
    const { lr, rho, eps } = group;
    const squareAvgs = this.remembered(params, "squareAvg");
    const accDeltas = this.remembered(params, "accDelta");
    foreach.mulNumber_(squareAvgs, rho);
    foreach.addcmul_(squareAvgs, grads, grads, 1 - rho);
    const roots = foreach.addNumber(squareAvgs, eps);
    foreach.sqrt_(roots);
    const deltas = foreach.addNumber(accDeltas, eps);
    foreach.sqrt_(deltas);
    foreach.div_(deltas, roots);
    foreach.mul_(deltas, grads);
    foreach.mulNumber_(accDeltas, rho);
    foreach.addcmul_(accDeltas, deltas, deltas, 1 - rho);
    foreach.add_(params, deltas, -lr);
  }
}
