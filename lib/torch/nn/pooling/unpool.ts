// Max unpooling: the inverse of max pooling as far as there is one.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkOptions, checkSizes, isRecord } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { readOptions } from "../../vocabulary/options.ts";
import type { Sizes } from "../conv/geometry.ts";
import { maxUnpool } from "../functional/pooling.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/module.ts";
import { windowRules, sizesText } from "./window.ts";
import type { ByName } from "../../types/index.ts";

export interface UnpoolOptions {
  /** How far the window moves from one place to the next. Default: the kernel's size, as null. */
  readonly stride?: Sizes | null;
  /** The pooling's. Default: 0. */
  readonly padding?: Sizes;
}

abstract class MaxUnpool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];

  protected constructor(spatial: number, kernelSize: Sizes, given: readonly unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<UnpoolOptions>(call, ["stride", "padding"], given);
    const { stride, padding } = readOptions(call, options, windowRules(spatial));
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = stride ?? this.kernelSize;
    this.padding = padding;
  }

  /** `indices` as MaxPool gives them with `returnIndices`; `outputSize` where the stride leaves several possible. */
  override forward(
    input: Tensor,
    indices: Tensor,
    outputSize?:
      | readonly number[]
      | {
          /** The size of the result, where the stride leaves several possible. Default: the least, as null. */
          readonly outputSize?: readonly number[] | null;
        }
      | null,
  ): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    const { kernelSize, stride, padding } = this;
    const named = isRecord(outputSize)
      ? checkOptions(`nn.${this.constructor.name}`, outputSize, ["outputSize"])
      : { outputSize };
    return maxUnpool(input, indices, kernelSize, { stride, padding, outputSize: named.outputSize ?? null });
  }

  override extraRepr(): string {
    return `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}`;
  }
}

/** Unpools [batch, channels, length]. */
export class MaxUnpool1d extends MaxUnpool {
  constructor(kernelSize: Sizes, stride?: Sizes | null | UnpoolOptions, padding?: Sizes | UnpoolOptions);
  constructor(named: ByName & { kernelSize: Sizes } & UnpoolOptions);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(1, kernelSize, given);
  }
}

/** Unpools [batch, channels, height, width]. */
export class MaxUnpool2d extends MaxUnpool {
  constructor(kernelSize: Sizes, stride?: Sizes | null | UnpoolOptions, padding?: Sizes | UnpoolOptions);
  constructor(named: ByName & { kernelSize: Sizes } & UnpoolOptions);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(2, kernelSize, given);
  }
}

/** Unpools [batch, channels, depth, height, width]. */
export class MaxUnpool3d extends MaxUnpool {
  constructor(kernelSize: Sizes, stride?: Sizes | null | UnpoolOptions, padding?: Sizes | UnpoolOptions);
  constructor(named: ByName & { kernelSize: Sizes } & UnpoolOptions);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(3, kernelSize, given);
  }
}
