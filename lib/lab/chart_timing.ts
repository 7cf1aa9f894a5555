// The timing chart of one epoch loop: where each epoch's time went, the first one apart from the steady ones. Draws
// records; knows neither devices nor notebooks.
import { type Chart, chartTitle, countEpochs, type DrawnLoop, groups, highest, mean } from "./chart.ts";
import {
  COLOR,
  integerTicks,
  type Label,
  labelsLayer,
  measureAxis,
  PLOT,
  type Specification,
} from "./chart_style.ts";
import type { EpochRecord } from "./ledger.ts";
import { formatShare, formatTime, timeUnit } from "../units.ts";

/** A first epoch longer than this many steady ones is cut off, and its length written above it. */
const FIRST_IN_SIGHT = 2.5;
/** Widest bar in pixels. */
const WIDEST_BAR = 56;
/** Among more bars than this the word "first" is wider than its bar, so it stands above all of them. */
const WIDE_BARS = 12;
/** Gaps between more bars than this would be thinner than a pixel. */
const TOUCHING_BARS = 100;

const X = { field: "x", type: "quantitative" } as const;

const UNCOUNTED = "waits inside the epochs are not counted on this device";

/** What an epoch's time is divided into, from the axis up. */
interface Part {
  readonly name: string;
  readonly color: string;
  of(record: EpochRecord): number;
}

const FLUSH: Part = { name: "flush", color: COLOR.green, of: (record) => record.flushMs };
const HOST: Part = { name: "host", color: COLOR.blue, of: (record) => record.hostMs ?? 0 };
const WAIT: Part = {
  name: "waiting for device",
  color: COLOR.vermillion,
  of: (record) => record.waitMs ?? 0,
};
/** Where waits inside the epoch were not counted, the host's own time is not known apart from them. */
const HOST_AND_WAIT: Part = {
  name: "host + its waits",
  color: COLOR.blue,
  of: (record) => record.wallMs - (record.finalWaitMs ?? 0),
};
const FINAL_WAIT: Part = {
  name: "final wait",
  color: COLOR.vermillion,
  of: (record) => record.finalWaitMs ?? 0,
};

export function timingChart(loop: DrawnLoop): Chart {
  const { epochs } = loop;
  const last = epochs.at(-1) as EpochRecord;
  const counted = epochs.every((record) => record.waitMs !== null);
  const parts = counted ? [HOST, WAIT, FLUSH] : [HOST_AND_WAIT, FINAL_WAIT, FLUSH];
  const total = (record: EpochRecord): number => parts.reduce((sum, part) => sum + part.of(record), 0);

  const first = epochs.find((record) => record.first);
  const steady = epochs.filter((record) => !record.first);
  const typical = steady.length > 0 ? steady : epochs;
  const drawn = groups(steady);
  const steadyTopMs = Math.max(0, highest(drawn.groups.map((group) => mean(group.map(total)))));
  const firstMs = first ? total(first) : 0;
  const firstCut = steadyTopMs > 0 && firstMs > FIRST_IN_SIGHT * steadyTopMs;
  const topMs = Math.max(firstCut ? steadyTopMs * 1.25 : Math.max(steadyTopMs, firstMs) * 1.08, 1e-3);
  const unit = timeUnit(topMs);
  const scaled = (milliseconds: number): number => Math.min(milliseconds, topMs) / unit.size;

  // The ledger may have been cleared in the middle of the loop.
  const [begin, end] = [(epochs[0] as EpochRecord).epoch + 1, last.epoch + 1];
  const count = end - begin + 1;
  const halfBar = count > TOUCHING_BARS ? 0.5 : Math.min(0.38, ((WIDEST_BAR / 2) * count) / PLOT.width);
  const bars = [...(first ? [[first]] : []), ...drawn.groups];
  const layers = [barLayer(bars, parts, halfBar, scaled)];
  if (first) {
    const text = firstCut ? `first: ${formatTime(firstMs)} ↑` : "first";
    layers.push(firstLabel(text, 1 - halfBar, scaled(count > WIDE_BARS ? topMs : firstMs)));
  }
  layers.push(labelsLayer(partLabels(parts, typical, scaled), end + 0.5, scaled(topMs)));

  const span = describeSpan(first, steady, typical, total);
  const subtitle = [span];
  if (!counted) subtitle.push(UNCOUNTED);
  if (drawn.size > 1) subtitle.push(`one bar is the mean of ${drawn.size} epochs`);
  const shares = parts.map((part) => `${part.name} ${formatTime(mean(typical.map(part.of)))}`).join(", ");
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      title: { text: chartTitle("Time", loop), subtitle },
      ...PLOT,
      encoding: {
        x: {
          type: "quantitative",
          scale: { domain: [begin - 0.5, end + 0.5], nice: false },
          axis: { title: "epoch", values: integerTicks(begin, end), format: "d", grid: false, ticks: false },
        },
        y: measureAxis(scaled(topMs), unit.name),
      },
      layer: layers,
    },
    summary: `Time of ${countEpochs(epochs.length)} on ${last.device}: ${span}; ${shares}${counted ? "" : `; ${UNCOUNTED}`}.`,
  };
}

