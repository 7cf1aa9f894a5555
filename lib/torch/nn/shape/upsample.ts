// Upsample as a layer. `functional/interpolate.ts` computes it.
import type { Tensor } from "../../tensor/tensor.ts";
import {
  checkBoolean,
  checkChoice,
  checkNumber,
  checkOptions,
  describe,
} from "../../vocabulary/arguments.ts";
import { INTERPOLATION_MODES, interpolate, type InterpolateOptions } from "../functional/interpolate.ts";
import type { Sizes } from "../conv/geometry.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import { keepNothing } from "../module/transient.ts";

export type UpsampleOptions = Omit<InterpolateOptions, "antialias">;

const OPTIONS = ["size", "scaleFactor", "mode", "alignCorners", "recomputeScaleFactor"] as const;

/** [batch, channels, ...spatial] enlarged: `new Upsample({ scaleFactor: 2, mode: "bilinear" })`. */
export class Upsample extends Module {
  readonly options: UpsampleOptions;

  constructor(options: UpsampleOptions) {
    super();
    const call = `new nn.${this.constructor.name}`;
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
  /** Spatial sizes of the output; this or `scaleFactor`. */
  readonly size?: Sizes | null;
  /** Output sizes over input sizes; this or `size`. */
  readonly scaleFactor?: Sizes | null;
}

/** Nearest neighbours over [batch, channels, height, width]. */
export class UpsamplingNearest2d extends Upsample {
  constructor(options: UpsamplingOptions) {
    super({
      ...checkOptions("new nn.UpsamplingNearest2d", options, ["size", "scaleFactor"]),
      mode: "nearest",
    });
  }
}

/** Bilinear over [batch, channels, height, width], with corners aligned. */
export class UpsamplingBilinear2d extends Upsample {
  constructor(options: UpsamplingOptions) {
    const given = checkOptions("new nn.UpsamplingBilinear2d", options, ["size", "scaleFactor"]);
    super({ ...given, mode: "bilinear", alignCorners: true });
  }
}

keepNothing(Upsample);
