// Resilient backpropagation (Riedmiller and Braun, 1993): steps by the gradient's sign, each element with a size of its
// own.
import { torchFunctions } from "../tensor/operators.ts";
import { boolean, number, pair } from "../vocabulary/options.ts";
import * as foreach from "./foreach.ts";
import { listOptimizer, type ListStep, type MaximizeOption } from "./list_optimizer.ts";
import type { ParamGroup } from "./optimizer.ts";

export interface RpropOptions extends MaximizeOption {
  /** The first size of the steps. Default: 1e-2. */
  lr: number;
  /** Factors by which a size shrinks when the sign changes, and grows when it stays. Default: [0.5, 1.2]. */
  etas: readonly [number, number];
  /** The least and the largest size. Default: [1e-6, 50]. */
  stepSizes: readonly [number, number];
}

export class Rprop extends listOptimizer<RpropOptions>({
  lr: number(1e-2, { min: 0 }),
  etas: pair([0.5, 1.2], [{ min: Number.MIN_VALUE, max: 1, below: true }, { min: 1 }]),
  stepSizes: pair([1e-6, 50], [{ min: 0 }, { min: 0 }]),
  maximize: boolean(false),
}) {
  protected override stepList(group: ParamGroup<RpropOptions>, { params, grads }: ListStep): void {
    const { lr, etas, stepSizes } = group;
    const previous = this.remembered(params, "prev");
    const sizes = this.remembered(params, "stepSize", (parameter) => torchFunctions.fullLike(parameter, lr));
    const signs = foreach.sign(foreach.mul(grads, previous));
    const turned = signs.map((sign) => sign.lt(0));
    const factors = signs.map((sign, i) =>
      torchFunctions.onesLike(sign).maskedFill_(sign.gt(0), etas[1]).maskedFill_(turned[i]!, etas[0]),
    );
    foreach.mul_(sizes, factors);
    foreach.clamp_(sizes, stepSizes[0], stepSizes[1]);
    const kept = grads.map((grad, i) => grad.maskedFill(turned[i]!, 0));
    foreach.addcmul_(params, foreach.sign(kept), sizes, -1);
    foreach.copy_(previous, kept);
  }
}
