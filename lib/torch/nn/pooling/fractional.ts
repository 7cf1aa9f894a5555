// Fractional max pooling: windows are placed at random, so that the output can be any fraction of the input.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkSizes } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { boolean, checkedLater, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import type { Sizes } from "../conv/geometry.ts";
import { fractionalMaxPool, readFractionalOutput } from "../functional/pooling.ts";
import { checkChannels } from "../input.ts";
import { Module } from "../module/module.ts";
import { Buffer } from "../module/parameter.ts";
import { keepNothing } from "../module/transient.ts";
import type { Pooled } from "./max.ts";
import type { ByName } from "../../types/index.ts";

export interface FractionalMaxPoolOptions<Indices extends boolean = boolean> {
  /** Spatial sizes of the output; this or `outputRatio`. Default: none. */
  readonly outputSize?: Sizes | null;
  /** The output's share of the input's spatial sizes, above 0 and below 1. Default: none. */
  readonly outputRatio?: Sizes | null;
  /** Gives `[output, indices]`. Default: false. */
  readonly returnIndices?: Indices;
  /** Numbers in [0, 1) that place the windows, [batch, channels, spatial]. Default: drawn at each call. */
  readonly randomSamples?: Tensor | null;
}

const RULES = {
  outputSize: checkedLater<Sizes | null>(null),
  outputRatio: checkedLater<Sizes | null>(null),
  returnIndices: boolean(false),
  randomSamples: checkedLater<Tensor | null>(null),
} satisfies OpenRules<FractionalMaxPoolOptions>;

const PLACES = ["outputSize", "outputRatio", "returnIndices", "randomSamples"] as const;

abstract class FractionalMaxPool<Indices extends boolean> extends Module {
  readonly kernelSize: readonly number[];
  readonly outputSize: readonly number[] | null;
  readonly outputRatio: readonly number[] | null;
  readonly returnIndices: boolean;
  _randomSamples: Buffer | null;

  protected constructor(spatial: number, kernelSize: Sizes, given: readonly unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<FractionalMaxPoolOptions>(call, PLACES, given);
    const { returnIndices, randomSamples, ...size } = readOptions(call, options, RULES);
    this.kernelSize = checkSizes(call, "kernelSize", kernelSize, spatial, 1);
    const { outputSize, outputRatio } = readFractionalOutput(call, spatial, size);
    this.outputSize = outputSize;
    this.outputRatio = outputRatio;
    this.returnIndices = returnIndices;
    this._randomSamples = randomSamples === null ? null : new Buffer(randomSamples);
  }

  override forward(input: Tensor): Pooled<Indices> {
    checkChannels(this, input, this.kernelSize.length, null);
    const { outputSize, outputRatio, _randomSamples: randomSamples } = this;
    const both = fractionalMaxPool(input, this.kernelSize, { outputSize, outputRatio, randomSamples });
    return (this.returnIndices ? both : both[0]) as Pooled<Indices>;
  }
}

/** Pools [batch, channels, height, width]. */
export class FractionalMaxPool2d<Indices extends boolean = false> extends FractionalMaxPool<Indices> {
  constructor(
    kernelSize: Sizes,
    outputSize: Sizes | null | FractionalMaxPoolOptions<Indices>,
    outputRatio?: Sizes | null | FractionalMaxPoolOptions<Indices>,
    returnIndices?: Indices | FractionalMaxPoolOptions<Indices>,
    randomSamples?: Tensor | null,
  );
  constructor(named: ByName & { kernelSize: Sizes } & FractionalMaxPoolOptions<Indices>);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(2, kernelSize, given);
  }
}

/** Pools [batch, channels, depth, height, width]. */
export class FractionalMaxPool3d<Indices extends boolean = false> extends FractionalMaxPool<Indices> {
  constructor(
    kernelSize: Sizes,
    outputSize: Sizes | null | FractionalMaxPoolOptions<Indices>,
    outputRatio?: Sizes | null | FractionalMaxPoolOptions<Indices>,
    returnIndices?: Indices | FractionalMaxPoolOptions<Indices>,
    randomSamples?: Tensor | null,
  );
  constructor(named: ByName & { kernelSize: Sizes } & FractionalMaxPoolOptions<Indices>);
  constructor(kernelSize: Sizes);
  constructor(...all: unknown[]) {
    const [kernelSize, ...given] = neededByPlace<[kernelSize: Sizes]>(["kernelSize"], all);
    super(3, kernelSize, given);
  }
}

keepNothing(FractionalMaxPool);
