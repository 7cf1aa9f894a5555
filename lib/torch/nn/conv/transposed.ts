// Transposed convolutions: layers that enlarge, computed as a convolution's gradient with respect to its input.
import type { CalledAsForward } from "../module/called.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkOptions, checkSizes, describe, shapeText } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { checkChannels } from "../input.ts";
import { keepNothing } from "../module/transient.ts";
import {
  CONV_NEEDED,
  type ConvNeeded,
  Convolutional,
  type Sizes,
  type TransposedPlaces,
  type WindowOptions,
} from "./geometry.ts";
import type { ByName } from "../../types/index.ts";

export interface ConvTransposeOptions extends Omit<WindowOptions, "paddingMode"> {
  /** Takes this much off each side of the output. Default: 0. */
  readonly padding?: Sizes;
  /** Adds this much to one side of the output. Default: 0. Must be below stride or dilation. */
  readonly outputPadding?: Sizes;
  /** How the border is filled; PyTorch knows no other way here. Default: "zeros". */
  readonly paddingMode?: "zeros";
}

/** What follows the window's size, by place: in another order than a convolution's. */
export const TRANSPOSED_PLACES = [
  "stride",
  "padding",
  "outputPadding",
  "groups",
  "bias",
  "dilation",
  "paddingMode",
  "device",
  "dtype",
] as const satisfies readonly (keyof ConvTransposeOptions)[];

type TransposedOperator = typeof torchFunctions.convTranspose2d;

/* oxlint-disable typescript/no-unsafe-declaration-merging */

interface ConvolutionTransposed extends CalledAsForward {}

abstract class ConvolutionTransposed extends Convolutional {
  override readonly padding: readonly number[];
  readonly outputPadding: readonly number[];
  private readonly _operator: TransposedOperator;

  /** @param all what the layer needs and its options, at their places or by name */
  protected constructor(operator: TransposedOperator, spatial: number, all: readonly unknown[]) {
    const call = `new nn.${new.target.name}`;
    const [inChannels, outChannels, kernelSize, ...others] = neededByPlace<ConvNeeded>(CONV_NEEDED, all);
    const options = optionsByPlace<ConvTransposeOptions>(call, TRANSPOSED_PLACES, others);
    const given = checkOptions<ConvTransposeOptions>(call, options, TRANSPOSED_PLACES);
    if (given.paddingMode !== undefined && given.paddingMode !== "zeros") {
      throw new TypeError(
        `${call}: paddingMode must be "zeros", got ${describe(given.paddingMode)}; a transposed convolution has no other.`,
      );
    }
    super(spatial, inChannels, outChannels, kernelSize, given, true);
    this._operator = operator;
    this.padding = checkSizes(call, "padding", given.padding ?? 0, spatial, 0);
    this.outputPadding = checkSizes(call, "outputPadding", given.outputPadding ?? 0, spatial, 0);
    for (const [i, size] of this.outputPadding.entries()) {
      if (size < Math.max(this.stride[i]!, this.dilation[i]!)) continue;
      throw new RangeError(
        `${call}: outputPadding must be below stride or dilation, got ${shapeText(this.outputPadding)}.`,
      );
    }
  }

  /** `outputSize` names the spatial sizes of the output where a stride leaves several possible. */
  override forward(input: Tensor, outputSize?: readonly number[]): Tensor {
    checkChannels(this, input, this.kernelSize.length, this.inChannels);
    const { weight, bias, stride, padding, groups, dilation } = this;
    const outputPadding = outputSize ? this._paddingFor(input, outputSize) : this.outputPadding;
    return this._operator(input, weight, bias, stride, padding, outputPadding, groups, dilation);
  }

  private _paddingFor(input: Tensor, outputSize: readonly number[]): number[] {
    const spatial = this.kernelSize.length;
    const sizes = input.shape.slice(-spatial);
    if (!Array.isArray(outputSize) || outputSize.length !== spatial) {
      throw new RangeError(
        `${this}: outputSize must be ${spatial} spatial sizes, got ${describe(outputSize)}.`,
      );
    }
    const min = sizes.map(
      (size, i) =>
        (size - 1) * this.stride[i]! -
        2 * this.padding[i]! +
        this.dilation[i]! * (this.kernelSize[i]! - 1) +
        1,
    );
    return min.map((smallest, i) => {
      const wished = checkInteger(`${this}`, `outputSize[${i}]`, outputSize[i], 0);
      const more = wished - smallest;
      if (more >= 0 && more < this.stride[i]!) return more;
      const max = min.map((size, j) => size + this.stride[j]! - 1);
      throw new RangeError(
        `${this}: outputSize must be from ${shapeText(min)} to ${shapeText(max)}, got ${shapeText(outputSize)}.`,
      );
    });
  }

  protected override moreRepr(): string[] {
    return this.outputPadding.some((size) => size !== 0)
      ? [`outputPadding=${shapeText(this.outputPadding)}`]
      : [];
  }
}

/**
 * Applies a transposed convolution to [batch, channels, length]. `weight` is [inChannels, outChannels / groups,
 * length].
 */
export class ConvTranspose1d extends ConvolutionTransposed {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    ...options: TransposedPlaces<ConvTransposeOptions>
  );
  constructor(
    named: ByName & { inChannels: number; outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    outChannels: number,
    named: ByName & { kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes);
  constructor(...given: unknown[]) {
    super(torchFunctions.convTranspose1d, 1, given);
  }
}

/**
 * Applies a transposed convolution to [batch, channels, height, width]. `weight` is [inChannels, outChannels / groups,
 * height, width].
 */
export class ConvTranspose2d extends ConvolutionTransposed {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    ...options: TransposedPlaces<ConvTransposeOptions>
  );
  constructor(
    named: ByName & { inChannels: number; outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    outChannels: number,
    named: ByName & { kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes);
  constructor(...given: unknown[]) {
    super(torchFunctions.convTranspose2d, 2, given);
  }
}

/**
 * Applies a transposed convolution to [batch, channels, depth, height, width]. `weight` is [inChannels, outChannels /
 * groups, depth, height, width].
 */
export class ConvTranspose3d extends ConvolutionTransposed {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    ...options: TransposedPlaces<ConvTransposeOptions>
  );
  constructor(
    named: ByName & { inChannels: number; outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    named: ByName & { outChannels: number; kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(
    inChannels: number,
    outChannels: number,
    named: ByName & { kernelSize: Sizes } & ConvTransposeOptions,
  );
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes);
  constructor(...given: unknown[]) {
    super(torchFunctions.convTranspose3d, 3, given);
  }
}

keepNothing(ConvolutionTransposed);
