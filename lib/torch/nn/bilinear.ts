// Layers of two inputs: a bilinear form, and distances between vectors.
import type { Tensor } from "../tensor/tensor.ts";
import { checkBoolean, checkInteger, checkNumber } from "../vocabulary/arguments.ts";
import { neededByPlace, argumentsByName, optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import type { DType } from "../vocabulary/dtype.ts";
import type { DeviceText } from "../vocabulary/device_name.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { emptyParameter, readLayerOptions, type FactoryOptions } from "./factory.ts";
import * as init from "./init/init.ts";
import { inputShape } from "./input.ts";
import { LINEAR_PLACES, LINEAR_RULES, type LinearOptions } from "./linear.ts";
import { Module } from "./module/module.ts";
import type { Parameter } from "./module/parameter.ts";
import type { ByName } from "../types/index.ts";

/** x1^T W x2 + b over the last dimensions. */
export class Bilinear extends Module {
  readonly in1Features: number;
  readonly in2Features: number;
  readonly outFeatures: number;
  /** [outFeatures, in1Features, in2Features] */
  weight: Parameter;
  bias: Parameter | null;

  constructor(
    in1Features: number,
    in2Features: number,
    outFeatures: number,
    bias?: boolean | LinearOptions,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(
    named: ByName & { in1Features: number; in2Features: number; outFeatures: number } & LinearOptions,
  );
  constructor(
    in1Features: number,
    named: ByName & { in2Features: number; outFeatures: number } & LinearOptions,
  );
  constructor(
    in1Features: number,
    in2Features: number,
    named: ByName & { outFeatures: number } & LinearOptions,
  );
  constructor(in1Features: number, in2Features: number, outFeatures: number);
  constructor(...all: unknown[]) {
    const [in1Features, in2Features, outFeatures, ...given] = neededByPlace<
      [in1Features: number, in2Features: number, outFeatures: number]
    >(["in1Features", "in2Features", "outFeatures"], all);
    super();
    const call = "new nn.Bilinear";
    const options = optionsByPlace<LinearOptions>(call, LINEAR_PLACES, given);
    const { read, factory } = readLayerOptions(call, options, LINEAR_RULES);
    this.in1Features = checkInteger(call, "in1Features", in1Features, 1);
    this.in2Features = checkInteger(call, "in2Features", in2Features, 1);
    this.outFeatures = checkInteger(call, "outFeatures", outFeatures, 1);
    this.weight = emptyParameter([outFeatures, in1Features, in2Features], factory);
    this.bias = read.bias ? emptyParameter([outFeatures], factory) : null;
    this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: uniform within 1 / sqrt(in1Features). */
  resetParameters(): void {
    const bound = 1 / Math.sqrt(this.in1Features);
    init.uniform_(this.weight, -bound, bound);
    if (this.bias) init.uniform_(this.bias, -bound, bound);
  }

  override forward(input1: Tensor, input2: Tensor): Tensor {
    const [shape1, shape2] = [inputShape(this, input1), inputShape(this, input2)];
    const sizes = [this.in1Features, this.in2Features];
    const fits = shape1.at(-1) === sizes[0] && shape2.at(-1) === sizes[1];
    if (!fits || shape1.slice(0, -1).join() !== shape2.slice(0, -1).join()) {
      throw new RangeError(
        `${this}: the inputs must be [..., ${sizes[0]}] and [..., ${sizes[1]}], ` +
          `got shapes [${shape1.join(", ")}] and [${shape2.join(", ")}].`,
      );
    }
    return torchFunctions.bilinear(input1, input2, this.weight, this.bias);
  }

  override extraRepr(): string {
    return (
      `in1Features=${this.in1Features}, in2Features=${this.in2Features}, ` +
      `outFeatures=${this.outFeatures}, bias=${this.bias !== null}`
    );
  }
}

/** x1 . x2 / (|x1| |x2|) along a dimension. */
export class CosineSimilarity extends Module {
  dim: number;
  eps: number;

  constructor(dim?: number, eps?: number);
  constructor(options: {
    /** The dimension of the vectors. Default: 1. */
    readonly dim?: number;
    /** The least product of the lengths that divides. Default: 1e-8. */
    readonly eps?: number;
  });
  constructor(...given: unknown[]) {
    super();
    const form = { places: ["dim", "eps"] as const };
    const { dim = 1, eps = 1e-8 } = argumentsByName<Record<"dim" | "eps", unknown>>(
      "new nn.CosineSimilarity",
      form,
      given,
    );
    this.dim = checkInteger("new nn.CosineSimilarity", "dim", dim, -Infinity);
    this.eps = checkNumber("new nn.CosineSimilarity", "eps", eps, { min: 0 });
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    const { length } = inputShape(this, x1);
    inputShape(this, x2);
    if (this.dim < -length || this.dim >= length) {
      throw new RangeError(`${this}: an input of ${length} dimensions has no dimension ${this.dim}.`);
    }
    return torchFunctions.cosineSimilarity(x1, x2, this.dim, this.eps);
  }

  override extraRepr(): string {
    return `dim=${this.dim}, eps=${this.eps}`;
  }
}

/** The p-norm of x1 - x2 + eps over the last dimension. */
export class PairwiseDistance extends Module {
  /** The norm's exponent. */
  norm: number;
  eps: number;
  keepdim: boolean;

  constructor(p?: number, eps?: number, keepdim?: boolean);
  constructor(options: {
    /** The norm's exponent. Default: 2. */
    readonly p?: number;
    /** Added to each difference. Default: 1e-6. */
    readonly eps?: number;
    /** Keeps the last dimension, with size 1. Default: false. */
    readonly keepdim?: boolean;
  });
  constructor(...given: unknown[]) {
    super();
    const call = "new nn.PairwiseDistance";
    const form = { places: ["p", "eps", "keepdim"] as const };
    const named = argumentsByName<Record<"p" | "eps" | "keepdim", unknown>>(call, form, given);
    const { p = 2, eps = 1e-6, keepdim = false } = named;
    this.norm = checkNumber(call, "p", p);
    this.eps = checkNumber(call, "eps", eps);
    this.keepdim = checkBoolean(call, "keepdim", keepdim);
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    inputShape(this, x1);
    inputShape(this, x2);
    return torchFunctions.pairwiseDistance(x1, x2, this.norm, this.eps, this.keepdim);
  }

  override extraRepr(): string {
    return `p=${this.norm}, eps=${this.eps}, keepdim=${this.keepdim}`;
  }
}
