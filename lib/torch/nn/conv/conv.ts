// Convolutions over one, two and three spatial dimensions.
import type { CalledAsForward } from "../module/called.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChoice, checkOptions, checkSizes, shapeText } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import { checkChannels, checkReflection } from "../input.ts";
import { keepNothing } from "../module/transient.ts";
import {
  Convolutional,
  WINDOW_OPTIONS,
  CONV_NEEDED,
  type ConvNeeded,
  type ConvPlaces,
  type PaddingMode,
  type Sizes,
  type WindowOptions,
} from "./geometry.ts";
import type {
  ByName,
  OptionOf,
  OptionsBy,
  LayerCall,
  SizeText,
  Window1d,
  Window2d,
} from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface ConvOptions extends WindowOptions {
  /** Sizes, "same" (the output is as large as the input) or "valid" (none). Default: 0. */
  readonly padding?: Sizes | "same" | "valid";
}

/** What may follow the dilation. */
export interface ConvTailOptions extends Omit<ConvOptions, "stride" | "padding" | "dilation"> {}

type ConvolutionOperator = (
  input: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  stride: readonly number[],
  padding: readonly number[] | string,
  dilation: readonly number[],
  groups: number,
) => Tensor;

abstract class Convolution extends Convolutional {
  override readonly padding: readonly number[] | "same" | "valid";
  private readonly _operator: ConvolutionOperator;

  /** @param all what the layer needs and its options, at their places or by name */
  protected constructor(operator: ConvolutionOperator, spatial: number, all: readonly unknown[]) {
    const call = `new nn.${new.target.name}`;
    const [inChannels, outChannels, kernelSize, ...others] = neededByPlace<ConvNeeded>(CONV_NEEDED, all);
    const options = optionsByPlace<ConvOptions>(call, WINDOW_OPTIONS, others);
    const given = checkOptions<ConvOptions>(call, options, WINDOW_OPTIONS);
    super(spatial, inChannels, outChannels, kernelSize, given, false);
    const { padding = 0 } = given;
    this._operator = operator;
    this.padding =
      typeof padding === "string"
        ? checkChoice(call, "padding", padding, ["same", "valid"])
        : checkSizes(call, "padding", padding, spatial, 0);
    if (padding === "same" && this.stride.some((step) => step !== 1)) {
      throw new RangeError(`${call}: padding "same" needs stride 1, got ${shapeText(this.stride)}.`);
    }
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, this.inChannels);
    const { weight, bias, stride, dilation, groups } = this;
    if (this.paddingMode === "zeros") {
      checkWindow(this, input.shape.slice(-this.kernelSize.length));
      return this._operator(input, weight, bias, stride, this.padding, dilation, groups);
    }
    const edges = this._paddingOfEdges();
    checkReflection(this, input, edges, this.paddingMode);
    const padded = nnFunctions.pad(input, edges, this.paddingMode);
    return this._operator(padded, weight, bias, stride, [0], dilation, groups);
  }

  /** Returns the padding in the form of `pad`: before and after each dimension, the last dimension first. */
  private _paddingOfEdges(): number[] {
    const edges = this.kernelSize.map((size, i): [number, number] => {
      if (this.padding === "valid") return [0, 0];
      if (this.padding !== "same") return [this.padding[i]!, this.padding[i]!];
      const total = this.dilation[i]! * (size - 1);
      return [Math.floor(total / 2), total - Math.floor(total / 2)];
    });
    return edges.reverse().flat();
  }
}

/** Refuses a window that is larger than what it moves over. */
function checkWindow(layer: Convolution, sizes: readonly number[]): void {
  const { padding, kernelSize, dilation } = layer;
  if (padding === "same") return;
  for (const [i, size] of sizes.entries()) {
    const padded = size + (padding === "valid" ? 0 : 2 * padding[i]!);
    const window = dilation[i]! * (kernelSize[i]! - 1) + 1;
    if (window > padded) {
      throw new RangeError(
        `${layer}: the window spans ${window} of dimension ${i - sizes.length}, which has ${padded} with its padding; ` +
          `give a larger input or padding.`,
      );
    }
  }
}

export interface Conv1d<
  In extends number = number,
  Out extends number = number,
  Kernel extends Sizes = Sizes,
  Given extends ConvOptions = OptionsBy<Kernel, ConvOptions>,
  Stride = OptionOf<Given, "stride", 1>,
  Padding = OptionOf<Given, "padding", 0>,
  Dilation = OptionOf<Given, "dilation", 1>,
> extends LayerCall<`window;${SizeText<In>};${SizeText<Out>};${Window1d<Kernel, Stride, Padding, Dilation>}|`> {}

