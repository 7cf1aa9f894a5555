// A sweep as a table: one row a point, what went wrong beside it, and which batch to take. Measures nothing.
import { relativeSpread } from "../spread.ts";
import { columns, type Table } from "../table.ts";
import { formatBytes, formatShare, formatTime } from "../../units.ts";
import type { PointRecord } from "./point.ts";
import type { SweepResult } from "./result.ts";

const time = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? "" : formatTime(milliseconds);

/** 1234.5 -> `1,235`, 12.34 -> `12.3` */
export function formatRate(perSecond: number): string {
  return perSecond.toLocaleString("en-US", { maximumFractionDigits: perSecond < 100 ? 1 : 0 });
}

export function sweepTable(result: SweepResult): Table {
  const records = result.points.toSorted((a, b) => a.point.batch - b.point.batch);
  const names = Object.keys(records[0]?.point ?? {}).filter((name) => name !== "batch");
  const parts = {
    data: records.some(({ dataOnly }) => dataOnly !== null),
    forward: records.some(({ forwardOnly }) => forwardOnly !== null),
    remote: records.some(({ remote }) => remote !== undefined),
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
    "<<",
  ];
  return {
    caption: `${result.name} on ${result.device}: times of one step, spread is half the distance between the quartiles of the windows`,
    columns: columns(...headings),
    rows,
    marked: best,
    notes: [...result.choices.map(choiceText), ...result.ends, ...result.notes],
  };
}

function cells(
  { point, remote, status, steady, first, dataOnly, forwardOnly, memory, swapped, notes, error }: PointRecord,
  names: readonly string[],
  parts: { readonly data: boolean; readonly forward: boolean; readonly remote: boolean },
): string[] {
  const remarks = [status === "measured" ? "" : status, swapped ? "swapped" : "", ...notes];
  if (status === "failed") remarks.push(error ?? "");
  return [
    String(point.batch),
    ...names.map((name) => String(point[name])),
    ...(parts.remote ? [remote ?? ""] : []),
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
    remarks.filter((remark) => remark !== "").join("; "),
  ];
}

/** `Best batch 256 (dtype float16): 12,345 samples/s; from 128 on more memory buys little.` */
export function choiceText({
  parameters,
  bestBatch,
  bestSamplesPerSecond,
  kneeBatch,
}: SweepResult["choices"][number]): string {
  const others = Object.entries(parameters).map(([name, value]) => `${name} ${String(value)}`);
  const where = others.length > 0 ? ` (${others.join(", ")})` : "";
  const knee = kneeBatch < bestBatch ? `; 90% of that from batch ${kneeBatch} on` : "";
  return `Best batch${where}: ${bestBatch}, ${formatRate(bestSamplesPerSecond)} samples/s${knee}.`;
}
