// Draws the charts of a sweep: throughput and memory by batch, with one line for each combination of the other
// parameters.
import type { Chart } from "../charts/chart.ts";
import {
  COLOR,
  colorOf,
  type Label,
  labelsLayer,
  measureAxis,
  PLOT,
  type Specification,
} from "../charts/chart_style.ts";
import { byteUnit, formatBytes } from "../units.ts";
import { choiceMarks, SIGNS } from "./choice_marks.ts";
import type { PointRecord, PointStatus } from "../records/batch_sweeps/point.ts";
import { type Series, seriesOf, type SweepResult } from "../records/batch_sweeps/result.ts";
import { choiceText, formatRate } from "../records/batch_sweeps/table.ts";

/** Ticks closer than this fraction of the axis would have overlapping labels. */
const TICK_GAP = 0.06;
/** Pixels from a line of text to the next. */
const LINE_HEIGHT = 16;
const X = { field: "x", type: "quantitative" } as const;
const Y = { field: "y", type: "quantitative" } as const;

interface Measure {
  readonly subject: string;
  readonly unit: string;
  of(record: PointRecord): { readonly value: number; readonly low: number; readonly high: number } | null;
}

function throughputMeasure(topPerSecond: number): Measure & { readonly scale: number } {
  const scale = topPerSecond >= 20_000 ? 1000 : 1;
  return {
    subject: "Throughput",
    unit: scale === 1 ? "/s" : "k/s",
    scale,
    of({ steady }) {
      if (steady === null) return null;
      const { median, lowerQuartile, upperQuartile } = steady.samplesPerSecond;
      return { value: median / scale, low: lowerQuartile / scale, high: upperQuartile / scale };
    },
  };
}

/** Returns null if no point has a number. */
export function throughputChart(result: SweepResult): Chart | null {
  const rates = result.points.flatMap(({ steady }) =>
    steady === null ? [] : [steady.samplesPerSecond.upperQuartile],
  );
  if (rates.length === 0) return null;
  const measure = throughputMeasure(Math.max(...rates));
  const top = (Math.max(...rates) / measure.scale) * 1.12;
  const series = seriesOf(result.points);
  const chosen = result.choices.flatMap((choice) => marks(choice, series, measure));
  return {
    specification: drawn(
      result,
      series,
      measure,
      top,
      [series.length > 1 ? signsLayer(chosen) : chosenLayer(chosen, batchDomain(result))],
      `samples a second; the band is between the quartiles${series.length > 1 ? signsText(chosen) : ""}`,
    ),
    summary: `Throughput of ${result.name} on ${result.device}: ${result.choices.map(choiceText).join(" ")}`,
  };
}

/** Returns null if no point has a number. */
export function memoryChart(result: SweepResult): Chart | null {
  const peaks = result.points.flatMap(({ memory, steady }) =>
    memory === null || steady === null ? [] : [memory.peakBytes],
  );
  if (peaks.length === 0) return null;
  const highestBytes = Math.max(...peaks);
  const limitBytes = result.points.findLast(({ memory }) => memory !== null)?.memory?.limitBytes ?? null;
  // A limit far above the data would flatten the lines.
  const limitInSight = limitBytes !== null && limitBytes < 2.5 * highestBytes;
  const topBytes = (limitInSight ? Math.max(highestBytes, limitBytes) : highestBytes) * 1.12;
  const unit = byteUnit(topBytes);
  const measure: Measure = {
    subject: "Peak memory",
    unit: unit.name,
    of({ memory, steady }) {
      if (memory === null || steady === null) return null;
      const value = memory.peakBytes / unit.size;
      return { value, low: value, high: value };
    },
  };
  const limit = limitBytes === null ? "no limit is known" : `watermark ${formatBytes(limitBytes)}`;
  const layers = limitInSight ? [limitLayer(limitBytes / unit.size, limit)] : [];
  return {
    specification: drawn(
      result,
      seriesOf(result.points),
      measure,
      topBytes / unit.size,
      layers,
      `of live tensors; ${limit}`,
    ),
    summary: `Peak memory of ${result.name} on ${result.device}: ${rangeText(Math.min(...peaks), highestBytes)}; ${limit}.`,
  };
}

function rangeText(leastBytes: number, mostBytes: number): string {
  const [min, max] = [formatBytes(leastBytes), formatBytes(mostBytes)];
  return min === max ? max : `${min} to ${max}`;
}

