// Draws what `lab.log` recorded in one epoch loop: a small panel for each measure, because a loss and an accuracy share
// no axis; a loss and that of the validation do. A value that is not finite has no place on the axis; its name is written at the bottom.
import { type Chart, highest, lowest, mean } from "../../charts/chart.ts";
import { chartTitle, cutEpoch, type DrawnLoop, groups } from "./drawn_loop.ts";
import {
  COLOR,
  integerTicks,
  PLOT,
  type Specification,
  TEN_COLOURS,
  wrapped,
} from "../../charts/chart_style.ts";
import { metricGroups } from "./metric_groups.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { counted } from "../../words.ts";

/** Panels side by side. */
const COLUMNS = 2;
const PANEL = { width: 180, height: 90 } as const;
/** More metrics than this are only named: their values are in the ledger. */
const MAX_PANELS = 6;
const TITLE_HEIGHT = 14;
/** With more points than this the dots would touch. */
const DOTTED_POINTS = 30;

const X = { field: "x", type: "quantitative" } as const;
const Y = { field: "y", type: "quantitative" } as const;

/** An epoch, or the mean of a group of epochs in a long loop. */
interface MetricPoint {
  readonly x: number;
  /** Null if it is not finite. */
  readonly y: number | null;
  readonly epoch: string;
  readonly value: string;
}

/** Null if nothing was logged in a whole epoch. */
export function metricsChart(loop: DrawnLoop): Chart | null {
  const { combined = {} } = loop;
  const cut = cutEpoch(loop.epochs);
  const epochs = loop.epochs.filter((record) => record !== cut);
  const names = [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))];
  const [first, last] = [epochs[0], epochs.at(-1)];
  if (first === undefined || last === undefined || names.length === 0) return null;

  const drawn = groups(epochs);
  const together = metricGroups(names).slice(0, MAX_PANELS);
  const shown = together.flat();
  const width = together.length === 1 ? PLOT.width : PANEL.width;
  const panels = together.map((group) =>
    panel(
      group.map((name) => ({ name, points: pointsOf(name, drawn.groups) })),
      [first.epoch + 1, last.epoch + 1],
      width,
    ),
  );
  const subtitle = [
    ...combinedText(shown, combined),
    ...(drawn.size > 1 ? [`one point is the mean of ${drawn.size} epochs`] : []),
    ...(cut === null ? [] : [`without epoch ${cut.epoch + 1}, which was cut`]),
    ...(names.length > shown.length
      ? [`also logged: ${names.filter((name) => !shown.includes(name)).join(", ")}`]
      : []),
  ];
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      title: { text: chartTitle("Metrics", loop), subtitle: wrapped(subtitle), offset: 8 },
      concat: panels,
      columns: COLUMNS,
      spacing: 12,
    },
    summary: `Metrics of ${counted(epochs.length, "epoch")} on ${last.device}: ${names.map((name) => courseText(name, epochs)).join("; ")}.`,
  };
}

/**
 * `a point is the mean of its epoch's lab.log calls (loss)`; the names are given if it does not hold for all metrics.
 */
function combinedText(
  names: readonly string[],
  combined: Readonly<Record<string, "mean" | "last">>,
): string[] {
  const means = names.filter((name) => combined[name] === "mean");
  const lasts = names.filter((name) => combined[name] === "last");
  const of = (some: readonly string[]): string =>
    some.length === names.length ? "" : ` (${some.join(", ")})`;
  return [
    ...(means.length > 0 ? [`a point is the mean of its epoch's lab.log calls${of(means)}`] : []),
    ...(lasts.length > 0 ? [`a point is the last of its epoch's lab.log calls${of(lasts)}`] : []),
  ];
}

function pointsOf(name: string, drawn: readonly EpochRecord[][]): MetricPoint[] {
  return drawn.flatMap((group) => {
    const values = group.flatMap(({ metrics }) => (name in metrics ? [metrics[name] as number] : []));
    if (values.length === 0) return [];
    const value = mean(values);
    const [from, to] = [group[0] as EpochRecord, group.at(-1) as EpochRecord];
    return {
      x: (from.epoch + to.epoch) / 2 + 1,
      y: Number.isFinite(value) ? value : null,
      epoch: from === to ? String(to.epoch + 1) : `${from.epoch + 1} to ${to.epoch + 1}`,
      value: metricText(value),
    };
  });
}

/** A line of a panel. */
interface MetricLine {
  readonly name: string;
  readonly points: readonly MetricPoint[];
}

