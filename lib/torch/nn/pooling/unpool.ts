// Max unpooling: the inverse of max pooling as far as there is one.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkSizes } from "../../vocabulary/arguments.ts";
import { readOptions } from "../../vocabulary/options.ts";
import type { Sizes } from "../conv/geometry.ts";
import { maxUnpool } from "../functional/pooling.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/module.ts";
import { windowRules, sizesText } from "./window.ts";

export interface UnpoolOptions {
  /** Default: the kernel's size. */
  readonly stride?: Sizes;
  /** The pooling's. Default: 0. */
  readonly padding?: Sizes;
}

abstract class MaxUnpool extends Module {
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];

  protected constructor(spatial: number, kernelSize: Sizes, options?: UnpoolOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { stride, padding } = readOptions(call, options, windowRules(spatial));
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    this.stride = stride ?? this.kernelSize;
    this.padding = padding;
  }

  /** `indices` as MaxPool gives them with `returnIndices`; `outputSize` where the stride leaves several possible. */
  override forward(input: Tensor, indices: Tensor, outputSize?: readonly number[]): Tensor {
    checkChannels(this, input, this.kernelSize.length, null);
    const { kernelSize, stride, padding } = this;
    return maxUnpool(input, indices, kernelSize, { stride, padding, outputSize: outputSize ?? null });
  }

  override extraRepr(): string {
    return `kernelSize=${sizesText(this.kernelSize)}, stride=${sizesText(this.stride)}, padding=${sizesText(this.padding)}`;
  }
}

/** Unpools [batch, channels, length]. */
export class MaxUnpool1d extends MaxUnpool {
  constructor(kernelSize: Sizes, options?: UnpoolOptions) {
    super(1, kernelSize, options);
  }
}

/** Unpools [batch, channels, height, width]. */
export class MaxUnpool2d extends MaxUnpool {
  constructor(kernelSize: Sizes, options?: UnpoolOptions) {
    super(2, kernelSize, options);
  }
}

/** Unpools [batch, channels, depth, height, width]. */
export class MaxUnpool3d extends MaxUnpool {
  constructor(kernelSize: Sizes, options?: UnpoolOptions) {
    super(3, kernelSize, options);
  }
}
