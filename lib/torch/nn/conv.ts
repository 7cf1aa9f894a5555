// Convolutions over one, two and three spatial dimensions.
import type { Tensor } from "../tensor.ts";
import { checkBoolean, checkChoice, checkInteger, checkOptions, checkSizes } from "../arguments.ts";
import { nnFunctions, torchFunctions } from "../operators.ts";
import * as init from "./init.ts";
import { checkChannels } from "./input.ts";
import { emptyParameter, type FactoryOptions } from "./factory.ts";
import { initBias } from "./linear.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { keepNothing } from "./transient.ts";

/** One size for all spatial dimensions, or one for each. */
export type Sizes = number | readonly number[];
export type PaddingMode = "zeros" | "reflect" | "replicate" | "circular";

export interface ConvOptions extends FactoryOptions {
  readonly stride?: Sizes;
  /** Sizes, "same" (the output is as large as the input) or "valid" (none). */
  readonly padding?: Sizes | "same" | "valid";
  readonly dilation?: Sizes;
  readonly groups?: number;
  readonly bias?: boolean;
  readonly paddingMode?: PaddingMode;
}

const OPTIONS = [
  "stride",
  "padding",
  "dilation",
  "groups",
  "bias",
  "paddingMode",
  "device",
  "dtype",
] as const;

type ConvolutionOperator = (
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  stride: readonly number[],
  padding: readonly number[] | string,
  dilation: readonly number[],
  groups: number,
) => Tensor;

abstract class Convolution extends Module {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[] | "same" | "valid";
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly paddingMode: PaddingMode;
  /** [outChannels, inChannels / groups, ...kernelSize] */
  weight: Parameter;
  bias: Parameter | null;
  readonly #operator: ConvolutionOperator;

  protected constructor(
    operator: ConvolutionOperator,
    spatial: number,
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    options: ConvOptions | undefined,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const given = checkOptions<ConvOptions>(call, options, OPTIONS);
    const { device, dtype, bias = true, padding = 0, groups = 1 } = given;
    this.#operator = operator;
    this.inChannels = checkInteger(call, "inChannels", inChannels, 1);
    this.outChannels = checkInteger(call, "outChannels", outChannels, 1);
    this.groups = checkInteger(call, "groups", groups, 1);
    if (inChannels % groups !== 0 || outChannels % groups !== 0) {
      throw new RangeError(
        `${call}: inChannels and outChannels must be multiples of groups, got ${inChannels}, ${outChannels} and ${groups}.`,
      );
    }
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = checkSizes(call, "stride", given.stride ?? 1, spatial, 1);
    this.dilation = checkSizes(call, "dilation", given.dilation ?? 1, spatial, 1);
    this.padding =
      typeof padding === "string"
        ? checkChoice(call, "padding", padding, ["same", "valid"])
        : checkSizes(call, "padding", padding, spatial, 0);
    if (padding === "same" && this.stride.some((step) => step !== 1)) {
      throw new RangeError(`${call}: padding "same" needs stride 1, got [${this.stride.join(", ")}].`);
    }
    this.paddingMode = checkChoice(call, "paddingMode", given.paddingMode ?? "zeros", [
      "zeros",
      "reflect",
      "replicate",
      "circular",
    ]);
    const factory = { device, dtype };
    this.weight = emptyParameter([outChannels, inChannels / groups, ...this.kernelSize], factory);
    this.bias = checkBoolean(call, "bias", bias) ? emptyParameter([outChannels], factory) : null;
    this.resetParameters();
  }

  resetParameters(): void {
    init.kaimingUniform_(this.weight, Math.sqrt(5));
    if (this.bias) initBias(this.bias, this.weight);
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, this.inChannels);
    const { weight, bias, stride, dilation, groups } = this;
    if (this.paddingMode === "zeros")
      return this.#operator(input, weight, bias, stride, this.padding, dilation, groups);
    const padded = nnFunctions.pad(input, this.#paddingOfEdges(), this.paddingMode);
    return this.#operator(padded, weight, bias, stride, [0], dilation, groups);
  }

  /** What `pad` takes: before and after each dimension, the last dimension first. */
  #paddingOfEdges(): number[] {
    const edges = this.kernelSize.map((size, i): [number, number] => {
      if (this.padding === "valid") return [0, 0];
      if (this.padding !== "same") return [this.padding[i]!, this.padding[i]!];
      const total = this.dilation[i]! * (size - 1);
      return [Math.floor(total / 2), total - Math.floor(total / 2)];
    });
    return edges.reverse().flat();
  }

  override extraRepr(): string {
    const list = (sizes: readonly number[]) => `[${sizes.join(", ")}]`;
    const parts = [
      `${this.inChannels}`,
      `${this.outChannels}`,
      `kernelSize=${list(this.kernelSize)}`,
      `stride=${list(this.stride)}`,
    ];
    if (typeof this.padding === "string") parts.push(`padding="${this.padding}"`);
    else if (this.padding.some((size) => size !== 0)) parts.push(`padding=${list(this.padding)}`);
    if (this.dilation.some((size) => size !== 1)) parts.push(`dilation=${list(this.dilation)}`);
    if (this.groups !== 1) parts.push(`groups=${this.groups}`);
    if (!this.bias) parts.push("bias=false");
    if (this.paddingMode !== "zeros") parts.push(`paddingMode="${this.paddingMode}"`);
    return parts.join(", ");
  }
}

/** Over [batch, channels, length]. */
export class Conv1d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    super(torchFunctions.conv1d as ConvolutionOperator, 1, inChannels, outChannels, kernelSize, options);
  }
}

/** Over [batch, channels, height, width]. */
export class Conv2d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    super(torchFunctions.conv2d as ConvolutionOperator, 2, inChannels, outChannels, kernelSize, options);
  }
}

/** Over [batch, channels, depth, height, width]. */
export class Conv3d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options?: ConvOptions) {
    super(torchFunctions.conv3d as ConvolutionOperator, 3, inChannels, outChannels, kernelSize, options);
  }
}

keepNothing(Convolution);
