// Upsample as a layer. `functional/interpolate.ts` computes it.
import type { Tensor } from "../../tensor/tensor.ts";
import {
  checkBoolean,
  checkChoice,
  checkNumber,
  checkOptions,
  describe,
} from "../../vocabulary/arguments.ts";
import { argumentsByName, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import {
  INTERPOLATION_MODES,
  interpolate,
  type InterpolateOptions,
  type InterpolationMode,
} from "../functional/interpolate.ts";
import type { Sizes } from "../conv/geometry.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";

export type UpsampleOptions = Omit<InterpolateOptions, "antialias">;

const OPTIONS = ["size", "scaleFactor", "mode", "alignCorners", "recomputeScaleFactor"] as const;

/** [batch, channels, ...spatial] enlarged: `new Upsample({ scaleFactor: 2, mode: "bilinear" })`. */
export class Upsample extends Module {
  readonly options: UpsampleOptions;

  constructor(
    size: Sizes | null | UpsampleOptions,
    scaleFactor?: Sizes | null | UpsampleOptions,
    mode?: InterpolationMode | UpsampleOptions,
    alignCorners?: boolean | null | UpsampleOptions,
    recomputeScaleFactor?: boolean | null,
  );
  constructor(...given: unknown[]) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const options = optionsByPlace<UpsampleOptions>(call, OPTIONS, given);
    this.options = checkOptions<UpsampleOptions>(call, options, OPTIONS);
    const { size = null, scaleFactor = null, mode = "nearest", ...flags } = this.options;
    checkChoice(call, "mode", mode, INTERPOLATION_MODES);
    for (const [name, value] of Object.entries({ size, scaleFactor }))
      for (const one of Array.isArray(value) ? value : [value ?? 1]) checkNumber(call, name, one, { min: 0 });
    for (const [name, value] of Object.entries(flags)) if (value !== null) checkBoolean(call, name, value);
    if ((size === null) === (scaleFactor === null)) {
      throw new TypeError(
        `${call}: give one of size and scaleFactor, got ${size === null ? "none" : "both"}.`,
      );
    }
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return interpolate(input, this.options);
  }

  override extraRepr(): string {
    const { size, scaleFactor, mode = "nearest" } = this.options;
    const what = size == null ? `scaleFactor=${describe(scaleFactor)}` : `size=${describe(size)}`;
    return `${what}, mode="${mode}"`;
  }
}

export interface UpsamplingOptions {
  /** Spatial sizes of the output; this or `scaleFactor`. Default: none. */
  readonly size?: Sizes | null;
  /** Output sizes over input sizes; this or `size`. Default: none. */
  readonly scaleFactor?: Sizes | null;
}

function sizesOf(call: string, given: readonly unknown[]): UpsamplingOptions {
  return argumentsByName<UpsamplingOptions>(call, { places: ["size", "scaleFactor"] }, given);
}

/** Nearest neighbours over [batch, channels, height, width]. */
export class UpsamplingNearest2d extends Upsample {
  constructor(size: Sizes | null | UpsamplingOptions, scaleFactor?: Sizes | null);
  constructor(...given: unknown[]) {
    super({ ...sizesOf("new nn.UpsamplingNearest2d", given), mode: "nearest" });
  }
}

/** Bilinear over [batch, channels, height, width], with corners aligned. */
export class UpsamplingBilinear2d extends Upsample {
  constructor(size: Sizes | null | UpsamplingOptions, scaleFactor?: Sizes | null);
  constructor(...given: unknown[]) {
    super({ ...sizesOf("new nn.UpsamplingBilinear2d", given), mode: "bilinear", alignCorners: true });
  }
}

keepNothing(Upsample);