function drawn(
  result: SweepResult,
  series: readonly Series[],
  measure: Measure,
  top: number,
  layers: readonly Specification[],
  subtitle: string,
): Specification {
  const batches = result.points.map(({ point }) => point.batch);
  const domain = batchDomain(result);
  const labels: Label[] = series.flatMap(({ parameters, records }, at) => {
    const last = records.map((record) => measure.of(record)).findLast((value) => value !== null);
    if (!last) return [];
    const name = seriesName(parameters);
    return [{ text: name === "" ? measure.subject.toLowerCase() : name, color: colorOf(at), y: last.value }];
  });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    title: { text: `${measure.subject} by batch · ${result.name} · ${result.device}`, subtitle: [subtitle] },
    ...PLOT,
    encoding: {
      x: {
        type: "quantitative",
        scale: { type: "log", base: 2, domain, nice: false },
        axis: {
          title: "batch",
          values: ticks(batches, domain),
          format: "d",
          grid: false,
        },
      },
      y: measureAxis(top, measure.unit),
    },
    layer: [
      ...series.flatMap((one, at) => lineLayers(one, at, measure)),
      ...layers,
      ...missingOf(series, measure).map((one, row) => missingLayer(one, row, series.length, domain)),
      labelsLayer(labels, domain[1], top),
    ],
  };
}

/** `hidden 64, float16`: a number needs its parameter's name, a word does not. */
export function seriesName(parameters: Series["parameters"]): string {
  return Object.entries(parameters)
    .map(([name, value]) => (typeof value === "string" ? value : `${name} ${value}`))
    .join(", ");
}

/** Returns the range from the smallest to the largest batch, with some room beside the points. */
function batchDomain({ points }: SweepResult): readonly [number, number] {
  const batches = points.map(({ point }) => point.batch);
  const [min, max] = [Math.min(...batches), Math.max(...batches)];
  return min === max ? [min / 1.5, max * 1.5] : [min / 1.08, max * 1.08];
}

function lineLayers({ records, parameters }: Series, at: number, measure: Measure): Specification[] {
  const values = records.flatMap((record) => {
    const found = measure.of(record);
    if (found === null) return [];
    const { steady, memory, status, swapped } = record;
    return [
      {
        x: record.point.batch,
        y: found.value,
        low: found.low,
        high: found.high,
        batch: String(record.point.batch),
        ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
        "samples/s": steady === null ? "" : formatRate(steady.samplesPerSecond.median),
        peak: memory === null ? "" : formatBytes(memory.peakBytes),
        state: swapped ? "swapped" : status,
      },
    ];
  });
  const color = colorOf(at);
  const told = ["batch", ...Object.keys(parameters), "samples/s", "peak", "state"];
  return [
    {
      data: { values },
      mark: { type: "area", color, opacity: 0.2 },
      encoding: { x: X, y: { field: "low", type: "quantitative" }, y2: { field: "high" } },
    },
    { data: { values }, mark: { type: "line", color, strokeWidth: 2 }, encoding: { x: X, y: Y } },
    {
      data: { values },
      mark: { type: "point", color, filled: true, size: 36, opacity: 1 },
      encoding: { x: X, y: Y, tooltip: told.map((field) => ({ field, type: "nominal" })) },
    },
  ];
}

interface Marked {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly shape: "circle" | "diamond" | "triangle-up";
  readonly color: string;
}

/** `; ○ best batch, ◇ knee`: the signs that are drawn. */
function signsText(chosen: readonly Marked[]): string {
  const shapes = new Set(chosen.map(({ shape }) => shape));
  const shown = (["circle", "diamond", "triangle-up"] as const).filter((shape) => shapes.has(shape));
  return shown.map((shape) => `; ${SIGNS[shape]}`).join("");
}

function marks(
  choice: SweepResult["choices"][number],
  series: readonly Series[],
  measure: Measure,
): Marked[] {
  const at = series.findIndex((one) => JSON.stringify(one.parameters) === JSON.stringify(choice.parameters));
  const records = series[at]?.records ?? [];
  return choiceMarks(choice, records[0]?.point.batch).flatMap(({ batch, text, shape }) => {
    const found = records.filter(({ point }) => point.batch === batch).map((record) => measure.of(record))[0];
    return found ? [{ x: batch, y: found.value, text, shape, color: colorOf(at) }] : [];
  });
}