/** `first 363 ms, then 191 ms an epoch; the flush is 2% of it` */
function describeSpan(
  first: EpochRecord | undefined,
  steady: readonly EpochRecord[],
  typical: readonly EpochRecord[],
  total: (record: EpochRecord) => number,
): string {
  const totalMs = mean(typical.map(total));
  const flushShare = totalMs > 0 ? mean(typical.map((record) => record.flushMs)) / totalMs : 0;
  const lead = first && steady.length > 0 ? `first ${formatTime(total(first))}, then ` : "";
  const length = steady.length > 0 ? `${formatTime(totalMs)} an epoch` : `one epoch, ${formatTime(totalMs)}`;
  const flushed = typical.some((record) => record.collection !== "none");
  return `${lead}${length}; ${flushed ? `the flush is ${formatShare(flushShare)} of it` : "no flush"}`;
}

function barLayer(
  bars: readonly (readonly EpochRecord[])[],
  parts: readonly Part[],
  halfBar: number,
  scaled: (milliseconds: number) => number,
): Specification {
  const told = ["epoch", "total", ...parts.map((part) => part.name), "collection"];
  return {
    data: { values: bars.flatMap((group) => barParts(group, parts, halfBar, scaled)) },
    mark: { type: "bar", clip: true },
    encoding: {
      x: X,
      x2: { field: "x2" },
      y: { field: "y", type: "quantitative" },
      y2: { field: "y2" },
      color: { field: "color", type: "nominal", scale: null },
      opacity: { field: "opacity", type: "quantitative", scale: null, legend: null },
      tooltip: told.map((field) => ({ field, type: "nominal" })),
    },
  };
}

/** One rectangle for each part of an epoch (or the mean of a group), with what the pointer tells. */
function barParts(
  group: readonly EpochRecord[],
  parts: readonly Part[],
  halfBar: number,
  scaled: (milliseconds: number) => number,
): Record<string, unknown>[] {
  const first = group[0] as EpochRecord;
  const last = group.at(-1) as EpochRecord;
  const means = parts.map((part) => mean(group.map((record) => part.of(record))));
  const told: Record<string, unknown> = {
    x: first.epoch + 1 - halfBar,
    x2: last.epoch + 1 + halfBar,
    opacity: first.first ? 0.5 : 1,
    epoch:
      first === last
        ? `${last.epoch + 1}${first.first ? " (first)" : ""}`
        : `${first.epoch + 1} to ${last.epoch + 1}`,
    total: formatTime(means.reduce((sum, value) => sum + value, 0)),
    collection: last.collection,
    ...Object.fromEntries(parts.map((part, i) => [part.name, formatTime(means[i] as number)])),
  };
  let base = 0;
  return parts.map((part, i) => {
    const from = base;
    base += means[i] as number;
    return { ...told, color: part.color, y: scaled(from), y2: scaled(base) };
  });
}

function firstLabel(text: string, x: number, y: number): Specification {
  return {
    data: { values: [{ x, y, text }] },
    mark: { type: "text", align: "left", baseline: "bottom", dy: -4 },
    encoding: { x: X, y: { field: "y", type: "quantitative" }, text: { field: "text" } },
  };
}

/** Beside the last bar; a part that takes no time has no label. */
function partLabels(
  parts: readonly Part[],
  records: readonly EpochRecord[],
  scaled: (ms: number) => number,
): Label[] {
  const last = records.at(-1) as EpochRecord;
  let base = 0;
  return parts.flatMap((part) => {
    const middle = base + part.of(last) / 2;
    base += part.of(last);
    const meanMs = mean(records.map((record) => part.of(record)));
    return meanMs > 0
      ? [{ text: `${part.name} ${formatTime(meanMs)}`, color: part.color, y: scaled(middle) }]
      : [];
  });
}
