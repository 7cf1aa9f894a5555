// Compares two sweeps at the points that both have measured: how the throughputs relate, and whether their quartiles lie
// apart. Does not know on which machines they ran: whoever shows a difference says that.
import { relativeSpread, type Spread } from "../../statistics/spread.ts";
import { columns, type Table } from "../../views/table.ts";
import { formatShare } from "../../units.ts";
import { capitalized } from "../../words.ts";
import type { Point, PointRecord } from "./point.ts";
import { canonicalText } from "../parameters.ts";
import { seriesOf, type SweepResult } from "./result.ts";
import { formatRate } from "./table.ts";

export interface PointDifference {
  readonly point: Point;
  /** Samples a second, one value a window. */
  readonly a: Spread;
  readonly b: Spread;
  /** The median of b over that of a. */
  readonly ratio: number;
  /** Whether the ranges between the quartiles overlap: then the windows show no difference. */
  readonly overlaps: boolean;
}

/** In the order of a sweep's table; empty where no point was measured in both. */
export function sweepDifferences(a: SweepResult, b: SweepResult): PointDifference[] {
  const others = new Map(b.points.map((record) => [canonicalText(record.point), record]));
  return seriesOf(a.points)
    .flatMap(({ records }) => records)
    .flatMap((record) => {
      const [first, second] = [rateOf(record), rateOf(others.get(canonicalText(record.point)))];
      if (first === null || second === null) return [];
      const overlaps =
        first.lowerQuartile <= second.upperQuartile && second.lowerQuartile <= first.upperQuartile;
      return [{ point: record.point, a: first, b: second, ratio: second.median / first.median, overlaps }];
    });
}

function rateOf(record: PointRecord | undefined): Spread | null {
  return record?.steady?.samplesPerSecond ?? null;
}

/** `at 8 equal points b has 3.1 to 4.4 times the rate of a; at 1 of them the quartiles overlap` */
export function differenceText(
  differences: readonly PointDifference[],
  [a, b]: readonly [string, string],
): string {
  if (differences.length === 0) return `no point was measured in both ${a} and ${b}`;
  const ratios = differences.map(({ ratio }) => ratio);
  const [min, max] = [ratioText(Math.min(...ratios)), ratioText(Math.max(...ratios))];
  const times = min === max ? min : `${min} to ${max}`;
  const points = differences.length === 1 ? "1 equal point" : `${differences.length} equal points`;
  const overlapping = differences.filter(({ overlaps }) => overlaps).length;
  const quartiles =
    overlapping === 0
      ? "the quartiles lie apart"
      : overlapping === differences.length
        ? "the quartiles overlap: no difference shows"
        : `at ${overlapping} of them the quartiles overlap`;
  return `at ${points} ${b} has ${times} times the rate of ${a}; ${quartiles}`;
}

/** A row for each point that both have measured. */
export function differenceTable(
  differences: readonly PointDifference[],
  names: readonly [string, string],
): Table {
  const parameters = Object.keys(differences[0]?.point ?? {}).filter((name) => name !== "batch");
  const rate = (spread: Spread) => `${formatRate(spread.median)} ±${formatShare(relativeSpread(spread))}`;
  return {
    caption: `Samples a second of ${names[0]} and of ${names[1]} at the points that both have measured; the spread is half the distance between the quartiles of the windows`,
    columns: columns("batch", ...parameters.map((name) => `<${name}`), ...names, "ratio", "<quartiles"),
    rows: differences.map(({ point, a, b, ratio, overlaps }) => [
      String(point.batch),
      ...parameters.map((name) => String(point[name])),
      rate(a),
      rate(b),
      `${ratioText(ratio)}×`,
      overlaps ? "overlap" : "apart",
    ]),
    notes: [`${capitalized(differenceText(differences, names))}.`],
  };
}

const ratioText = (ratio: number): string => String(Number(ratio.toPrecision(3)));
