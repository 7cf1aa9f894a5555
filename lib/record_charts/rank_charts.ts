// Draws one epoch loop of several ranks: time, memory and metrics by epoch, a line for each rank. They show which rank
// the others wait for, and whether one holds more memory than the others.
import { type Chart, highest, lowest, stacked } from "../charts/chart.ts";
import {
  colorOf,
  integerTicks,
  type Label,
  labelsLayer,
  measureAxis,
  PALETTE,
  PLOT,
  type Specification,
  wrapped,
} from "../charts/chart_style.ts";
import { spreadOf } from "../statistics/spread.ts";
import { byteUnit, formatBytes, formatTime, timeUnit } from "../units.ts";
import type { RankEpoch, RankLoop } from "../records/rank_loops.ts";
import { counted } from "../words.ts";

/** Up to this many lines have their names beside them; of more ranks, only the highest and the lowest do. */
const NAMED_LINES = 6;
/** More metrics than this are only in the ledgers. */
const MAX_METRICS = 3;
const HEIGHT = 120;

interface Line {
  readonly rank: number;
  /** Points by epoch, in the unit of the axis, without values that are not finite. */
  readonly points: readonly { readonly x: number; readonly y: number; readonly value: string }[];
}

/**
 * Null while no rank has ended an epoch. @param ranks the latest loop of each rank, by rank
 */
export function rankCharts(ranks: ReadonlyMap<number, RankLoop>): Chart | null {
  const begun = [...ranks].filter(([, { epochs }]) => epochs.length > 0).toSorted(([a], [b]) => a - b);
  if (begun.length === 0) return null;
  const loops = new Map(begun);
  return stacked([...metricCharts(loops), memoryOfRanks(loops), timeOfRanks(loops)]);
}

type Loops = ReadonlyMap<number, RankLoop>;

function timeOfRanks(loops: Loops): Chart {
  const unit = timeUnit(highest(valuesOf(loops, (epoch) => epoch.totalMs)));
  const medians = [...loops].map(
    ([rank, { epochs }]) => [rank, spreadOf(steady(epochs).map(({ totalMs }) => totalMs)).median] as const,
  );
  const told = `an epoch takes ${extremes(medians, formatTime, "slowest", "fastest")} (medians, flush included)`;
  return {
    specification: plot(loops, "Time", [told, ...cutTexts(loops)], {
      lines: linesOf(loops, ({ totalMs }) => [totalMs / unit.size, formatTime(totalMs)]),
      unit: unit.name,
    }),
    summary: `Time of ${describe(loops)}: ${told}.`,
  };
}

function memoryOfRanks(loops: Loops): Chart {
  const unit = byteUnit(highest(valuesOf(loops, (epoch) => epoch.peakBytes)));
  const peaks = [...loops].map(
    ([rank, { epochs }]) => [rank, highest(epochs.map(({ peakBytes }) => peakBytes))] as const,
  );
  const told = `tensors held at most ${extremes(peaks, formatBytes, "most", "least")}`;
  const growing = [...loops].flatMap(([rank, { growth }]) =>
    growth === "" ? [] : [`rank ${rank}: ${growth}`],
  );
  return {
    specification: plot(loops, "Peak memory", [told, ...growing], {
      lines: linesOf(loops, ({ peakBytes }) => [peakBytes / unit.size, formatBytes(peakBytes)]),
      unit: unit.name,
    }),
    summary: `Memory of ${describe(loops)}: ${[told, ...growing].join("; ")}.`,
  };
}

function metricCharts(loops: Loops): readonly Chart[] {
  const names = [
    ...new Set(
      [...loops.values()].flatMap(({ epochs }) => epochs.flatMap(({ metrics }) => Object.keys(metrics))),
    ),
  ];
  return names.slice(0, MAX_METRICS).map((name) => {
    const lines = linesOf(loops, ({ metrics }) => {
      const value = metrics[name];
      return value == null ? null : [value, metricText(value)];
    });
    const last = lines.flatMap(({ rank, points }) =>
      points.length === 0 ? [] : [[rank, points.at(-1)!.y] as const],
    );
    const told = last.length === 0 ? "not finite" : extremes(last, metricText, "highest", "lowest");
    return {
      specification: plot(loops, name, [], { lines, unit: null }),
      summary: `${name} of ${describe(loops)}: ${told} at the end.`,
    };
  });
}

/** The first epoch warms caches, so it counts only if there is no other. */
function steady(epochs: readonly RankEpoch[]): readonly RankEpoch[] {
  const others = epochs.filter(({ epoch }) => epoch > 0);
  return others.length > 0 ? others : epochs;
}

function valuesOf(loops: Loops, of: (epoch: RankEpoch) => number): number[] {
  return [...loops.values()].flatMap(({ epochs }) => epochs.map(of));
}

