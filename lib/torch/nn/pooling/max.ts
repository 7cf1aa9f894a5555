// Max pooling, optionally with the indices of the maxima.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkSizes } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, type OpenRules, readOptions, sizes } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import type { MaxPoolOptions } from "../functional/max_pooling.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/base.ts";
import type { CalledAsForward } from "../module/called.ts";
import { keepNothing } from "../module/transient.ts";
import { checkFits, checkPadding, windowRules, sizesText } from "./window.ts";
import type {
  ByName,
  LayerCall,
  OptionOf,
  OptionsBy,
  PoolWindow1d,
  PoolWindow2d,
} from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

/** Channels stay; with the places of the maxima two tensors come. */
type PoolRule<Indices, Window extends string> = Indices extends true ? "indices|" : `window;-;-;${Window}|`;

/** The result of a pooling layer: the output, with the indices of the maxima if they were requested. */
export type Pooled<Indices extends boolean> = Indices extends true
  ? [output: Tensor, indices: Tensor]
  : Tensor;

type Window = readonly [
  kernelSize: readonly number[],
  stride: readonly number[],
  padding: readonly number[],
  dilation: readonly number[],
  ceilMode: boolean,
];
type MaxPoolOperator = (input: Tensor, ...window: Window) => Tensor;
type IndicesOperator = (input: Tensor, ...window: Window) => [Tensor, Tensor];

const PLACES = ["stride", "padding", "dilation", "returnIndices", "ceilMode"] as const;

abstract class MaxPool<Indices extends boolean> extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly returnIndices: boolean;
  ceilMode: boolean;
  private readonly _operators: readonly [MaxPoolOperator, IndicesOperator];

  protected constructor(
    operators: readonly [MaxPoolOperator, IndicesOperator],
    spatial: number,
    kernelSize: Sizes,
    given: readonly unknown[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const read = readOptions(call, optionsByPlace<MaxPoolOptions>(call, PLACES, given), {
      ...windowRules(spatial),
      dilation: sizes(spatial, 1, 1),
      returnIndices: boolean(false),
      ceilMode: boolean(false),
    } satisfies OpenRules<MaxPoolOptions>);
    this._operators = operators;
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = read.stride ?? this.kernelSize;
    this.padding = read.padding;
    checkPadding(call, this.padding, this.kernelSize);
    this.dilation = read.dilation;
    this.returnIndices = read.returnIndices;
    this.ceilMode = read.ceilMode;
  }

  override forward(input: Tensor): Pooled<Indices> {
    checkChannels(this, input, this.kernelSize.length, null);
    checkFits(this, input.shape, this);
    const operator = this._operators[this.returnIndices ? 1 : 0];
    const { kernelSize, stride, padding, dilation, ceilMode } = this;
    return operator(input, kernelSize, stride, padding, dilation, ceilMode) as Pooled<Indices>;
  }

  override extraRepr(): string {
    return (
      `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}, ` +
      `dilation=${sizesText(this.dilation)}, ceilMode=${this.ceilMode}`
    );
  }
}

export interface MaxPool1d<
  Indices extends boolean = false,
  Kernel extends Sizes = Sizes,
  Given extends MaxPoolOptions = OptionsBy<Kernel, MaxPoolOptions>,
  Stride = OptionOf<Given, "stride", Kernel>,
  Padding = OptionOf<Given, "padding", 0>,
  Dilation = OptionOf<Given, "dilation", 1>,
> extends LayerCall<PoolRule<Indices, PoolWindow1d<Kernel, Given, Stride, Padding, Dilation>>> {}

/** The maximum of each window over [batch, channels, length]. */
export class MaxPool1d<
  Indices extends boolean = false,
  const Kernel extends Sizes = Sizes,
  const Given extends MaxPoolOptions = OptionsBy<Kernel, MaxPoolOptions>,
  const Stride extends Sizes | null | undefined = OptionOf<Given, "stride", Kernel>,
  const Padding extends Sizes | undefined = OptionOf<Given, "padding", 0>,
  const Dilation extends Sizes | undefined = OptionOf<Given, "dilation", 1>,
