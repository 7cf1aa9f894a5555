// Linear layers: products with a weight matrix.
import type { Tensor } from "../tensor/tensor.ts";
import { checkInteger } from "../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import type { DType } from "../vocabulary/dtype.ts";
import type { DeviceText } from "../vocabulary/device_name.ts";
import { boolean, type Rules } from "../vocabulary/options.ts";
import { nnFunctions } from "../tensor/operators.ts";
import { emptyParameter, readLayerOptions, type FactoryOptions } from "./factory.ts";
import * as init from "./init/init.ts";
import { inputShape } from "./input.ts";
import { Module } from "./module/base.ts";
import type { Parameter } from "./module/parameter.ts";
import { keepNothing } from "./module/transient.ts";
import type { ByName, LayerCall, SizeText } from "../types/index.ts";

interface LinearStructure {
  /** Whether a bias is added. Default: true. */
  readonly bias?: boolean;
}

export interface LinearOptions extends LinearStructure, FactoryOptions {}

export const LINEAR_RULES: Rules<LinearStructure> = { bias: boolean(true) };

/** What follows the sizes of linear layers and of recurrent cells, by place. */
export const LINEAR_PLACES = ["bias", "device", "dtype"] as const;

/** Uniform within 1 / sqrt(fanIn), as PyTorch fills the bias of linear and convolution layers. */
export function initBias(bias: Tensor, weight: Tensor): void {
  const { fanIn } = init.calculateFanInAndFanOut(weight);
  const bound = fanIn > 0 ? 1 / Math.sqrt(fanIn) : 0;
  init.uniform_(bias, -bound, bound);
}

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface Linear<
  In extends number = number,
  Out extends number = number,
> extends LayerCall<`linear;${SizeText<In>};${SizeText<Out>}|`> {}

/** x W^T + b over the last dimension: [..., inFeatures] -> [..., outFeatures]. */
export class Linear<In extends number = number, Out extends number = number> extends Module {
  readonly inFeatures: number;
  readonly outFeatures: number;
  /** [outFeatures, inFeatures] */
  weight: Parameter;
  bias: Parameter | null;

  constructor(
    inFeatures: In,
    outFeatures: Out,
    bias?: boolean | LinearOptions,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inFeatures: In; outFeatures: Out } & LinearOptions);
  constructor(inFeatures: In, named: ByName & { outFeatures: Out } & LinearOptions);
  constructor(inFeatures: In, outFeatures: Out);
  constructor(...all: unknown[]) {
    const [inFeatures, outFeatures, ...given] = neededByPlace<[inFeatures: In, outFeatures: Out]>(
      ["inFeatures", "outFeatures"],
      all,
    );
    super();
    const call = "new nn.Linear";
    const options = optionsByPlace<LinearOptions>(call, LINEAR_PLACES, given);
    const { read, factory } = readLayerOptions<LinearStructure>(call, options, LINEAR_RULES);
    this.inFeatures = checkInteger(call, "inFeatures", inFeatures, 0);
    this.outFeatures = checkInteger(call, "outFeatures", outFeatures, 0);
    this.weight = emptyParameter([outFeatures, inFeatures], factory);
    this.bias = read.bias ? emptyParameter([outFeatures], factory) : null;
    this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: uniform within 1 / sqrt(inFeatures), the bias too. */
  resetParameters(): void {
    init.kaimingUniform_(this.weight, Math.sqrt(5));
    if (this.bias) initBias(this.bias, this.weight);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    if (shape.at(-1) !== this.inFeatures) {
      throw new RangeError(
        `${this}: the input's last dimension must be ${this.inFeatures}, got shape [${shape.join(", ")}].`,
      );
    }
    return nnFunctions.linear(input, this.weight, this.bias);
  }

  override extraRepr(): string {
    return `inFeatures=${this.inFeatures}, outFeatures=${this.outFeatures}, bias=${this.bias !== null}`;
  }
}

export interface Identity extends LayerCall<""> {}

/** Gives back its input: a place for a layer that is not wanted. */
export class Identity extends Module {
  /** Takes any arguments, those of the layer whose place it has, and does nothing with them. */
  constructor(..._ignored: unknown[]) {
    super();
  }

  override forward(input: Tensor): Tensor {
    return input;
  }
}

keepNothing(Linear, Identity);
