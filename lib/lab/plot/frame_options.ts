// Options that every plot takes: its title and its size.
import { checkInteger, checkText } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";

export interface FrameOptions {
  /** What the chart shows. Default: the names of its axes. */
  readonly title?: string;
  /** The width of the plot inside its axes in pixels, 40 to 4,000. Default: as wide as a notebook's page allows. */
  readonly width?: number;
  /** The height of the plot inside its axes in pixels, 40 to 4,000. Default: 220. */
  readonly height?: number;
}

const [MIN_SIDE, MAX_SIDE] = [40, 4000];

function checkSide(call: string, name: string, value: unknown): number {
  const side = checkInteger(call, name, value, MIN_SIDE);
  if (side > MAX_SIDE)
    throw new RangeError(`${call}: ${name} must be at most ${MAX_SIDE} pixels, got ${side}.`);
  return side;
}

export const FRAME = {
  title: optional(checkText),
  width: optional(checkSide),
  height: optional(checkSide),
} as const;
