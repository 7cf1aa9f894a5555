// The limits of an axis, `xLimits: [0, 10]`: what lies outside is not drawn.
import { checkList, checkNumber, describe } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";
import type { Scale } from "../../charts/ticks.ts";
import { counted } from "../../words.ts";

export type Limits = readonly [least: number, greatest: number];

export interface LimitOptions {
  /** The ends of the x axis, where it has numbers; what lies outside is not drawn, and counted. Default: those of the values. */
  readonly xLimits?: Limits;
  /** The ends of the y axis; what lies outside is not drawn, and counted. Default: those of the values. */
  readonly yLimits?: Limits;
}

const limits = optional((call: string, name: string, value: unknown): Limits => {
  const list = checkList(call, name, value as readonly unknown[]);
  if (list.length !== 2)
    throw new RangeError(`${call}: ${name} must be two numbers, [least, greatest], got ${describe(value)}.`);
  const [least, greatest] = Array.from(list, (end, at) => checkNumber(call, `${name}[${at}]`, end as number));
  if (!(Number.isFinite(least) && Number.isFinite(greatest) && least! < greatest!))
    throw new RangeError(
      `${call}: ${name} must be two finite numbers, the smaller one first, got ${describe(value)}.`,
    );
  return [least!, greatest!];
});

export const LIMITS = { xLimits: limits, yLimits: limits } as const;

/** @throws RangeError for a limit that a logarithmic axis has no place for, TypeError for an axis of dates or names */
export function checkLimits(
  call: string,
  kind: "quantitative" | "temporal" | "ordinal",
  { xLimits, yLimits }: { readonly xLimits: Limits | undefined; readonly yLimits: Limits | undefined },
  { xScale, yScale }: { readonly xScale: Scale; readonly yScale: Scale },
): void {
  if (xLimits !== undefined && kind !== "quantitative")
    throw new TypeError(
      `${call}: xLimits are numbers, and the x axis has ${kind === "temporal" ? "dates" : "names"}; leave out the values instead.`,
    );
  for (const [name, scale, given] of [
    ["x", xScale, xLimits],
    ["y", yScale, yLimits],
  ] as const)
    if (scale === "log" && given !== undefined && given[0] <= 0)
      throw new RangeError(
        `${call}: ${name}Limits begin at ${given[0]}, and a logarithmic axis needs positive limits.`,
      );
}

/** Whether a position lies on the axis; names always do. */
export function isWithin(value: number | string, limits: Limits | undefined): boolean {
  return typeof value === "string" || limits === undefined || (value >= limits[0] && value <= limits[1]);
}

/** `["3 points lie outside the limits"]`; empty if none does. */
export function outsideText(count: number): string[] {
  return count === 0 ? [] : [`${counted(count, "point")} ${count === 1 ? "lies" : "lie"} outside the limits`];
}
