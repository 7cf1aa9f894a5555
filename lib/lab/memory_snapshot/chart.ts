// Draws a snapshot: what was allocated over time by line, with the peak, and bars for the memory that outlives the
// recording.
import { formatBytes, formatShare, formatTime, timeUnit, byteUnit } from "../../units.ts";
import type { Chart } from "../../charts/chart.ts";
import {
  COLOR,
  type Label,
  LABEL_FONT_SIZE,
  labelsLayer,
  measureAxis,
  PLOT,
  type Specification,
  wrapped,
} from "../../charts/chart_style.ts";
import type { DeviceEvents, History } from "./history.ts";
import type { Replay } from "./live_blocks.ts";
import type { SnapshotFigures } from "./result.ts";
import type { AllocationSite } from "./sites.ts";
import { timeline } from "./timeline.ts";
import { captionOf, countText, NO_LINE } from "./view.ts";

const LINE_COLORS = [COLOR.blue, COLOR.green, COLOR.purple];
/** Context is grey: all other lines, and the memory from before the recording. */
const OTHERS = "#8C8C8C";
const EARLIER = "#B8B8B8";
const STRETCHES = 200;
const MAX_BARS = 8;
const BAR_HEIGHT = 22;

/** `Cell [3]:4`, or a file's line without its folder, for which a chart has no room. */
const nameOf = ({ line }: AllocationSite): string => line?.replace(/^.*\//, "") ?? NO_LINE;

export function snapshotChart(
  snapshot: SnapshotFigures,
  history: History,
  events: DeviceEvents,
  replayed: Replay,
  beganUs: number,
): Chart {
  const over = overTime(snapshot, history, events, replayed, beganUs);
  const after = snapshot.outlives.sites.length === 0 ? [] : [outliving(snapshot)];
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      vconcat: [over, ...after],
      spacing: 18,
    },
    summary: captionOf(snapshot),
  };
}

function overTime(
  snapshot: SnapshotFigures,
  history: History,
  events: DeviceEvents,
  replayed: Replay,
  beganUs: number,
): Specification {
  const { peak, durationMs } = snapshot;
  const top = peak.sites.slice(0, LINE_COLORS.length);
  const othersBytes = peak.sites.slice(top.length).reduce((sum, { bytes }) => sum + bytes, 0);
  const bands = [
    ...top.map((site, at) => ({ name: nameOf(site), color: LINE_COLORS[at]!, bytes: site.bytes })),
    { name: "other lines", color: OTHERS, bytes: othersBytes },
    { name: "earlier", color: EARLIER, bytes: peak.earlierBytes },
  ];
  const topBytes = Math.max(1, peak.bytes) * 1.08;
  const [unit, time] = [byteUnit(topBytes), timeUnit(durationMs)];
  const moments = timeline(
    history,
    events,
    replayed,
    top.map(({ line }) => line),
    { beganUs, durationMs, stretches: STRETCHES },
  );
  // The last band, memory from before, is there all the time and is drawn at the bottom.
  const stack = (band: number): number => bands.length - band;
  const values = moments.flatMap(({ ms, bytes }) =>
    bands.map((_, band) => ({
      x: ms / time.size,
      y: (bytes[band] ?? 0) / unit.size,
      band,
      stack: stack(band),
    })),
  );
  let below = 0;
  const labels = bands
    .toReversed()
    .filter(({ bytes }) => bytes > 0)
    .map(({ name, color, bytes }): Label => {
      const middle = (below + bytes / 2) / unit.size;
      below += bytes;
      return { text: `${name} ${formatBytes(bytes)}`, color, y: middle, symbol: "square" };
    });
  const end = durationMs / time.size;
  return {
    title: { text: titleOf(snapshot), subtitle: wrapped(subtitleOf(snapshot)) },
    ...PLOT,
    encoding: {
      x: {
        type: "quantitative",
        scale: { domain: [0, end], nice: false },
        axis: { title: null, grid: false, tickCount: 5, labelExpr: `datum.label + ' ${time.name}'` },
      },
      y: measureAxis(topBytes / unit.size, unit.name),
    },
    layer: [
      {
        data: { values },
        mark: { type: "area", interpolate: "step-after", opacity: 1, clip: true },
        encoding: {
          x: { field: "x", type: "quantitative" },
          y: { field: "y", type: "quantitative", stack: "zero" },
          order: { field: "stack", type: "quantitative", sort: "ascending" },
          color: {
            field: "band",
            type: "nominal",
            legend: null,
            scale: { domain: bands.map((_, band) => band), range: bands.map(({ color }) => color) },
          },
        },
      },
      {
        data: { values: [{ x: peak.atMs / time.size }] },
        mark: { type: "rule", color: COLOR.vermillion, strokeDash: [4, 3], strokeWidth: 1.5 },
        encoding: { x: { field: "x", type: "quantitative" } },
      },
      labelsLayer(
        [{ text: "peak", color: COLOR.vermillion, y: topBytes / unit.size, symbol: "dashed" }, ...labels],
        end,
        topBytes / unit.size,
      ),
    ],
  };
}

function titleOf({ peak, device }: SnapshotFigures): string {
  const largest = peak.sites[0];
  const share =
    largest === undefined ? "" : `: ${formatShare(largest.bytes / peak.bytes)} by ${nameOf(largest)}`;
  return `Peak ${formatBytes(peak.bytes)} on ${device}${share}`;
}

function subtitleOf(snapshot: SnapshotFigures): string[] {
  const { allocations, releases, durationMs, droppedEvents } = snapshot;
  const dropped = droppedEvents > 0 ? `, ${droppedEvents.toLocaleString("en-US")} older events dropped` : "";
  return [`allocated by line; ${countText(allocations, releases)} in ${formatTime(durationMs)}${dropped}`];
}

/** The name, `Cell [3]:4`, and the text at the bar's end: `3 MiB, kept[0], kept[1] and 1 more`. */
function outliving({ outlives, epochs }: SnapshotFigures): Specification {
  const sites = outlives.sites.slice(0, MAX_BARS);
  const rest = outlives.sites.slice(MAX_BARS).reduce((sum, { bytes }) => sum + bytes, 0);
  const max = Math.max(...sites.map(({ bytes }) => bytes));
  const values = sites.map((site) => ({
    name: nameOf(site),
    bytes: site.bytes / max,
    text: [
      formatBytes(site.bytes),
      ...site.variables.slice(0, 1),
      ...(site.variables.length > 1 ? [`${site.variables.length - 1} more`] : []),
      ...(epochs > 0 && site.epochs > 0 ? [`of ${site.epochs} of ${epochs} epochs`] : []),
    ].join(", "),
  }));
  return {
    title: {
      text: `${formatBytes(outlives.bytes)} outlive the recording`,
      subtitle: wrapped([
        "allocated during it and alive after a garbage collection, by line" +
          (rest > 0 ? `; further lines ${formatBytes(rest)}` : ""),
      ]),
    },
    width: PLOT.width,
    height: BAR_HEIGHT * sites.length,
    data: { values },
    encoding: {
      y: { field: "name", type: "nominal", sort: null, axis: { title: null, domain: false, ticks: false } },
      x: { field: "bytes", type: "quantitative", axis: null, scale: { domain: [0, 1] } },
    },
    layer: [
      { mark: { type: "bar", color: COLOR.vermillion, height: { band: 0.7 } } },
      {
        mark: {
          type: "text",
          align: "left",
          baseline: "middle",
          dx: 6,
          fontSize: LABEL_FONT_SIZE,
          clip: false,
        },
        encoding: { text: { field: "text" } },
      },
    ],
  };
}
