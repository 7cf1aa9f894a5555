// Average pooling, and pooling by a power mean.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber, checkSizes } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, integer, nullable, readOptions } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { lpPool } from "../functional/pooling.ts";
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

export interface AvgPoolOptions {
  /** How far the window moves from one place to the next. Default: the kernel's size, as null. */
  readonly stride?: Sizes | null;
  /** Zeros on each side. Default: 0. */
  readonly padding?: Sizes;
  /** A last window that reaches over the edge counts. Default: false. */
  readonly ceilMode?: boolean;
  /** Whether padded zeros count in the mean. Default: true. */
  readonly countIncludePad?: boolean;
}

export interface AvgPoolDivisorOptions extends AvgPoolOptions {
  /** Divides the window's sum by this in place of the window's size. Default: none. */
  readonly divisorOverride?: number | null;
}

type AvgPoolOperator = typeof nnFunctions.avgPool2d;

const PLACES = ["stride", "padding", "ceilMode", "countIncludePad"] as const;

abstract class AvgPool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  ceilMode: boolean;
  countIncludePad: boolean;
  /** null divides by the window's size. */
  divisorOverride: number | null;
  private readonly _operator: AvgPoolOperator;

  protected constructor(
    operator: AvgPoolOperator,
    spatial: number,
    kernelSize: Sizes,
    given: readonly unknown[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const places = spatial === 1 ? PLACES : ([...PLACES, "divisorOverride"] as const);
    const options = optionsByPlace<AvgPoolDivisorOptions>(call, places, given);
    const rules = { ...windowRules(spatial), ceilMode: boolean(false), countIncludePad: boolean(true) };
    const read =
      spatial === 1
        ? { ...readOptions(call, options, rules), divisorOverride: null }
        : readOptions(call, options, { ...rules, divisorOverride: nullable(integer(1, 1)) });
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = read.stride ?? this.kernelSize;
    this.padding = read.padding;
    checkPadding(call, this.padding, this.kernelSize);
    this.ceilMode = read.ceilMode;
    this.countIncludePad = read.countIncludePad;
    this._operator = operator;
    this.divisorOverride = read.divisorOverride;
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    checkFits(this, input.shape, this);
    const { kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride } = this;
    const divisor = divisorOverride === null ? [] : [divisorOverride];
    return this._operator(input, kernelSize, stride, padding, ceilMode, countIncludePad, ...divisor);
  }

  override extraRepr(): string {
    return `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}`;
  }
}

export interface AvgPool1d<
  Kernel extends Sizes = Sizes,
  Given extends AvgPoolOptions = OptionsBy<Kernel, AvgPoolOptions>,
  Stride = OptionOf<Given, "stride", Kernel>,
  Padding = OptionOf<Given, "padding", 0>,
> extends LayerCall<`window;-;-;${PoolWindow1d<Kernel, Given, Stride, Padding>}|`> {}

/** The mean of each window over [batch, channels, length]. */
export class AvgPool1d<
  const Kernel extends Sizes = Sizes,
  const Given extends AvgPoolOptions = OptionsBy<Kernel, AvgPoolOptions>,
  const Stride extends Sizes | null | undefined = OptionOf<Given, "stride", Kernel>,
  const Padding extends Sizes | undefined = OptionOf<Given, "padding", 0>,
> extends AvgPool {
  constructor(kernelSize: Kernel, options?: Given);
  constructor(kernelSize: Kernel, stride: Stride, options?: Given);
  constructor(kernelSize: Kernel, stride: Stride, padding: Padding, options?: Given);
  /** With `ceilMode` by place, the sizes of the output are not known to the types. */
  constructor(
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    ceilMode: boolean,
    countIncludePad?: boolean,
  );
  constructor(named: ByName & { kernelSize: Kernel } & Given);
  constructor(kernelSize: Kernel);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(torchFunctions.avgPool1d as AvgPoolOperator, 1, kernelSize, given);
  }
}

export interface AvgPool2d<
  Kernel extends Sizes = Sizes,
  Given extends AvgPoolDivisorOptions = OptionsBy<Kernel, AvgPoolDivisorOptions>,
  Stride = OptionOf<Given, "stride", Kernel>,
  Padding = OptionOf<Given, "padding", 0>,
> extends LayerCall<`window;-;-;${PoolWindow2d<Kernel, Given, Stride, Padding>}|`> {}

/** The mean of each window over [batch, channels, height, width]. */
export class AvgPool2d<
  const Kernel extends Sizes = Sizes,
  const Given extends AvgPoolDivisorOptions = OptionsBy<Kernel, AvgPoolDivisorOptions>,
  const Stride extends Sizes | null | undefined = OptionOf<Given, "stride", Kernel>,
  const Padding extends Sizes | undefined = OptionOf<Given, "padding", 0>,
