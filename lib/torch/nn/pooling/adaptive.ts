// Pooling to a given output size. Windows are chosen to fit the input, and may overlap.
import type { Tensor } from "../../tensor/tensor.ts";
import { argumentsByName, neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { AdaptiveMaxPoolOptions } from "../functional/adaptive.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";
import type { Pooled } from "./max.ts";
import { readOutputSize } from "./window.ts";
import type { ByName } from "../../types/index.ts";

/** One size for every spatial dimension, or one for each; null keeps the input's. */
export type OutputSize = number | null | readonly (number | null)[];

abstract class AdaptivePool extends Module {
  readonly outputSize: readonly (number | null)[];

  protected constructor(spatial: number, outputSize: OutputSize) {
    super();
    this.outputSize = readOutputSize(`new nn.${this.constructor.name}`, spatial, outputSize);
  }

  protected sizesFor(input: Tensor): number[] {
    checkChannels(this, input, this.outputSize.length, null);
    const spatial = input.shape.slice(-this.outputSize.length);
    if (spatial.includes(0)) {
      throw new RangeError(
        `${this}: the input has no elements to pool, its shape is [${input.shape.join(", ")}].`,
      );
    }
    return this.outputSize.map((size, i) => size ?? spatial[i]!);
  }

  override extraRepr(): string {
    return `outputSize=[${this.outputSize.join(", ")}]`;
  }
}

abstract class AdaptiveAvgPool extends AdaptivePool {
  private readonly _operator: typeof nnFunctions.adaptiveAvgPool2d;

  /** @param given the output's size, at its place or by name */
  protected constructor(
    operator: typeof nnFunctions.adaptiveAvgPool2d,
    spatial: number,
    given: readonly unknown[],
  ) {
    const call = `new nn.${new.target.name}`;
    const { outputSize } = argumentsByName<{ outputSize: OutputSize }>(
      call,
      { places: ["outputSize"] },
      given,
    );
    super(spatial, outputSize as OutputSize);
    this._operator = operator;
  }

  override forward(input: Tensor): Tensor {
    return this._operator(input, this.sizesFor(input));
  }
}

/** Means, so that the output is [batch, channels, outputSize]. */
export class AdaptiveAvgPool1d extends AdaptiveAvgPool {
  constructor(outputSize: OutputSize);
  constructor(named: ByName & { outputSize: OutputSize });
  constructor(outputSize: OutputSize);
  constructor(...given: unknown[]) {
    super(torchFunctions.adaptiveAvgPool1d, 1, given);
  }
}

/** Means, so that the output is [batch, channels, height, width] with the given sizes. */
export class AdaptiveAvgPool2d extends AdaptiveAvgPool {
  constructor(outputSize: OutputSize);
  constructor(named: ByName & { outputSize: OutputSize });
  constructor(outputSize: OutputSize);
  constructor(...given: unknown[]) {
    super(nnFunctions.adaptiveAvgPool2d, 2, given);
  }
}

/** Means, so that the output is [batch, channels, depth, height, width] with the given sizes. */
export class AdaptiveAvgPool3d extends AdaptiveAvgPool {
  constructor(outputSize: OutputSize);
  constructor(named: ByName & { outputSize: OutputSize });
  constructor(outputSize: OutputSize);
  constructor(...given: unknown[]) {
    super(nnFunctions.adaptiveAvgPool3d, 3, given);
  }
}

const MAX_POOL_RULES: Rules<AdaptiveMaxPoolOptions> = { returnIndices: boolean(false) };

type IndicesOperator = (input: Tensor, outputSize: readonly number[]) => [Tensor, Tensor];

abstract class AdaptiveMaxPool<Indices extends boolean> extends AdaptivePool {
  readonly returnIndices: boolean;
  private readonly _operator: IndicesOperator;

  protected constructor(
    operator: IndicesOperator,
    spatial: number,
    outputSize: OutputSize,
    given: readonly unknown[],
  ) {
    super(spatial, outputSize);
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<AdaptiveMaxPoolOptions>(call, ["returnIndices"], given);
    this.returnIndices = readOptions<AdaptiveMaxPoolOptions>(call, options, MAX_POOL_RULES).returnIndices;
    this._operator = operator;
  }

  override forward(input: Tensor): Pooled<Indices> {
    const both = this._operator(input, this.sizesFor(input));
    return (this.returnIndices ? both : both[0]) as Pooled<Indices>;
  }
}

/** Maxima, so that the output is [batch, channels, outputSize]. */
export class AdaptiveMaxPool1d<Indices extends boolean = false> extends AdaptiveMaxPool<Indices> {
  constructor(outputSize: OutputSize, returnIndices?: Indices | AdaptiveMaxPoolOptions<Indices>);
  constructor(named: ByName & { outputSize: OutputSize } & AdaptiveMaxPoolOptions<Indices>);
  constructor(outputSize: OutputSize);
  constructor(...all: unknown[]) {
    const [outputSize, ...given] = neededByPlace<[outputSize: OutputSize]>(["outputSize"], all);
    super(torchFunctions.adaptiveMaxPool1d, 1, outputSize, given);
  }
}

/** Maxima, so that the output is [batch, channels, height, width] with the given sizes. */
export class AdaptiveMaxPool2d<Indices extends boolean = false> extends AdaptiveMaxPool<Indices> {
  constructor(outputSize: OutputSize, returnIndices?: Indices | AdaptiveMaxPoolOptions<Indices>);
  constructor(named: ByName & { outputSize: OutputSize } & AdaptiveMaxPoolOptions<Indices>);
  constructor(outputSize: OutputSize);
  constructor(...all: unknown[]) {
    const [outputSize, ...given] = neededByPlace<[outputSize: OutputSize]>(["outputSize"], all);
    super(nnFunctions.adaptiveMaxPool2d, 2, outputSize, given);
  }
}

/** Maxima, so that the output is [batch, channels, depth, height, width] with the given sizes. */
export class AdaptiveMaxPool3d<Indices extends boolean = false> extends AdaptiveMaxPool<Indices> {
  constructor(outputSize: OutputSize, returnIndices?: Indices | AdaptiveMaxPoolOptions<Indices>);
  constructor(named: ByName & { outputSize: OutputSize } & AdaptiveMaxPoolOptions<Indices>);
  constructor(outputSize: OutputSize);
  constructor(...all: unknown[]) {
    const [outputSize, ...given] = neededByPlace<[outputSize: OutputSize]>(["outputSize"], all);
    super(nnFunctions.adaptiveMaxPool3d, 3, outputSize, given);
  }
}

keepNothing(AdaptiveAvgPool, AdaptiveMaxPool);
