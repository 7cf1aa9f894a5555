// PyTorch's older names of `interpolate`, which scripts still have.
import type { Tensor } from "../../tensor/tensor.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { interpolate, type InterpolateOptions, type InterpolationMode } from "./interpolate.ts";

/** PyTorch's older name of `interpolate`. */
export function upsample(
  input: Tensor,
  size?: number | readonly number[] | null | InterpolateOptions,
  scaleFactor?: number | readonly number[] | null | InterpolateOptions,
  mode?: InterpolationMode | InterpolateOptions,
  alignCorners?: boolean | null,
): Tensor;
export function upsample(input: Tensor, ...given: unknown[]): Tensor {
  return interpolate(input, ...(given as [number]));
}

export type UpsampleOptions = Pick<InterpolateOptions, "size" | "scaleFactor">;

function upsampled(call: string, input: Tensor, given: readonly unknown[], how: InterpolateOptions): Tensor {
  const options = optionsByPlace<UpsampleOptions>(call, ["size", "scaleFactor"], given);
  return interpolate(input, { ...options, ...how });
}

/** PyTorch's older name of `interpolate` with the nearest values. */
export function upsampleNearest(
  input: Tensor,
  size?: number | readonly number[] | null | UpsampleOptions,
  scaleFactor?: number | readonly number[] | null | UpsampleOptions,
): Tensor;
export function upsampleNearest(input: Tensor, ...given: unknown[]): Tensor {
  return upsampled("upsampleNearest", input, given, { mode: "nearest" });
}

/** PyTorch's older name of `interpolate` with mode "bilinear", where corner pixels keep their values. */
export function upsampleBilinear(
  input: Tensor,
  size?: number | readonly number[] | null | UpsampleOptions,
  scaleFactor?: number | readonly number[] | null | UpsampleOptions,
): Tensor;
export function upsampleBilinear(input: Tensor, ...given: unknown[]): Tensor {
  return upsampled("upsampleBilinear", input, given, { mode: "bilinear", alignCorners: true });
}
