// Unfold copies windows of an image into columns, and Fold sums columns back into an image: `im2col` and `col2im`.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkOptions, checkSizes, shapeText } from "../../vocabulary/arguments.ts";
import { nnFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { checkChannels, inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";

export interface FoldOptions {
  /** Distance between the window's elements. Default: 1. */
  readonly dilation?: Sizes;
  /** Zeros on each side. Default: 0. */
  readonly padding?: Sizes;
  /** Steps of the window. Default: 1. */
  readonly stride?: Sizes;
}

abstract class Windows extends Module {
  readonly kernelSize: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly stride: readonly number[];

  constructor(kernelSize: Sizes, options?: FoldOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const given = checkOptions<FoldOptions>(call, options, ["dilation", "padding", "stride"]);
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, 2, 1);
    this.dilation = checkSizes(call, "dilation", given.dilation ?? 1, 2, 1);
    this.padding = checkSizes(call, "padding", given.padding ?? 0, 2, 0);
    this.stride = checkSizes(call, "stride", given.stride ?? 1, 2, 1);
  }

  /** How many windows an image of this size has. */
  protected windowCount(image: readonly number[]): number {
    const counts = image.map((size, i) => {
      const span = this.dilation[i]! * (this.kernelSize[i]! - 1) + 1;
      return Math.floor((size + 2 * this.padding[i]! - span) / this.stride[i]!) + 1;
    });
    return counts.some((count) => count < 1) ? 0 : counts.reduce((product, count) => product * count, 1);
  }

  override extraRepr(): string {
    return (
      `kernelSize=${shapeText(this.kernelSize)}, dilation=${shapeText(this.dilation)}, ` +
      `padding=${shapeText(this.padding)}, stride=${shapeText(this.stride)}`
    );
  }
}

/** [batch, channels, height, width] -> [batch, channels * window, windows]. */
export class Unfold extends Windows {
  override forward(input: Tensor): Tensor {
    checkChannels(this, input, 2, null);
    if (this.windowCount(input.shape.slice(-2)) === 0) {
      throw new RangeError(
        `${this}: the window is larger than the input of shape [${input.shape.join(", ")}].`,
      );
    }
    return nnFunctions.im2col(input, this.kernelSize, this.dilation, this.padding, this.stride);
  }
}

/** [batch, channels * window, windows] -> [batch, channels, ...outputSize]; where windows overlap, values add up. */
export class Fold extends Windows {
  readonly outputSize: readonly number[];

  constructor(outputSize: Sizes, kernelSize: Sizes, options?: FoldOptions) {
    super(kernelSize, options);
    this.outputSize = checkSizes("new nn.Fold", "outputSize", outputSize, 2, 1);
  }

  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    const window = this.kernelSize[0]! * this.kernelSize[1]!;
    const windows = this.windowCount(this.outputSize);
    const fits = shape.length === 2 || shape.length === 3;
    if (!fits || shape.at(-2)! % window !== 0 || shape.at(-1) !== windows) {
      throw new RangeError(
        `${this}: the input must be [batch, channels * ${window}, ${windows}], got shape [${shape.join(", ")}].`,
      );
    }
    return nnFunctions.col2im(
      input,
      this.outputSize,
      this.kernelSize,
      this.dilation,
      this.padding,
      this.stride,
    );
  }

  override extraRepr(): string {
    return `outputSize=${shapeText(this.outputSize)}, ${super.extraRepr()}`;
  }
}

keepNothing(Unfold, Fold);
