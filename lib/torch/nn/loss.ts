// Losses as layers: they hold the options, `functional/loss.ts` computes. A weight is a buffer, so it moves and is
// saved with the loss.
import type { Tensor } from "../tensor.ts";
import * as functional from "./functional/loss.ts";
import type {
  BinaryLossOptions,
  ClassLossOptions,
  CrossEntropyOptions,
  LossOptions,
  Reduction,
} from "./functional/loss.ts";
import { Module } from "./module.ts";
import { Buffer } from "./parameter.ts";
import { checkChoice, checkNumber, checkOptions } from "../arguments.ts";

function checkReduction(call: string, { reduction = "mean" }: LossOptions): Reduction {
  return checkChoice(call, "reduction", reduction, ["mean", "sum", "none"]);
}

const CLASS_OPTIONS = ["reduction", "weight", "ignoreIndex"] as const;

export class CrossEntropyLoss extends Module {
  weight: Buffer | null;
  readonly options: Omit<CrossEntropyOptions, "weight">;

  constructor(options?: CrossEntropyOptions) {
    super();
    const call = "new nn.CrossEntropyLoss";
    const { weight, ...others } = checkOptions<CrossEntropyOptions>(call, options, [
      ...CLASS_OPTIONS,
      "labelSmoothing",
    ]);
    checkReduction(call, others);
    checkNumber(call, "labelSmoothing", others.labelSmoothing ?? 0, { least: 0, most: 1 });
    this.weight = weight ? new Buffer(weight) : null;
    this.options = others;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.crossEntropy(input, target, { ...this.options, weight: this.weight });
  }
}

export class NLLLoss extends Module {
  weight: Buffer | null;
  readonly options: Omit<ClassLossOptions, "weight">;

  constructor(options?: ClassLossOptions) {
    super();
    const { weight, ...others } = checkOptions<ClassLossOptions>("new nn.NLLLoss", options, CLASS_OPTIONS);
    checkReduction("new nn.NLLLoss", others);
    this.weight = weight ? new Buffer(weight) : null;
    this.options = others;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.nllLoss(input, target, { ...this.options, weight: this.weight });
  }
}

/** A loss whose only option is how the elements' losses become one. */
abstract class ReducedLoss extends Module {
  readonly reduction: Reduction;

  constructor(options?: LossOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
    this.reduction = checkReduction(call, checkOptions<LossOptions>(call, options, ["reduction"]));
  }
}

export class MSELoss extends ReducedLoss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.mseLoss(input, target, { reduction: this.reduction });
  }
}

export class L1Loss extends ReducedLoss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.l1Loss(input, target, { reduction: this.reduction });
  }
}

export class SmoothL1Loss extends Module {
  readonly reduction: Reduction;
  readonly beta: number;

  constructor(options?: LossOptions & { readonly beta?: number }) {
    super();
    const given = checkOptions("new nn.SmoothL1Loss", options, ["reduction", "beta"]);
    this.reduction = checkReduction("new nn.SmoothL1Loss", given);
    this.beta = checkNumber("new nn.SmoothL1Loss", "beta", given.beta ?? 1, { least: 0 });
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return functional.smoothL1Loss(input, target, { reduction: this.reduction, beta: this.beta });
  }
}

export class BCEWithLogitsLoss extends Module {
  readonly reduction: Reduction;
  weight: Buffer | null;
  posWeight: Buffer | null;

  constructor(options?: BinaryLossOptions & { readonly posWeight?: Tensor | null }) {
    super();
    const call = "new nn.BCEWithLogitsLoss";
    const { weight, posWeight, ...others } = checkOptions(call, options, [
      "reduction",
      "weight",
      "posWeight",
    ]);
    this.reduction = checkReduction(call, others);
    this.weight = weight ? new Buffer(weight) : null;
    this.posWeight = posWeight ? new Buffer(posWeight) : null;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { reduction, weight, posWeight } = this;
    return functional.binaryCrossEntropyWithLogits(input, target, { reduction, weight, posWeight });
  }
}