> extends MaxPool<Indices> {
  constructor(kernelSize: Kernel, options?: MaxPoolOptions<Indices> & Given);
  constructor(kernelSize: Kernel, stride: Stride, options?: MaxPoolOptions<Indices> & Given);
  constructor(
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    options?: MaxPoolOptions<Indices> & Given,
  );
  constructor(
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    dilation: Dilation,
    options?: MaxPoolOptions<Indices> & Given,
  );
  /** With `returnIndices` and `ceilMode` by place, the sizes of the output are not known to the types. */
  constructor(
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    dilation: Sizes,
    returnIndices: Indices,
    ceilMode?: boolean,
  );
  constructor(named: ByName & { kernelSize: Kernel } & MaxPoolOptions<Indices> & Given);
  constructor(kernelSize: Kernel);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super([torchFunctions.maxPool1d, torchFunctions.maxPool1dWithIndices], 1, kernelSize, given);
  }
}

export interface MaxPool2d<
  Indices extends boolean = false,
  Kernel extends Sizes = Sizes,
  Given extends MaxPoolOptions = OptionsBy<Kernel, MaxPoolOptions>,
  Stride = OptionOf<Given, "stride", Kernel>,
  Padding = OptionOf<Given, "padding", 0>,
  Dilation = OptionOf<Given, "dilation", 1>,
> extends LayerCall<PoolRule<Indices, PoolWindow2d<Kernel, Given, Stride, Padding, Dilation>>> {}

/** The maximum of each window over [batch, channels, height, width]. */
export class MaxPool2d<
  Indices extends boolean = false,
  const Kernel extends Sizes = Sizes,
  const Given extends MaxPoolOptions = OptionsBy<Kernel, MaxPoolOptions>,
  const Stride extends Sizes | null | undefined = OptionOf<Given, "stride", Kernel>,
  const Padding extends Sizes | undefined = OptionOf<Given, "padding", 0>,
  const Dilation extends Sizes | undefined = OptionOf<Given, "dilation", 1>,
> extends MaxPool<Indices> {
  constructor(kernelSize: Kernel, options?: MaxPoolOptions<Indices> & Given);
  constructor(kernelSize: Kernel, stride: Stride, options?: MaxPoolOptions<Indices> & Given);
  constructor(
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    options?: MaxPoolOptions<Indices> & Given,
  );
  constructor(
    kernelSize: Kernel,
    stride: Stride,
    padding: Padding,
    dilation: Dilation,
    options?: MaxPoolOptions<Indices> & Given,
  );
  /** With `returnIndices` and `ceilMode` by place, the sizes of the output are not known to the types. */
  constructor(
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    dilation: Sizes,
    returnIndices: Indices,
    ceilMode?: boolean,
  );
  constructor(named: ByName & { kernelSize: Kernel } & MaxPoolOptions<Indices> & Given);
  constructor(kernelSize: Kernel);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super([torchFunctions.maxPool2d, nnFunctions.maxPool2dWithIndices], 2, kernelSize, given);
  }
}

// Merged declarations have the same type parameters.
// oxlint-disable-next-line no-unused-vars
export interface MaxPool3d<Indices extends boolean = false> extends CalledAsForward {}

/** The maximum of each window over [batch, channels, depth, height, width]. */
export class MaxPool3d<Indices extends boolean = false> extends MaxPool<Indices> {
  constructor(
    kernelSize: Sizes,
    stride?: Sizes | null | MaxPoolOptions<Indices>,
    padding?: Sizes | MaxPoolOptions<Indices>,
    dilation?: Sizes | MaxPoolOptions<Indices>,
    returnIndices?: Indices | MaxPoolOptions<Indices>,
    ceilMode?: boolean,
  );
  constructor(named: ByName & { kernelSize: Sizes } & MaxPoolOptions<Indices>);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super([torchFunctions.maxPool3d, nnFunctions.maxPool3dWithIndices], 3, kernelSize, given);
  }
}

keepNothing(MaxPool);
