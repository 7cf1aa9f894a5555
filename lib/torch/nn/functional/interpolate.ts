// Resizes images and sequences. Chooses libtorch's upsampling operator by mode and number of dimensions.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkNumber, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import {
  boolean,
  checkedLater,
  choice,
  nullable,
  type OpenRules,
  readOptions,
} from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { makeOperator, nnFunctions, torchFunctions } from "../../tensor/operators.ts";

export type InterpolationMode =
  | "nearest"
  | "nearest-exact"
  | "linear"
  | "bilinear"
  | "bicubic"
  | "trilinear"
  | "area";

export interface InterpolateOptions {
  /** Spatial sizes of the output; this or `scaleFactor`. Default: none. */
  readonly size?: number | readonly number[] | null;
  /** Multiplier of the spatial sizes. Default: none. */
  readonly scaleFactor?: number | readonly number[] | null;
  /** How the values between the input's are found. Default: "nearest". */
  readonly mode?: InterpolationMode;
  /** Whether corner pixels keep their values; for the linear and cubic modes. Default: false, as null. */
  readonly alignCorners?: boolean | null;
  /** Computes the scale anew from the rounded sizes. Default: false, as null. */
  readonly recomputeScaleFactor?: boolean | null;
  /** Smooths when shrinking; for bilinear and bicubic. Default: false. */
  readonly antialias?: boolean;
}

export const INTERPOLATION_MODES = [
  "nearest",
  "nearest-exact",
  "linear",
  "bilinear",
  "bicubic",
  "trilinear",
  "area",
] as const satisfies readonly InterpolationMode[];

type Upsample = (...args: unknown[]) => Tensor;
const upsample = (name: string) => makeOperator(name, "vec") as Upsample;

/** The operators by mode, one for each number of spatial dimensions. The first is for one dimension. */
const OPERATORS: Readonly<Record<InterpolationMode, readonly (Upsample | null)[]>> = {
  nearest: ["upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"].map(upsample),
  "nearest-exact": ["1d", "2d", "3d"].map((dims) => upsample(`_upsample_nearest_exact${dims}`)),
  linear: [upsample("upsample_linear1d"), null, null],
  bilinear: [null, upsample("upsample_bilinear2d"), null],
  bicubic: [null, upsample("upsample_bicubic2d"), null],
  trilinear: [null, null, upsample("upsample_trilinear3d")],
  area: [
    torchFunctions.adaptiveAvgPool1d,
    nnFunctions.adaptiveAvgPool2d,
    nnFunctions.adaptiveAvgPool3d,
  ] as Upsample[],
};

const ANTIALIASED: Partial<Record<InterpolationMode, Upsample>> = {
  bilinear: upsample("_upsample_bilinear2d_aa"),
  bicubic: upsample("_upsample_bicubic2d_aa"),
};

/** One value for every spatial dimension, or one for each. */
function perDimension(
  name: string,
  value: number | readonly number[],
  spatial: number,
  check: (call: string, name: string, value: unknown) => number,
): number[] {
  if (!Array.isArray(value)) return Array(spatial).fill(check("interpolate", name, value));
  if (value.length !== spatial) {
    throw new RangeError(
      `interpolate: ${name} takes one number or ${spatial} of them, got ${describe(value)}.`,
    );
  }
  return value.map((one, i) => check("interpolate", `${name}[${i}]`, one));
}

const checkSize = (call: string, name: string, value: unknown) => checkInteger(call, name, value, 1);
const checkScale = (call: string, name: string, value: unknown) =>
  checkNumber(call, name, value, { min: Number.MIN_VALUE });

const RULES = {
  size: checkedLater<number | readonly number[] | null>(null),
  scaleFactor: checkedLater<number | readonly number[] | null>(null),
  mode: choice("nearest", INTERPOLATION_MODES),
  alignCorners: nullable(boolean(false)),
  recomputeScaleFactor: nullable(boolean(false)),
  antialias: boolean(false),
} satisfies OpenRules<InterpolateOptions>;

const PLACES = [
  "size",
  "scaleFactor",
  "mode",
  "alignCorners",
  "recomputeScaleFactor",
  "antialias",
] as const satisfies readonly (keyof InterpolateOptions)[];

/** [batch, channels, ...spatial] with other spatial sizes. */
export function interpolate(
  input: Tensor,
  size: number | readonly number[] | null | InterpolateOptions,
  scaleFactor?: number | readonly number[] | null | InterpolateOptions,
  mode?: InterpolationMode | InterpolateOptions,
  alignCorners?: boolean | null | InterpolateOptions,
  recomputeScaleFactor?: boolean | null | InterpolateOptions,
  antialias?: boolean,
): Tensor;
export function interpolate(input: Tensor, ...given: unknown[]): Tensor {
  const call = "interpolate";
  const options = optionsByPlace<InterpolateOptions>(call, PLACES, given);
  const read = readOptions(call, options, RULES);
  const { size, scaleFactor, mode, alignCorners, recomputeScaleFactor, antialias } = read;
  if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  if ((size === null) === (scaleFactor === null)) {
    throw new TypeError(`${call}: give one of size and scaleFactor, got ${size === null ? "none" : "both"}.`);
  }
  const smooth = mode !== "area" && !mode.startsWith("nearest");
  if (alignCorners !== null && !smooth) {
    throw new TypeError(
      `${call}: alignCorners is for linear, bilinear, bicubic and trilinear, not for "${mode}".`,
    );
  }
  const shape = native.shape(input);
  const spatial = shape.length - 2;
  const operator = antialias ? spatial === 2 && ANTIALIASED[mode] : OPERATORS[mode][spatial - 1];
  if (!operator) {
    throw new RangeError(
      `${call}: mode "${mode}"${antialias ? " with antialias" : ""} does not serve an input of shape [${shape.join(", ")}].`,
    );
  }
  let sizes = size === null ? null : perDimension("size", size, spatial, checkSize);
  let scales = scaleFactor === null ? null : perDimension("scaleFactor", scaleFactor, spatial, checkScale);
  if (scales && (mode === "area" || recomputeScaleFactor)) {
    sizes = scales.map((scale, i) => Math.floor(shape[i + 2]! * scale));
    scales = null;
  }
  if (mode === "area") return operator(input, sizes);
  return smooth ? operator(input, sizes, alignCorners ?? false, scales) : operator(input, sizes, scales);
}