/** Draws the chosen points of several lines without names, because the names would overlap. */
function signsLayer(values: readonly Marked[]): Specification {
  return {
    data: { values },
    mark: { type: "point", size: 130, strokeWidth: 2, filled: false },
    encoding: {
      x: X,
      y: Y,
      color: { field: "color", type: "nominal", scale: null },
      shape: { field: "shape", type: "nominal", scale: null },
    },
  };
}

/** Draws the chosen points with their names above them. */
function chosenLayer(values: readonly Marked[], [low, high]: readonly [number, number]): Specification {
  const color = { field: "color", type: "nominal", scale: null };
  const text = { field: "text" };
  // Near an end of the plot a name would run into the axis, or into the names of the lines.
  const names = (align: "left" | "center" | "right", from: number, to: number): Specification => ({
    transform: [
      { filter: `datum.x > ${low * (high / low) ** from} && datum.x <= ${low * (high / low) ** to}` },
    ],
    mark: { type: "text", dy: -14, align },
    encoding: { text },
  });
  return {
    data: { values },
    encoding: { x: X, y: Y },
    layer: [
      {
        mark: { type: "point", size: 130, strokeWidth: 2, filled: false },
        encoding: { color, shape: { field: "shape", type: "nominal", scale: null } },
      },
      names("left", 0, 0.15),
      names("center", 0.15, 0.85),
      names("right", 0.85, 1),
    ],
  };
}

function limitLayer(y: number, text: string): Specification {
  return {
    data: { values: [{ y, text }] },
    encoding: { y: Y },
    layer: [
      { mark: { type: "rule", color: COLOR.vermillion, strokeDash: [6, 4] } },
      {
        mark: { type: "text", align: "left", x: 4, dy: -8 },
        encoding: { text: { field: "text" } },
      },
    ],
  };
}

/** Says how points without a number ended; those of one line that ended alike are merged. */
interface Missing extends Series {
  readonly status: PointStatus;
  readonly at: number;
}

function missingOf(series: readonly Series[], measure: Measure): Missing[] {
  return series.flatMap(({ parameters, records }, at) => {
    const without = records.filter((record) => measure.of(record) === null);
    const statuses = [...new Set(without.map(({ status }) => status))];
    return statuses.map((status) => ({
      parameters,
      records: without.filter((record) => record.status === status),
      status,
      at,
    }));
  });
}

/** These points stand on the axis, each kind in a row of text beside its smallest batch. */
function missingLayer(
  { parameters, records, status, at }: Missing,
  row: number,
  lines: number,
  [low, high]: readonly [number, number],
): Specification {
  const isLeft = records[0]!.point.batch < low * (high / low) ** 0.35;
  // A single line does not use the colour of a warning.
  const color = lines > 1 ? colorOf(at) : COLOR.vermillion;
  const values = records.map(({ point, error }, index) => ({
    x: point.batch,
    y: 0,
    batch: String(point.batch),
    state: status,
    why: error ?? "",
    text: index > 0 ? "" : lines > 1 ? `${status}: ${seriesName(parameters)}` : status,
  }));
  return {
    data: { values },
    encoding: { x: X, y: Y, tooltip: ["batch", "state", "why"].map((field) => ({ field, type: "nominal" })) },
    layer: [
      {
        mark: {
          type: "point",
          shape: "cross",
          angle: 45,
          size: 80,
          filled: true,
          color,
          opacity: 1,
        },
      },
      {
        mark: {
          type: "text",
          align: isLeft ? "left" : "right",
          dx: isLeft ? 4 : -4,
          dy: -12 - LINE_HEIGHT * row,
        },
        encoding: { text: { field: "text" } },
      },
    ],
  };
}

/**
 * The batches that were tried, without those whose labels would touch others. The first and the last are always kept.
 */
function ticks(batches: readonly number[], [low, high]: readonly [number, number]): number[] {
  const sorted = [...new Set(batches)].toSorted((a, b) => a - b);
  const place = (batch: number) => Math.log(batch / low) / Math.log(high / low);
  const touch = (left: number, right: number) =>
    place(right) - place(left) < TICK_GAP + 0.012 * String(right).length;
  const last = sorted.at(-1)!;
  const kept: number[] = [];
  for (const batch of sorted) {
    const before = kept.at(-1);
    if (batch === last || before === undefined || !(touch(before, batch) || touch(batch, last)))
      kept.push(batch);
  }
  return kept;
}
