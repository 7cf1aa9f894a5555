// Shows a sweep as a table: one row for each point with its status, then the notes, then the batch to take.
import { grouped } from "../../grouped.ts";
import { relativeSpread } from "../../statistics/spread.ts";
import { columns, type Table } from "../../views/table.ts";
import { formatBytes, formatShare, formatTime } from "../../units.ts";
import type { PointRecord } from "./point.ts";
import { pointText } from "../parameters.ts";
import { seriesOf, type SweepResult } from "./result.ts";

const time = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? "" : formatTime(milliseconds);

/** 1234.5 -> `1,235`, 12.34 -> `12.3` */
export function formatRate(perSecond: number): string {
  return perSecond.toLocaleString("en-US", { maximumFractionDigits: perSecond < 100 ? 1 : 0 });
}

export function sweepTable(result: SweepResult): Table {
  // A series reads from its smallest batch down, whatever the order in which points ran.
  const records = seriesOf(result.points).flatMap((series) => series.records);
  const names = Object.keys(records[0]?.point ?? {}).filter((name) => name !== "batch");
  const parts = {
    data: records.some(({ dataOnly }) => dataOnly !== null),
    forward: records.some(({ forwardOnly }) => forwardOnly !== null),
    remote: records.some(({ remote }) => remote !== undefined),
    state: records.some((record) => stateOf(record) !== ""),
  };
  const rows = records.map((record) => cells(record, names, parts));
  const best = result.choices.map(({ bestBatch, parameters }) =>
    records.findIndex(
      ({ point }) => point.batch === bestBatch && names.every((name) => point[name] === parameters[name]),
    ),
  );
  const headings = [
    "batch",
    ...names.map((name) => `<${name}`),
    ...(parts.remote ? ["<remote"] : []),
    ...(parts.state ? ["<state"] : []),
    "samples/s",
    "spread",
    "step",
    ...(parts.data ? ["data"] : []),
    "host",
    "device wait",
    "first step",
    ...(parts.data ? ["data only"] : []),
    ...(parts.forward ? ["forward only"] : []),
    "peak",
    "driver",
    "footprint",
  ];
  return {
    caption: `${result.name} on ${result.device}: times of one step, spread is half the distance between the quartiles of the windows`,
    columns: columns(...headings),
    rows,
    marked: best,
    notes: [...result.choices.map(choiceText), ...result.ends, ...remarksOf(records), ...result.notes],
  };
}

/** The status in a word or two; the sentence is below the table. */
function stateOf({ status, swapped, loss, leak }: PointRecord): string {
  return [
    ...(status === "measured" ? [] : [status]),
    ...(swapped ? ["swapped"] : []),
    ...(loss?.finite === false ? ["loss not finite"] : []),
    ...(leak === null ? [] : ["leaks"]),
  ].join(", ");
}

/** `batch 4: A step leaves 1 MiB behind.`; what is said of all points, or of several, once. */
function remarksOf(records: readonly PointRecord[]): string[] {
  const remarks = records.flatMap(({ point, status, error, notes }) => {
    // Out of memory is what a search looks for; its error lists tensors, line by line.
    const said = error === null || status === "out of memory" ? notes : [error, ...notes];
    return said.map((remark) => [remark, pointText(point)] as const);
  });
  return [...grouped(remarks)].map(([remark, points]) => {
    const isOfAll = points.length === records.length && points.length > 1;
    return `${isOfAll ? "Every point" : points.join("; ")}: ${remark}`;
  });
}

function cells(
  record: PointRecord,
  names: readonly string[],
  parts: Readonly<Record<"data" | "forward" | "remote" | "state", boolean>>,
): string[] {
  const { point, remote, steady, first, dataOnly, forwardOnly, memory } = record;
  return [
    String(point.batch),
    ...names.map((name) => String(point[name])),
    ...(parts.remote ? [remote ?? ""] : []),
    ...(parts.state ? [stateOf(record)] : []),
    steady === null ? "" : formatRate(steady.samplesPerSecond.median),
    steady === null ? "" : `±${formatShare(relativeSpread(steady.samplesPerSecond))}`,
    time(steady?.stepMs.median),
    ...(parts.data ? [time(steady?.dataMs)] : []),
    time(steady?.hostMs),
    time(steady?.waitMs),
    time(first?.stepMs),
    ...(parts.data ? [time(dataOnly?.batchMs)] : []),
    ...(parts.forward ? [time(forwardOnly?.forwardMs)] : []),
    ...(memory === null
      ? ["", "", ""]
      : [memory.peakBytes, memory.driverBytes, memory.footprintBytes].map(formatBytes)),
  ];
}

/** How the points were measured, in the order in which they ran. */
export function measurementTable({ points, seed, journal, resumedPoints }: SweepResult): Table {
  const names = Object.keys(points[0]?.point ?? {}).filter((name) => name !== "batch");
  const kept = journal === null ? "no journal was kept" : `journal ${journal}`;
  const resumed =
    resumedPoints === 0 ? "" : `; the first ${resumedPoints} are from the journal of an earlier session`;
  return {
    caption: `The points in the order in which they ran, which seed ${seed} fixes; ${kept}${resumed}`,
    columns: columns(
      "batch",
      ...names.map((name) => `<${name}`),
      "<began (UTC)",
      "took",
      "warm-up",
      "windows",
      "slowest",
      "quartiles",
      "fastest",
    ),
    rows: points.map(({ point, startedAt, wallMs, first, steady }) => [
      String(point.batch),
      ...names.map((name) => String(point[name])),
      startedAt.slice(11, 19),
      time(wallMs),
      first === null ? "" : `${first.steps} steps`,
      ...(steady === null
        ? ["", "", "", ""]
        : [
            `${steady.windows} of ${steady.stepsPerWindow}`,
            formatRate(steady.samplesPerSecond.min),
            `${formatRate(steady.samplesPerSecond.lowerQuartile)} to ${formatRate(steady.samplesPerSecond.upperQuartile)}`,
            formatRate(steady.samplesPerSecond.max),
          ]),
    ]),
    notes: ["A window is so many steps and one wait for the device; its rate is in samples a second."],
  };
}

/**
 * `Best batch (dtype float16): 256, 12,345 samples/s; 90% of that from batch 128 on.` Where chance may have chosen, it says
 * so.
 */
export function choiceText({
  parameters,
  bestBatch,
  bestSamplesPerSecond,
  kneeBatch,
  stillRising,
  uncertain,
}: SweepResult["choices"][number]): string {
  const others = Object.entries(parameters).map(([name, value]) => `${name} ${String(value)}`);
  const where = others.length > 0 ? ` (${others.join(", ")})` : "";
  const knee = kneeBatch !== null && kneeBatch < bestBatch ? `; 90% of that from batch ${kneeBatch} on` : "";
  const rising = stillRising ? `; still rising at ${bestBatch}` : "";
  const doubt = uncertain
    ? " That is uncertain: with these spreads chance may have chosen it, as beside other programs. Sweep again on a quiet machine."
    : "";
  return `Best batch${where}: ${bestBatch}, ${formatRate(bestSamplesPerSecond)} samples/s${knee}${rising}.${doubt}`;
}
