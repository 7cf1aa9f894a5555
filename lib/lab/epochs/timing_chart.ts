// Draws the timing chart of one epoch loop: where each epoch's time went. The first epoch and one that was cut stand
// apart from the steady ones.
import { type Chart, highest, mean } from "../../charts/chart.ts";
import { chartTitle, cutEpoch, type DrawnLoop, groups } from "./drawn_loop.ts";
import {
  COLOR,
  integerTicks,
  type Label,
  labelsLayer,
  measureAxis,
  PLOT,
  type Specification,
  wrapped,
} from "../../charts/chart_style.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { spreadOf } from "../../statistics/spread.ts";
import { formatShare, formatTime, timeUnit } from "../../units.ts";
import { counted } from "../../words.ts";

/**
 * A first epoch, or a cut one, that is longer than this many steady ones is clipped, and its length is written above
 * its bar.
 */
const FIRST_IN_SIGHT = 2.5;
/** Widest bar in pixels. */
const WIDEST_BAR = 56;
/** Among more bars than this the words "first" and "cut" are wider than their bars, so they stand above all of them. */
const WIDE_BARS = 12;
/** Gaps between more bars than this would be thinner than a pixel. */
const TOUCHING_BARS = 100;

const X = { field: "x", type: "quantitative" } as const;

const UNCOUNTED = "waits inside the epochs are not counted on this device";

/** A part of an epoch's time. Parts are stacked from the axis up. */
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
/** If waits inside an epoch were not counted, the host's own time cannot be separated from them. */
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
  const waitsAreCounted = epochs.every((record) => record.waitMs !== null);
  const parts = waitsAreCounted ? [HOST, WAIT, FLUSH] : [HOST_AND_WAIT, FINAL_WAIT, FLUSH];
  const total = (record: EpochRecord): number => parts.reduce((sum, part) => sum + part.of(record), 0);

  const cut = cutEpoch(epochs);
  const whole = epochs.filter((record) => record !== cut);
  const first = whole.find((record) => record.first);
  const steady = whole.filter((record) => !record.first);
  // The debugger's pause is in none of the times, but the code after it begins with cold caches.
  const unpaused = steady.filter((record) => !isPaused(record));
  const typical = [unpaused, steady, whole, epochs].find(
    (records) => records.length > 0,
  ) as readonly EpochRecord[];
  const drawn = groups(steady);
  const steadyTopMs = Math.max(0, highest(drawn.groups.map((group) => mean(group.map(total)))));
  const firstMs = first ? total(first) : 0;
  const cutMs = cut ? total(cut) : 0;
  const isClipped = (ms: number): boolean => steadyTopMs > 0 && ms > FIRST_IN_SIGHT * steadyTopMs;
  const inSight = [firstMs, cutMs].filter((ms) => !isClipped(ms));
  const topMs = Math.max(
    inSight.length < 2 ? steadyTopMs * 1.25 : 0,
    Math.max(steadyTopMs, ...inSight) * 1.08,
    1e-3,
  );
  const unit = timeUnit(topMs);
  const scaled = (milliseconds: number): number => Math.min(milliseconds, topMs) / unit.size;

  // The ledger may have been cleared while the loop ran.
  const [begin, end] = [(epochs[0] as EpochRecord).epoch + 1, last.epoch + 1];
  const count = end - begin + 1;
  const halfBar = count > TOUCHING_BARS ? 0.5 : Math.min(0.38, ((WIDEST_BAR / 2) * count) / PLOT.width);
  const bars = [...(first ? [[first]] : []), ...drawn.groups, ...(cut ? [[cut]] : [])];
  const layers = [barLayer(bars, parts, halfBar, scaled)];
  const above = (word: string, x: number, ms: number, align: "left" | "right"): Specification => {
    const text = isClipped(ms) ? `${word}: ${formatTime(ms)} ↑` : word;
    return barLabel(text, x, scaled(count > WIDE_BARS ? topMs : ms), align);
  };
  if (first) layers.push(above("first", 1 - halfBar, firstMs, "left"));
  if (cut) layers.push(above("cut", end + halfBar, cutMs, "right"));
  const labels = partLabels(parts, typical, scaled(topMs));
  layers.push(labelsLayer(labels, end + 0.5, scaled(topMs)));

  const span = describeSpan(first, steady, typical, total);
  const subtitle = [span];
  const cutText = cut === null ? "" : `epoch ${cut.epoch + 1} was cut after ${formatTime(cut.wallMs)}`;
  if (cut) subtitle.push(cutText);
  const pausedText = describePauses(epochs);
  if (pausedText !== "") subtitle.push(pausedText);
  if (!waitsAreCounted) subtitle.push(UNCOUNTED);
  if (drawn.size > 1) subtitle.push(`one bar is the mean of ${drawn.size} epochs`);
  const shares = parts
    .map((part) => `${part.name} ${formatTime(spreadOf(typical.map(part.of)).median)}`)
    .join(", ");
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      title: { text: chartTitle("Time", loop), subtitle: wrapped(subtitle) },
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
    summary: `Time of ${counted(epochs.length, "epoch")} on ${last.device}: ${span}; ${shares}${waitsAreCounted ? "" : `; ${UNCOUNTED}`}${cut ? `; ${cutText}` : ""}${pausedText === "" ? "" : `; ${pausedText}`}.`,
  };
}

