// Rectified activations whose slope below 0 is learnt (PReLU) or drawn (RReLU).
import type { Tensor } from "../../tensor/tensor.ts";
import { checkBoolean, checkInteger, checkNumber } from "../../vocabulary/arguments.ts";
import { argumentsByName, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { number, type Rules } from "../../vocabulary/options.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { filledParameter, readLayerOptions, type FactoryOptions } from "../factory.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import type { Parameter } from "../module/parameter.ts";
import { keepNothing } from "../module/transient.ts";
import type { InPlaceOptions } from "../functional/in_place.ts";
import type { LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

interface PReLUStructure {
  /** The slope at the beginning. Default: 0.25. */
  readonly init?: number;
}

export interface PReLUOptions extends PReLUStructure, FactoryOptions {}

const PRELU_RULES: Rules<PReLUStructure> = { init: number(0.25) };

export interface PReLU extends LayerCall<""> {}

/** x above 0, weight * x below, with a weight that is learnt: one, or one a channel. */
export class PReLU extends Module {
  readonly numParameters: number;
  /** [numParameters] */
  weight: Parameter;

  constructor(numParameters?: number, options?: PReLUOptions);
  constructor(
    numParameters: number,
    init: number,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(
    options: PReLUOptions & {
      /** Slopes that are learnt: 1, or one a channel. Default: 1. */
      readonly numParameters?: number;
    },
  );
  constructor(...given: unknown[]) {
    super();
    const call = "new nn.PReLU";
    const places = ["numParameters", "init", "device", "dtype"] as const;
    const named = optionsByPlace<PReLUOptions & { numParameters?: number }>(call, places, given) ?? {};
    const { numParameters = 1, ...options } = named;
    const { read, factory } = readLayerOptions<PReLUStructure>(call, options, PRELU_RULES);
    this.numParameters = checkInteger(call, "numParameters", numParameters, 1);
    this.weight = filledParameter([numParameters], read.init, factory);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    const channels = shape.length < 2 ? 1 : shape[1]!;
    if (this.numParameters !== 1 && this.numParameters !== channels) {
      throw new RangeError(
        `${this}: the input must have ${this.numParameters} channels, got ${channels} in shape [${shape.join(", ")}].`,
      );
    }
    return torchFunctions.prelu(input, this.weight);
  }

  override extraRepr(): string {
    return `numParameters=${this.numParameters}`;
  }
}

export interface RReLUOptions extends InPlaceOptions {
  /** The least slope below zero. Default: 1 / 8. */
  readonly lower?: number;
  /** The greatest slope below zero. Default: 1 / 3. */
  readonly upper?: number;
}

export interface RReLU extends LayerCall<""> {}

/** x above 0, a x below: `a` drawn from [lower, upper] for each element in training, their mean under `eval()`. */
export class RReLU extends Module {
  lower: number;
  upper: number;
  inplace: boolean;

  constructor(lower?: number, upper?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: RReLUOptions);
  constructor(...given: unknown[]) {
    super();
    const call = "new nn.RReLU";
    const places = ["lower", "upper", "inplace"] as const;
    const named = argumentsByName<RReLUOptions>(call, { places }, given);
    const { lower = 1 / 8, upper = 1 / 3, inplace = false } = named;
    this.lower = checkNumber(call, "lower", lower);
    this.upper = checkNumber(call, "upper", upper);
    if (lower > upper)
      throw new RangeError(`${call}: lower must be at most upper, got ${lower} and ${upper}.`);
    this.inplace = checkBoolean(call, "inplace", inplace);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    const run = this.inplace ? torchFunctions.rrelu_ : torchFunctions.rrelu;
    return run(input, this.lower, this.upper, this.training);
  }

  override extraRepr(): string {
    return `lower=${this.lower}, upper=${this.upper}${this.inplace ? ", inplace=true" : ""}`;
  }
}

keepNothing(PReLU, RReLU);
