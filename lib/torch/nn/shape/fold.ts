// Unfold copies windows of an image into columns, and Fold sums columns back into an image: `im2col` and `col2im`.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkSizes, shapeText } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { type OpenRules, readOptions, sizes } from "../../vocabulary/options.ts";
import { nnFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { checkChannels, inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName } from "../../types/index.ts";

export interface FoldOptions {
  /** Distance between the window's elements. Default: 1. */
  readonly dilation?: Sizes;
  /** Zeros on each side. Default: 0. */
  readonly padding?: Sizes;
  /** Steps of the window. Default: 1. */
  readonly stride?: Sizes;
}

const RULES = {
  dilation: sizes(2, 1, 1),
  padding: sizes(2, 0, 0),
  stride: sizes(2, 1, 1),
} satisfies OpenRules<FoldOptions>;

/** What follows the window's size, by place. */
const FOLD_PLACES = ["dilation", "padding", "stride"] as const;

abstract class Windows extends Module {
  readonly kernelSize: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly stride: readonly number[];

  protected constructor(kernelSize: Sizes, given: readonly unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<FoldOptions>(call, FOLD_PLACES, given);
    const { dilation, padding, stride } = readOptions(call, options, RULES);
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, 2, 1);
    this.dilation = dilation;
    this.padding = padding;
    this.stride = stride;
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
  constructor(
    kernelSize: Sizes,
    dilation?: Sizes | FoldOptions,
    padding?: Sizes | FoldOptions,
    stride?: Sizes | FoldOptions,
  );
  constructor(named: ByName & { kernelSize: Sizes } & FoldOptions);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(kernelSize, given);
  }

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

  constructor(
    outputSize: Sizes,
    kernelSize: Sizes,
    dilation?: Sizes | FoldOptions,
    padding?: Sizes | FoldOptions,
    stride?: Sizes | FoldOptions,
  );
  constructor(named: ByName & { outputSize: Sizes; kernelSize: Sizes } & FoldOptions);
  constructor(outputSize: Sizes, named: ByName & { kernelSize: Sizes } & FoldOptions);
  constructor(outputSize: Sizes, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [outputSize, kernelSize, ...given] = neededByPlace<[outputSize: Sizes, kernelSize: Sizes]>(
      ["outputSize", "kernelSize"],
      all,
    );
    super(kernelSize, given);
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