/** Whether the debugger held the code in this epoch. */
function isPaused({ pausedMs = 0 }: EpochRecord): boolean {
  return pausedMs > 0;
}

/** `the debugger paused epoch 3 and 5: not in the median`; empty if it paused none. */
function describePauses(epochs: readonly EpochRecord[]): string {
  const paused = epochs.filter(isPaused).map(({ epoch }) => epoch + 1);
  return paused.length === 0 ? "" : `the debugger paused epoch ${paused.join(", ")}: not in the median`;
}

/** `first 363 ms, then 191 ms an epoch (median); the flush is 2% of it` */
function describeSpan(
  first: EpochRecord | undefined,
  steady: readonly EpochRecord[],
  typical: readonly EpochRecord[],
  total: (record: EpochRecord) => number,
): string {
  const totalMs = spreadOf(typical.map(total)).median;
  const flushShare = totalMs > 0 ? spreadOf(typical.map((record) => record.flushMs)).median / totalMs : 0;
  const lead = first && steady.length > 0 ? `first ${formatTime(total(first))}, then ` : "";
  const single = first ? `one epoch, ${formatTime(totalMs)}` : "no whole epoch";
  const ofSeveral = steady.length > 1 ? " (median)" : "";
  const length = steady.length > 0 ? `${formatTime(totalMs)} an epoch${ofSeveral}` : single;
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

/** One rectangle for each part of an epoch (or the mean of a group), with its tooltip. */
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
    opacity: first.first || first.cut || (first === last && isPaused(first)) ? 0.5 : 1,
    epoch:
      first === last
        ? `${last.epoch + 1}${first.cut ? " (cut)" : first.first ? " (first)" : isPaused(first) ? " (paused)" : ""}`
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

function barLabel(text: string, x: number, y: number, align: "left" | "right"): Specification {
  return {
    data: { values: [{ x, y, text }] },
    mark: { type: "text", align, baseline: "bottom", dy: -4 },
    encoding: { x: X, y: { field: "y", type: "quantitative" }, text: { field: "text" } },
  };
}

/**
 * Names the parts in the order of their stack, with their medians, at the top beside the plot. Beside the last bar they
 * would be read as the times of that bar only. A part that takes no time has no label.
 */
function partLabels(parts: readonly Part[], records: readonly EpochRecord[], top: number): Label[] {
  const named = parts.flatMap((part) => {
    const ms = spreadOf(records.map(part.of)).median;
    return ms > 0
      ? [{ text: `${part.name} ${formatTime(ms)}`, color: part.color, symbol: "square" as const }]
      : [];
  });
  const [only] = records;
  const heading =
    records.length > 1 ? `median of ${records.length} epochs` : `epoch ${(only as EpochRecord).epoch + 1}`;
  const lines = [{ text: heading, color: "transparent", symbol: "none" as const }, ...named.toReversed()];
  // The labels are moved apart downwards from the top; the last in the list comes first.
  return lines.toReversed().map((line) => ({ ...line, y: top }));
}