function panel(
  lines: readonly MetricLine[],
  [begin, end]: readonly [number, number],
  width: number,
): Specification {
  const all = lines.flatMap(({ points }) => points);
  const finite = all.flatMap(({ y }) => (y === null ? [] : [y]));
  const strange = all.filter(({ y }) => y === null);
  const room = begin === end ? 0.5 : 0;
  return {
    width,
    height: PANEL.height,
    encoding: {
      x: {
        type: "quantitative",
        scale: { domain: [begin - room, end + room], nice: false },
        axis: { title: "epoch", values: integerTicks(begin, end, 5), format: "d", grid: false },
      },
      y: {
        type: "quantitative",
        scale: { domain: domainOf(finite), zero: false, nice: true },
        axis: { title: null, tickCount: 3, format: ".6~g" },
      },
    },
    layer: [
      ...lines.flatMap((line, at) => lineLayers(line, at, lines.length)),
      ...(strange.length > 0 ? strangeLayers(strange, begin, end) : []),
    ],
  };
}

/** @param at the place of the line among the `count` of its panel: their names stand below each other */
function lineLayers({ name, points }: MetricLine, at: number, count: number): Specification[] {
  const color = TEN_COLOURS[at]!;
  const last = points.at(-1) as MetricPoint;
  const fields = count === 1 ? ["epoch", "value"] : ["name", "epoch", "value"];
  const tooltip = fields.map((field) => ({ field, type: "nominal" }));
  return [
    {
      // The title has a fixed place: Vega would put it higher above an axis whose top number touches the top than
      // above its neighbour.
      data: { values: [{}] },
      mark: {
        type: "text",
        align: "left",
        baseline: "bottom",
        fontWeight: "bold",
        ...(count === 1 ? {} : { color }),
      },
      encoding: {
        x: { value: 0 },
        y: { value: -10 - (count - 1 - at) * TITLE_HEIGHT },
        text: { value: `${name} ${last.value}` },
      },
    },
    {
      data: { values: points },
      mark: { type: "line", color, strokeWidth: 2 },
      encoding: { x: X, y: Y },
    },
    {
      data: {
        values: points.flatMap((point) =>
          point.y === null ? [] : [{ ...point, ...(count > 1 && { name }) }],
        ),
      },
      mark: { type: "point", color, filled: true, size: points.length > DOTTED_POINTS ? 8 : 30, opacity: 1 },
      encoding: { x: X, y: Y, tooltip },
    },
  ];
}

/**
 * A single value gets room around it. Without any value the axis still carries the signs for values that are not
 * finite.
 */
function domainOf(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 1];
  const [min, max] = [lowest(values), highest(values)];
  return min === max ? [min - Math.abs(min || 1) / 2, max + Math.abs(max || 1) / 2] : [min, max];
}

/** Crosses at the bottom; the first one has its word, `NaN` or `Infinity`. */
function strangeLayers(values: readonly MetricPoint[], begin: number, end: number): Specification[] {
  const [first] = values as readonly [MetricPoint];
  const bottom = { value: PANEL.height - 5 };
  return [
    {
      data: { values },
      mark: {
        type: "point",
        shape: "cross",
        angle: 45,
        size: 50,
        filled: true,
        opacity: 1,
        color: COLOR.vermillion,
      },
      encoding: { x: X, y: bottom, tooltip: ["epoch", "value"].map((field) => ({ field, type: "nominal" })) },
    },
    {
      data: { values: [first] },
      mark: {
        type: "text",
        align: first.x > (begin + end) / 2 ? "right" : "left",
        dy: -14,
        fontWeight: "bold",
      },
      encoding: { x: X, y: bottom, text: { field: "value" } },
    },
  ];
}

/** `loss from 0.512 to 0.123`, and which epochs have no finite value. */
function courseText(name: string, epochs: readonly EpochRecord[]): string {
  const logged = epochs.filter(({ metrics }) => name in metrics);
  const values = logged.map(({ metrics }) => metrics[name] as number);
  const texts = [values[0] as number, values.at(-1) as number].map(metricText);
  const course = logged.length === 1 ? `${name} ${texts[0]}` : `${name} from ${texts[0]} to ${texts[1]}`;
  const strange = logged.filter(({ metrics }) => !Number.isFinite(metrics[name]));
  const [first] = strange;
  if (first === undefined) return course;
  return `${course}, not finite in ${strange.length} of ${counted(logged.length, "epoch")}, first in epoch ${first.epoch + 1}`;
}

/** Three significant digits; whole numbers as they are. */
function metricText(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(3)));
}