> extends AvgPool {
  constructor(kernelSize: Kernel, options?: Given);
  constructor(kernelSize: Kernel, stride: Stride, options?: Given);
  constructor(kernelSize: Kernel, stride: Stride, padding: Padding, options?: Given);
  /** With `ceilMode` by place, the sizes of the output are not known to the types. */
  constructor(
    kernelSize: Sizes,
    stride: Sizes | null,
    padding: Sizes,
    ceilMode: boolean,
    countIncludePad?: boolean | AvgPoolDivisorOptions,
    divisorOverride?: number | null,
  );
  constructor(named: ByName & { kernelSize: Kernel } & Given);
  constructor(kernelSize: Kernel);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(nnFunctions.avgPool2d, 2, kernelSize, given);
  }
}

export interface AvgPool3d extends CalledAsForward {}

/** The mean of each window over [batch, channels, depth, height, width]. */
export class AvgPool3d extends AvgPool {
  constructor(
    kernelSize: Sizes,
    stride?: Sizes | null | AvgPoolDivisorOptions,
    padding?: Sizes | AvgPoolDivisorOptions,
    ceilMode?: boolean | AvgPoolDivisorOptions,
    countIncludePad?: boolean | AvgPoolDivisorOptions,
    divisorOverride?: number | null,
  );
  constructor(named: ByName & { kernelSize: Sizes } & AvgPoolDivisorOptions);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(nnFunctions.avgPool3d, 3, kernelSize, given);
  }
}

export interface LPPoolOptions {
  /** How far the window moves from one place to the next. Default: the kernel's size, as null. */
  readonly stride?: Sizes | null;
  /** A last window that reaches over the edge counts. Default: false. */
  readonly ceilMode?: boolean;
}

interface LPPool extends CalledAsForward {}

abstract class LPPool extends Module {
  normType: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  ceilMode: boolean;

  protected constructor(spatial: number, normType: number, kernelSize: Sizes, given: readonly unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<LPPoolOptions>(call, ["stride", "ceilMode"], given);
    const { stride } = windowRules(spatial);
    const read = readOptions(call, options, { stride, ceilMode: boolean(false) });
    this.normType = checkNumber(call, "normType", normType);
    if (normType === 0) throw new RangeError(`${call}: normType must not be 0.`);
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = read.stride ?? this.kernelSize;
    this.ceilMode = read.ceilMode;
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    checkFits(this, input.shape, this);
    return lpPool(input, this.normType, this.kernelSize, { stride: this.stride, ceilMode: this.ceilMode });
  }

  override extraRepr(): string {
    return (
      `normType=${this.normType}, kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, ` +
      `ceilMode=${this.ceilMode}`
    );
  }
}

/** (sum of x^p)^(1/p) of each window over [batch, channels, length]; an infinite p gives the maximum. */
export class LPPool1d extends LPPool {
  constructor(
    normType: number,
    kernelSize: Sizes,
    stride?: Sizes | null | LPPoolOptions,
    ceilMode?: boolean | LPPoolOptions,
  );
  constructor(named: ByName & { normType: number; kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, named: ByName & { kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [normType, kernelSize, ...given] = neededByPlace<[normType: number, kernelSize: Sizes]>(
      ["normType", "kernelSize"],
      all,
    );
    super(1, normType, kernelSize, given);
  }
}

/** (sum of x^p)^(1/p) of each window over [batch, channels, height, width]. */
export class LPPool2d extends LPPool {
  constructor(
    normType: number,
    kernelSize: Sizes,
    stride?: Sizes | null | LPPoolOptions,
    ceilMode?: boolean | LPPoolOptions,
  );
  constructor(named: ByName & { normType: number; kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, named: ByName & { kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [normType, kernelSize, ...given] = neededByPlace<[normType: number, kernelSize: Sizes]>(
      ["normType", "kernelSize"],
      all,
    );
    super(2, normType, kernelSize, given);
  }
}

/** (sum of x^p)^(1/p) of each window over [batch, channels, depth, height, width]. */
export class LPPool3d extends LPPool {
  constructor(
    normType: number,
    kernelSize: Sizes,
    stride?: Sizes | null | LPPoolOptions,
    ceilMode?: boolean | LPPoolOptions,
  );
  constructor(named: ByName & { normType: number; kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, named: ByName & { kernelSize: Sizes } & LPPoolOptions);
  constructor(normType: number, kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [normType, kernelSize, ...given] = neededByPlace<[normType: number, kernelSize: Sizes]>(
      ["normType", "kernelSize"],
      all,
    );
    super(3, normType, kernelSize, given);
  }
}

keepNothing(AvgPool, LPPool);
