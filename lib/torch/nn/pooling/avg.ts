// Average pooling, and pooling by a power mean.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber, checkSizes } from "../../vocabulary/arguments.ts";
import { boolean, integer, nullable, readOptions } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Sizes } from "../conv/geometry.ts";
import { lpPool } from "../functional/pooling.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/base.ts";
import type { CalledAsForward } from "../module/called.ts";
import { keepNothing } from "../module/transient.ts";
import { checkFits, checkPadding, windowRules, sizesText } from "./window.ts";
import type { OptionsBy, Pair, LayerCall, Single, Window1d, Window2d } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface AvgPoolOptions {
  /** Default: the kernel's size. */
  readonly stride?: Sizes;
  /** Zeros on each side. Default: 0. */
  readonly padding?: Sizes;
  /** A last window that reaches over the edge counts. Default: false. */
  readonly ceilMode?: boolean;
  /** Whether padded zeros count in the mean. Default: true. */
  readonly countIncludePad?: boolean;
}

export interface AvgPoolDivisorOptions extends AvgPoolOptions {
  /** Divides the window's sum by this in place of the window's size. */
  readonly divisorOverride?: number | null;
}

type AvgPoolOperator = typeof nnFunctions.avgPool2d;

abstract class AvgPool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  ceilMode: boolean;
  countIncludePad: boolean;
  /** null divides by the window's size. */
  divisorOverride: number | null;
  readonly #operator: AvgPoolOperator;

  protected constructor(
    operator: AvgPoolOperator,
    spatial: number,
    kernelSize: Sizes,
    options?: AvgPoolDivisorOptions,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
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
    this.#operator = operator;
    this.divisorOverride = read.divisorOverride;
  }

  override forward(input: Tensor): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    checkFits(this, input.shape, this);
    const { kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride } = this;
    const divisor = divisorOverride === null ? [] : [divisorOverride];
    return this.#operator(input, kernelSize, stride, padding, ceilMode, countIncludePad, ...divisor);
  }

  override extraRepr(): string {
    return `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}`;
  }
}

export interface AvgPool1d<
  Kernel extends Sizes = Sizes,
  Given extends AvgPoolOptions = OptionsBy<Kernel, AvgPoolOptions>,
> extends LayerCall<`window;-;-;${Window1d<Kernel, Given, Single<Kernel>>}|`> {}

/** The mean of each window over [batch, channels, length]. */
export class AvgPool1d<
  const Kernel extends Sizes = Sizes,
  const Given extends AvgPoolOptions = OptionsBy<Kernel, AvgPoolOptions>,
> extends AvgPool {
  constructor(kernelSize: Kernel, options?: Given) {
    super(torchFunctions.avgPool1d as AvgPoolOperator, 1, kernelSize, options);
  }
}

export interface AvgPool2d<
  Kernel extends Sizes = Sizes,
  Given extends AvgPoolDivisorOptions = OptionsBy<Kernel, AvgPoolDivisorOptions>,
> extends LayerCall<`window;-;-;${Window2d<Kernel, Given, Pair<Kernel>>}|`> {}

/** The mean of each window over [batch, channels, height, width]. */
export class AvgPool2d<
  const Kernel extends Sizes = Sizes,
  const Given extends AvgPoolDivisorOptions = OptionsBy<Kernel, AvgPoolDivisorOptions>,
> extends AvgPool {
  constructor(kernelSize: Kernel, options?: Given) {
    super(nnFunctions.avgPool2d, 2, kernelSize, options);
  }
}

export interface AvgPool3d extends CalledAsForward {}

/** The mean of each window over [batch, channels, depth, height, width]. */
export class AvgPool3d extends AvgPool {
  constructor(kernelSize: Sizes, options?: AvgPoolDivisorOptions) {
    super(nnFunctions.avgPool3d, 3, kernelSize, options);
  }
}

export interface LPPoolOptions {
  /** Default: the kernel's size. */
  readonly stride?: Sizes;
  /** A last window that reaches over the edge counts. Default: false. */
  readonly ceilMode?: boolean;
}

interface LPPool extends CalledAsForward {}

abstract class LPPool extends Module {
  normType: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  ceilMode: boolean;

  protected constructor(spatial: number, normType: number, kernelSize: Sizes, options?: LPPoolOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
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
  constructor(normType: number, kernelSize: Sizes, options?: LPPoolOptions) {
    super(1, normType, kernelSize, options);
  }
}

/** (sum of x^p)^(1/p) of each window over [batch, channels, height, width]. */
export class LPPool2d extends LPPool {
  constructor(normType: number, kernelSize: Sizes, options?: LPPoolOptions) {
    super(2, normType, kernelSize, options);
  }
}

/** (sum of x^p)^(1/p) of each window over [batch, channels, depth, height, width]. */
export class LPPool3d extends LPPool {
  constructor(normType: number, kernelSize: Sizes, options?: LPPoolOptions) {
    super(3, normType, kernelSize, options);
  }
}

keepNothing(AvgPool, LPPool);
