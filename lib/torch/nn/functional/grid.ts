// Samples images at the positions of a grid, as spatial transformers do (Jaderberg et al., arXiv:1506.02025).
import { checkBoolean, checkInteger, checkList, describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { choice, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";

export interface GridSampleOptions {
  /** How the values between the input's are found. Default: "bilinear". */
  readonly mode?: "bilinear" | "nearest" | "bicubic";
  /** The values outside of the image. Default: "zeros". */
  readonly paddingMode?: "zeros" | "border" | "reflection";
  /** Whether -1 and 1 are the centres of the corner pixels, and not their edges. Default: false. */
  readonly alignCorners?: boolean | null;
}

/** The modes at the index of their number in libtorch. */
const MODES = ["bilinear", "nearest", "bicubic"] as const;
const PADDINGS = ["zeros", "border", "reflection"] as const;

const RULES = {
  mode: choice("bilinear", MODES),
  paddingMode: choice("zeros", PADDINGS),
  alignCorners: { fallback: false, check: (call, name, value) => checkBoolean(call, name, value ?? false) },
} satisfies OpenRules<GridSampleOptions>;

/** Input [batch, channels, height, width] at the places of [batch, rows, columns, 2], each from -1 to 1. */
export function gridSample(
  input: Tensor,
  grid: Tensor,
  mode?: "bilinear" | "nearest" | "bicubic" | GridSampleOptions,
  paddingMode?: "zeros" | "border" | "reflection" | GridSampleOptions,
  alignCorners?: boolean | null,
): Tensor;
export function gridSample(input: Tensor, grid: Tensor, ...given: unknown[]): Tensor {
  const call = "gridSample";
  const names = ["mode", "paddingMode", "alignCorners"] as const;
  const options = optionsByPlace<GridSampleOptions>(call, names, given);
  const { mode, paddingMode, alignCorners } = readOptions(call, options, RULES);
  for (const [name, value] of Object.entries({ input, grid }))
    if (!native.isTensor(value))
      throw new TypeError(`${call}: ${name} must be a tensor, got ${describe(value)}.`);
  const [shape, places] = [native.shape(input), native.shape(grid)];
  const spatial = shape.length - 2;
  const fits =
    (spatial === 2 || spatial === 3) &&
    places.length === shape.length &&
    places[0] === shape[0] &&
    places.at(-1) === spatial;
  if (!fits) {
    throw new RangeError(
      `${call}: "${mode}" takes an input [batch, channels, ...spatial] and a grid [batch, ...sizes, ${spatial}], ` +
        `got shapes [${shape.join(", ")}] and [${places.join(", ")}].`,
    );
  }
  return torchFunctions.gridSampler(
    input,
    grid,
    MODES.indexOf(mode),
    PADDINGS.indexOf(paddingMode),
    alignCorners,
  );
}

export type AffineGridOptions = Pick<GridSampleOptions, "alignCorners">;

/** The grid of affine maps [batch, 2, 3] for an output of size [batch, channels, height, width]. */
export function affineGrid(
  theta: Tensor,
  size: readonly number[],
  alignCorners?: boolean | null | AffineGridOptions,
): Tensor;
export function affineGrid(theta: Tensor, size: readonly number[], ...given: unknown[]): Tensor {
  const call = "affineGrid";
  const options = optionsByPlace<AffineGridOptions>(call, ["alignCorners"], given);
  const { alignCorners } = readOptions(call, options, { alignCorners: RULES.alignCorners });
  if (!native.isTensor(theta))
    throw new TypeError(`${call}: theta must be a tensor, got ${describe(theta)}.`);
  checkList(call, "size", size);
  for (const [i, one] of size.entries()) checkInteger(call, `size[${i}]`, one, 1);
  const spatial = size.length - 2;
  const shape = native.shape(theta);
  if ((spatial !== 2 && spatial !== 3) || shape.join() !== `${size[0]},${spatial},${spatial + 1}`) {
    throw new RangeError(
      `${call}: a size of ${size.length} numbers needs maps [${size[0]}, ${spatial}, ${spatial + 1}], got shape [${shape.join(", ")}].`,
    );
  }
  return torchFunctions.affineGridGenerator(theta, size, alignCorners);
}
