// Pooling: a window's maximum or mean, and pooling to a given size.
import type { Tensor } from "../tensor.ts";
import { checkBoolean, checkOptions, checkSizes } from "../arguments.ts";
import { nnFunctions, torchFunctions } from "../operators.ts";
import type { Sizes } from "./conv.ts";
import { checkChannels } from "./input.ts";
import { Module } from "./module.ts";
import { keepNothing } from "./transient.ts";

export interface MaxPoolOptions {
  /** The kernel's size unless given. */
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly dilation?: Sizes;
  /** Rounds the output's size up, so that a last partial window counts. */
  readonly ceilMode?: boolean;
}

export interface AvgPoolOptions {
  /** The kernel's size unless given. */
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly ceilMode?: boolean;
  /** Whether padded zeros count in the mean; true unless given. */
  readonly countIncludePad?: boolean;
}

function sizesText(sizes: readonly number[]): string {
  return sizes.every((size) => size === sizes[0]) ? `${sizes[0]}` : `[${sizes.join(", ")}]`;
}

/** libtorch refuses more padding than half a window, of which some would hold nothing but padding. */
function checkPadding(call: string, padding: readonly number[], kernelSize: readonly number[]): void {
  if (padding.some((size, i) => size > kernelSize[i]! / 2)) {
    throw new RangeError(
      `${call}: padding must be at most half of kernelSize, got ${sizesText(padding)} and ${sizesText(kernelSize)}.`,
    );
  }
}

type MaxPoolOperator = typeof torchFunctions.maxPool2d;
type AvgPoolOperator = typeof nnFunctions.avgPool2d;

abstract class MaxPool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly ceilMode: boolean;
  readonly #operator: MaxPoolOperator;

  protected constructor(
    operator: MaxPoolOperator,
    spatial: number,
    kernelSize: Sizes,
    options?: MaxPoolOptions,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const given = checkOptions<MaxPoolOptions>(call, options, ["stride", "padding", "dilation", "ceilMode"]);
    this.#operator = operator;
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = checkSizes(call, "stride", given.stride ?? kernelSize, spatial, 1);
    this.padding = checkSizes(call, "padding", given.padding ?? 0, spatial, 0);
    checkPadding(call, this.padding, this.kernelSize);
    this.dilation = checkSizes(call, "dilation", given.dilation ?? 1, spatial, 1);
    this.ceilMode = checkBoolean(call, "ceilMode", given.ceilMode ?? false);
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    return this.#operator(input, this.kernelSize, this.stride, this.padding, this.dilation, this.ceilMode);
  }

  override extraRepr(): string {
    return (
      `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}, ` +
      `dilation=${sizesText(this.dilation)}, ceilMode=${this.ceilMode}`
    );
  }
}

export class MaxPool1d extends MaxPool {
  constructor(kernelSize: Sizes, options?: MaxPoolOptions) {
    super(torchFunctions.maxPool1d, 1, kernelSize, options);
  }
}

export class MaxPool2d extends MaxPool {
  constructor(kernelSize: Sizes, options?: MaxPoolOptions) {
    super(torchFunctions.maxPool2d, 2, kernelSize, options);
  }
}

export class MaxPool3d extends MaxPool {
  constructor(kernelSize: Sizes, options?: MaxPoolOptions) {
    super(torchFunctions.maxPool3d, 3, kernelSize, options);
  }
}

abstract class AvgPool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly ceilMode: boolean;
  readonly countIncludePad: boolean;
  readonly #operator: AvgPoolOperator;

  protected constructor(
    operator: AvgPoolOperator,
    spatial: number,
    kernelSize: Sizes,
    options?: AvgPoolOptions,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const given = checkOptions<AvgPoolOptions>(call, options, [
      "stride",
      "padding",
      "ceilMode",
      "countIncludePad",
    ]);
    this.#operator = operator;
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = checkSizes(call, "stride", given.stride ?? kernelSize, spatial, 1);
    this.padding = checkSizes(call, "padding", given.padding ?? 0, spatial, 0);
    checkPadding(call, this.padding, this.kernelSize);
    this.ceilMode = checkBoolean(call, "ceilMode", given.ceilMode ?? false);
    this.countIncludePad = checkBoolean(call, "countIncludePad", given.countIncludePad ?? true);
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    return this.#operator(
      input,
      this.kernelSize,
      this.stride,
      this.padding,
      this.ceilMode,
      this.countIncludePad,
    );
  }

  override extraRepr(): string {
    return `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}`;
  }
}

export class AvgPool1d extends AvgPool {
  constructor(kernelSize: Sizes, options?: AvgPoolOptions) {
    super(torchFunctions.avgPool1d as AvgPoolOperator, 1, kernelSize, options);
  }
}

export class AvgPool2d extends AvgPool {
  constructor(kernelSize: Sizes, options?: AvgPoolOptions) {
    super(nnFunctions.avgPool2d, 2, kernelSize, options);
  }
}

export class AvgPool3d extends AvgPool {
  constructor(kernelSize: Sizes, options?: AvgPoolOptions) {
    super(nnFunctions.avgPool3d, 3, kernelSize, options);
  }
}

/** Means over windows chosen so that the output is [batch, channels, height, width] with the given sizes. */
export class AdaptiveAvgPool2d extends Module {
  readonly outputSize: readonly number[];

  constructor(outputSize: Sizes) {
    super();
    this.outputSize = checkSizes("new nn.AdaptiveAvgPool2d", "outputSize", outputSize, 2, 1);
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, 2, null);
    return nnFunctions.adaptiveAvgPool2d(input, this.outputSize);
  }

  override extraRepr(): string {
    return `outputSize=${sizesText(this.outputSize)}`;
  }
}

keepNothing(MaxPool, AvgPool, AdaptiveAvgPool2d);
