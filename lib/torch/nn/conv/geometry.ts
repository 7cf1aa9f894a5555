// Parts that all convolutions share: channels and groups, window sizes, weights and their initialisation, printing.
import {
  checkBoolean,
  checkChoice,
  checkInteger,
  checkSizes,
  shapeText,
} from "../../vocabulary/arguments.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import * as init from "../init/init.ts";
import { emptyParameter, type FactoryOptions } from "../factory.ts";
import { initBias } from "../linear.ts";
import { Module } from "../module/base.ts";
import type { Parameter } from "../module/parameter.ts";

/** One size for all spatial dimensions, or one for each. */
export type Sizes = number | readonly number[];
export type PaddingMode = "zeros" | "reflect" | "replicate" | "circular";

export interface WindowOptions extends FactoryOptions {
  /** Steps of the window. Default: 1. */
  readonly stride?: Sizes;
  /** Distance between the window's elements. Default: 1. */
  readonly dilation?: Sizes;
  /** Groups of channels that see nothing of one another. Default: 1. */
  readonly groups?: number;
  /** Whether a bias is added. Default: true. */
  readonly bias?: boolean;
  /** The content of the padding. Default: "zeros". */
  readonly paddingMode?: PaddingMode;
}

/** What every convolution needs, in the order of the places. */
export const CONV_NEEDED = ["inChannels", "outChannels", "kernelSize"] as const;
export type ConvNeeded = [inChannels: number, outChannels: number, kernelSize: Sizes];

/** What follows the window's size of a convolution: values at their places, and `Options` in place of any but the last. */
export type ConvPlaces<Options> = [
  stride?: Sizes | Options,
  padding?: Sizes | "same" | "valid" | Options,
  dilation?: Sizes | Options,
  groups?: number | Options,
  bias?: boolean | Options,
  paddingMode?: PaddingMode | Options,
  device?: DeviceText | null | Options,
  dtype?: DType | null,
];

/** The same of a transposed convolution, in another order. */
export type TransposedPlaces<Options> = [
  stride?: Sizes | Options,
  padding?: Sizes | Options,
  outputPadding?: Sizes | Options,
  groups?: number | Options,
  bias?: boolean | Options,
  dilation?: Sizes | Options,
  paddingMode?: "zeros" | Options,
  device?: DeviceText | null | Options,
  dtype?: DType | null,
];

export const WINDOW_OPTIONS = [
  "stride",
  "padding",
  "dilation",
  "groups",
  "bias",
  "paddingMode",
  "device",
  "dtype",
] as const;

/** A layer with a window that moves over spatial dimensions, and a weight for each of its places. */
export abstract class Convolutional extends Module {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  declare readonly padding: readonly number[] | "same" | "valid";
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly paddingMode: PaddingMode;
  weight: Parameter;
  bias: Parameter | null;

  protected constructor(
    spatial: number,
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    options: WindowOptions,
    transposed: boolean,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { device, dtype, bias = true, groups = 1, paddingMode = "zeros" } = options;
    this.inChannels = checkInteger(call, "inChannels", inChannels, 1);
    this.outChannels = checkInteger(call, "outChannels", outChannels, 1);
    this.groups = checkInteger(call, "groups", groups, 1);
    if (inChannels % groups !== 0 || outChannels % groups !== 0) {
      throw new RangeError(
        `${call}: inChannels and outChannels must be multiples of groups, got ${inChannels}, ${outChannels} and ${groups}.`,
      );
    }
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = checkSizes(call, "stride", options.stride ?? 1, spatial, 1);
    this.dilation = checkSizes(call, "dilation", options.dilation ?? 1, spatial, 1);
    this.paddingMode = checkChoice(call, "paddingMode", paddingMode, [
      "zeros",
      "reflect",
      "replicate",
      "circular",
    ]);
    const [rows, columns] = transposed ? [inChannels, outChannels] : [outChannels, inChannels];
    const factory = { device, dtype };
    this.weight = emptyParameter([rows, columns / groups, ...this.kernelSize], factory);
    this.bias = checkBoolean(call, "bias", bias) ? emptyParameter([outChannels], factory) : null;
    this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: uniform within 1 / sqrt(fanIn), the bias too. */
  resetParameters(): void {
    init.kaimingUniform_(this.weight, Math.sqrt(5));
    if (this.bias) initBias(this.bias, this.weight);
  }

  /** Returns the parts that are printed between dilation and groups. */
  protected moreRepr(): string[] {
    return [];
  }

  override extraRepr(): string {
    const parts = [
      `${this.inChannels}`,
      `${this.outChannels}`,
      `kernelSize=${shapeText(this.kernelSize)}`,
      `stride=${shapeText(this.stride)}`,
    ];
    if (typeof this.padding === "string") parts.push(`padding="${this.padding}"`);
    else if (this.padding.some((size) => size !== 0)) parts.push(`padding=${shapeText(this.padding)}`);
    if (this.dilation.some((size) => size !== 1)) parts.push(`dilation=${shapeText(this.dilation)}`);
    parts.push(...this.moreRepr());
    if (this.groups !== 1) parts.push(`groups=${this.groups}`);
    if (!this.bias) parts.push("bias=false");
    if (this.paddingMode !== "zeros") parts.push(`paddingMode="${this.paddingMode}"`);
    return parts.join(", ");
  }
}