function linesOf(loops: Loops, of: (epoch: RankEpoch) => readonly [number, string] | null): Line[] {
  return [...loops].map(([rank, { epochs }]) => ({
    rank,
    points: epochs.flatMap((epoch) => {
      const found = of(epoch);
      return found === null ? [] : [{ x: epoch.epoch + 1, y: found[0], value: found[1] }];
    }),
  }));
}

/** `191 ms on rank 1, the slowest, and 180 ms on rank 0, the fastest` */
function extremes(
  values: readonly (readonly [number, number])[],
  format: (value: number) => string,
  max: string,
  min: string,
): string {
  const sorted = values.toSorted(([, a], [, b]) => b - a);
  const [highestRank, high] = sorted[0]!;
  const [lowestRank, low] = sorted.at(-1)!;
  if (sorted.length === 1) return `${format(high)} on rank ${highestRank}`;
  if (format(high) === format(low)) return `${format(high)} on every rank`;
  return `${format(high)} on rank ${highestRank}, the ${max}, and ${format(low)} on rank ${lowestRank}, the ${min}`;
}

/** `5 epochs on 2 ranks (cpu)` */
function describe(loops: Loops): string {
  const counts = [...loops.values()].map(({ epochs }) => epochs.length);
  const [first] = loops.values();
  const { device } = first!.epochs.at(-1)!;
  return `${counted(highest(counts), "epoch")} on ${loops.size === 1 ? "1 rank" : `${loops.size} ranks`} (${device})`;
}

function cutTexts(loops: Loops): readonly string[] {
  const cut = [...loops].filter(([, loop]) => loop.cut).map(([rank]) => rank);
  return cut.length === 0 ? [] : [`without an epoch that was cut on rank ${cut.join(", ")}`];
}

function plot(
  loops: Loops,
  subject: string,
  subtitle: readonly string[],
  { lines, unit }: { readonly lines: readonly Line[]; readonly unit: string | null },
): Specification {
  const epochs = valuesOf(loops, ({ epoch }) => epoch + 1);
  const [begin, end] = [lowest(epochs), highest(epochs)];
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const [low, high] = values.length === 0 ? [0, 1] : [lowest(values), highest(values)];
  const top = Math.max(high * 1.1, 1e-9);
  const [first] = loops.values();
  const { run } = first!;
  const device = first!.epochs.at(-1)!.device;
  const room = begin === end ? 0.5 : 0;
  const margin = (high - low || Math.abs(high) || 1) * 0.1;
  return {
    title: {
      text: `${subject} by epoch · ${loops.size === 1 ? "1 rank" : `${loops.size} ranks`} · ${device}${run > 1 ? ` · run ${run}` : ""}`,
      subtitle: wrapped(subtitle),
    },
    width: PLOT.width,
    height: HEIGHT,
    encoding: {
      x: {
        type: "quantitative",
        scale: { domain: [begin - room, end + room], nice: false },
        axis: { title: "epoch", values: integerTicks(begin, end), format: "d", grid: false },
      },
      y:
        unit === null
          ? {
              type: "quantitative",
              scale: { domain: [low - margin, high + margin], zero: false, nice: false },
              axis: { title: null, tickCount: 4, format: ".6~g" },
            }
          : { ...measureAxis(top, unit) },
    },
    layer: [
      ...lines.flatMap(lineLayers),
      labelsLayer(labelsOf(lines), end + room, unit === null ? high + margin : top, {
        base: unit === null ? low - margin : 0,
        height: HEIGHT,
      }),
    ],
  };
}

function lineLayers({ rank, points }: Line): Specification[] {
  const at = {
    x: { field: "x", type: "quantitative" },
    y: { field: "y", type: "quantitative" },
  };
  const values = points.map((point) => ({ ...point, rank: `rank ${rank}`, epoch: String(point.x) }));
  const tooltip = ["rank", "epoch", "value"].map((field) => ({ field, type: "nominal" }));
  const strokeDash = rank < PALETTE.length ? [1, 0] : [4, 3];
  const color = colorOf(rank);
  return [
    { data: { values }, mark: { type: "line", color, strokeWidth: 2, strokeDash }, encoding: at },
    {
      data: { values },
      mark: { type: "point", color, filled: true, size: points.length > 30 ? 8 : 30, opacity: 1 },
      encoding: { ...at, tooltip },
    },
  ];
}

function labelsOf(lines: readonly Line[]): readonly Label[] {
  const ends = lines.filter(({ points }) => points.length > 0);
  const sorted = ends.toSorted((a, b) => b.points.at(-1)!.y - a.points.at(-1)!.y);
  const named = ends.length <= NAMED_LINES ? sorted : [sorted[0]!, sorted.at(-1)!];
  return named.map(({ rank, points }) => {
    const { y, value } = points.at(-1)!;
    const symbol = rank < PALETTE.length ? ("line" as const) : ("dashed" as const);
    return { text: `rank ${rank} ${value}`, color: colorOf(rank), y, symbol };
  });
}

/** Three significant digits; whole numbers as they are. */
function metricText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
