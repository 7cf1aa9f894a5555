// Activations along a dimension: softmax and its relatives, and gated units.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import { softmin } from "../functional/activation.ts";
import { checkChannels, inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import type { CalledAsForward } from "../module/called.ts";
import { keepNothing } from "../module/transient.ts";
import type { LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

interface Dimension {
  /** The dimension of the classes; -1 is the last. */
  readonly dim: number;
}

abstract class AlongDimension extends Module {
  dim: number;
  private readonly _operator: (input: Tensor, dim: number) => Tensor;

  protected constructor(
    operator: (input: Tensor, dim: number) => Tensor,
    given: readonly unknown[],
    otherwise?: number,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { dim = otherwise } = argumentsByName<Dimension>(call, { places: ["dim"] }, given);
    this._operator = operator;
    this.dim = checkInteger(call, "dim", dim, -Infinity);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    const dimensions = Math.max(shape.length, 1);
    if (this.dim < -dimensions || this.dim >= dimensions) {
      throw new RangeError(`${this}: an input of ${shape.length} dimensions has no dimension ${this.dim}.`);
    }
    this.checkShape(shape);
    return this._operator(input, this.dim);
  }

  protected checkShape(_shape: readonly number[]): void {}

  override extraRepr(): string {
    return `dim=${this.dim}`;
  }
}

export interface Softmax extends LayerCall<""> {}

/** exp(x) / sum(exp(x)) along a dimension. */
export class Softmax extends AlongDimension {
  constructor(dim: number);
  constructor(options: Dimension);
  constructor(...given: unknown[]) {
    super(torchFunctions.softmax, given);
  }
}

export interface LogSoftmax extends LayerCall<""> {}

/** log(softmax(x)) along a dimension, without its loss of digits. */
export class LogSoftmax extends AlongDimension {
  constructor(dim: number);
  constructor(options: Dimension);
  constructor(...given: unknown[]) {
    super(torchFunctions.logSoftmax, given);
  }
}

export interface Softmin extends LayerCall<""> {}

/** softmax(-x) along a dimension. */
export class Softmin extends AlongDimension {
  constructor(dim: number);
  constructor(options: Dimension);
  constructor(...given: unknown[]) {
    super(softmin, given);
  }
}

export interface GLU extends CalledAsForward {}

/** a sigmoid(b), where a and b are the halves of the input along a dimension. */
export class GLU extends AlongDimension {
  constructor(dim?: number);
  constructor(options: {
    /** The dimension that is halved. Default: -1. */
    readonly dim?: number;
  });
  constructor(...given: unknown[]) {
    super(nnFunctions.glu, given, -1);
  }

  protected override checkShape(shape: readonly number[]): void {
    const size = shape.at(this.dim);
    if (size === undefined || size % 2 !== 0) {
      throw new RangeError(`${this}: the dimension must have an even size, got shape [${shape.join(", ")}].`);
    }
  }
}

export interface Softmax2d extends LayerCall<""> {}

/** Softmax over the channels of [batch, channels, height, width]. */
export class Softmax2d extends Module {
  override forward(input: Tensor): Tensor {
    checkChannels(this, input, 2, null);
    return torchFunctions.softmax(input, -3);
  }
}

keepNothing(AlongDimension, Softmax2d);
