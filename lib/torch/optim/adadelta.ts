// Adadelta (Zeiler, arXiv:1212.5701): steps as large as the running mean of the steps before.
import { boolean, number } from "../vocabulary/options.ts";
import * as foreach from "./foreach.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";

export interface AdadeltaOptions extends MaximizeOption {
  /** Multiplier of the steps, 1 unless given. */
  lr: number;
  /** Decay rate of the means of squares, 0.9 unless given. */
  rho: number;
  /** Added under the roots, 1e-6 unless given. */
  eps: number;
  /** Added to the gradient, times the parameter. */
  weightDecay: number;
}

export class Adadelta extends listOptimizer<AdadeltaOptions>({
  lr: number(1, { least: 0 }),
  rho: number(0.9, { least: 0, most: 1 }),
  eps: number(1e-6, { least: 0 }),
  weightDecay: number(0, { least: 0 }),
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