/** Convolves [batch, channels, length]. `weight` is [outChannels, inChannels / groups, length]. */
export class Conv1d<
  In extends number = number,
  Out extends number = number,
  const Kernel extends Sizes = Sizes,
  const Given extends ConvOptions = OptionsBy<Kernel, ConvOptions>,
  const Stride extends Sizes | undefined = OptionOf<Given, "stride", 1>,
  const Padding extends Sizes | "same" | "valid" | undefined = OptionOf<Given, "padding", 0>,
  const Dilation extends Sizes | undefined = OptionOf<Given, "dilation", 1>,
> extends Convolution {
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel, options?: Given);
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel, stride: Stride, options?: Given);
  constructor(
    inChannels: In,
    outChannels: Out,
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    options?: Given,
  );
  constructor(
    inChannels: In,
    outChannels: Out,
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    dilation: Dilation,
    groups?: number | ConvTailOptions,
    bias?: boolean | ConvTailOptions,
    paddingMode?: PaddingMode | ConvTailOptions,
    device?: DeviceText | null | ConvTailOptions,
    dtype?: DType | null,
  );
  constructor(
    named: ByName & {
      inChannels: In;
      outChannels: Out;
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(
    inChannels: In,
    named: ByName & {
      outChannels: Out;
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(
    inChannels: In,
    outChannels: Out,
    named: ByName & {
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel);
  constructor(...given: unknown[]) {
    super(torchFunctions.conv1d as ConvolutionOperator, 1, given);
  }
}

export interface Conv2d<
  In extends number = number,
  Out extends number = number,
  Kernel extends Sizes = Sizes,
  Given extends ConvOptions = OptionsBy<Kernel, ConvOptions>,
  Stride = OptionOf<Given, "stride", 1>,
  Padding = OptionOf<Given, "padding", 0>,
  Dilation = OptionOf<Given, "dilation", 1>,
> extends LayerCall<`window;${SizeText<In>};${SizeText<Out>};${Window2d<Kernel, Stride, Padding, Dilation>}|`> {}

/** Convolves [batch, channels, height, width]. `weight` is [outChannels, inChannels / groups, height, width]. */
export class Conv2d<
  In extends number = number,
  Out extends number = number,
  const Kernel extends Sizes = Sizes,
  const Given extends ConvOptions = OptionsBy<Kernel, ConvOptions>,
  const Stride extends Sizes | undefined = OptionOf<Given, "stride", 1>,
  const Padding extends Sizes | "same" | "valid" | undefined = OptionOf<Given, "padding", 0>,
  const Dilation extends Sizes | undefined = OptionOf<Given, "dilation", 1>,
> extends Convolution {
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel, options?: Given);
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel, stride: Stride, options?: Given);
  constructor(
    inChannels: In,
    outChannels: Out,
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    options?: Given,
  );
  constructor(
    inChannels: In,
    outChannels: Out,
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    dilation: Dilation,
    groups?: number | ConvTailOptions,
    bias?: boolean | ConvTailOptions,
    paddingMode?: PaddingMode | ConvTailOptions,
    device?: DeviceText | null | ConvTailOptions,
    dtype?: DType | null,
  );
  constructor(
    named: ByName & {
      inChannels: In;
      outChannels: Out;
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(
    inChannels: In,
    named: ByName & {
      outChannels: Out;
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(
    inChannels: In,
    outChannels: Out,
    named: ByName & {
      kernelSize: Kernel;
      stride?: Stride;
      padding?: Padding;
      dilation?: Dilation;
    } & ConvTailOptions,
  );
  constructor(inChannels: In, outChannels: Out, kernelSize: Kernel);
  constructor(...given: unknown[]) {
    super(torchFunctions.conv2d as ConvolutionOperator, 2, given);
  }
}

export interface Conv3d extends CalledAsForward {}

/**
 * Convolves [batch, channels, depth, height, width]. `weight` is [outChannels, inChannels / groups, depth, height,
 * width].
 */
export class Conv3d extends Convolution {
  constructor(
    inChannels: number,
    outChannels: number,
    kernelSize: Sizes,
    ...options: ConvPlaces<ConvOptions>
  );
  constructor(named: ByName & { inChannels: number; outChannels: number; kernelSize: Sizes } & ConvOptions);
  constructor(inChannels: number, named: ByName & { outChannels: number; kernelSize: Sizes } & ConvOptions);
  constructor(inChannels: number, outChannels: number, named: ByName & { kernelSize: Sizes } & ConvOptions);
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes);
  constructor(...given: unknown[]) {
    super(torchFunctions.conv3d as ConvolutionOperator, 3, given);
  }
}

keepNothing(Convolution);
