// Shows the ledger and its records in words and units.
import { formatBytes, formatTime } from "../../units.ts";
import { type Fact, factsTable } from "../../views/facts.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import type { Ledger } from "./ledger.ts";
import type { EpochRecord, SkippedStepRecord } from "../../records/epochs.ts";
import { marksTable } from "./memory_view.ts";

const timeText = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : formatTime(milliseconds);

/** The ledger, its lists of records, each shown as a table. Records are shown by `shownEpoch`. */
export function shownLedger(ledger: Ledger): Ledger {
  shownAs(ledger.epochs, epochsTable);
  shownAs(ledger.marks, marksTable);
  shownAs(ledger.skippedSteps, skippedStepsTable);
  return shownAs(ledger, ledgerTable);
}

/** A record that shows itself in full by itself, and as a row in a list of records. */
export const shownEpoch = (record: EpochRecord): EpochRecord => shownAs(record, epochTable, epochsTable);

/** One epoch in full. */
function epochTable(record: EpochRecord): Table {
  const { start, before, after, collection, complete } = record;
  const facts: Fact[] = [
    ["time", formatTime(record.wallMs)],
    ...paused(record),
    ["host", timeText(record.hostMs)],
    ["waiting for the device", timeText(record.waitMs)],
    ["of that at its end", timeText(record.finalWaitMs)],
    ["flush", formatTime(record.flushMs)],
    ["collection", `${collection}${complete ? "" : ", not complete"}`],
    ["freed tensors", formatBytes(record.freedBytes)],
    ["given back to the system", formatBytes(record.releasedBytes)],
    ["peak of live tensors", formatBytes(before.peakBytes)],
    ["live tensors at its begin", formatBytes(start.allocatedBytes)],
    ["live tensors at its end", formatBytes(before.allocatedBytes)],
    ["live tensors after the flush", formatBytes(after.allocatedBytes)],
    ["held by the allocator then", formatBytes(after.driverBytes)],
    ["this process then", formatBytes(after.footprintBytes)],
    ["operators that fell back", record.fallbacks === null ? null : String(record.fallbacks)],
  ];
  const { epoch, loop, device } = record;
  return factsTable(`Epoch ${epoch} of loop ${loop} on ${device}${remark(record)}`, facts);
}

/** Only if there was a pause: without a debugger the line would mean nothing. */
const paused = ({ pausedMs }: EpochRecord): Fact[] =>
  pausedMs ? [["held by the debugger, not counted", formatTime(pausedMs)]] : [];

/**
 * Marks the epochs whose times are not typical: the first warms caches, a cut one is incomplete, and after a debugger's
 * pause the caches are cold again.
 */
function remark({ first, cut, pausedMs = 0 }: EpochRecord): string {
  return `${first ? ", first" : ""}${cut ? ", cut" : ""}${pausedMs > 0 ? ", paused" : ""}`;
}

function epochsTable(epochs: readonly EpochRecord[]): Table {
  const devices = [...new Set(epochs.map(({ device }) => device))].join(" and ");
  const count = epochs.length === 1 ? "1 epoch" : `${epochs.length} epochs`;
  return {
    caption: epochs.length === 0 ? count : `${count} on ${devices}`,
    columns: columns(
      ...["<loop", "<epoch", "time", "host", "device wait", "flush", "peak", "live tensors"],
      ...["allocator", "process", "fallbacks"],
    ),
    rows: epochs.map((record) => [
      String(record.loop),
      `${record.epoch}${remark(record)}`,
      formatTime(record.wallMs),
      timeText(record.hostMs) ?? "",
      timeText(record.waitMs) ?? "",
      formatTime(record.flushMs),
      formatBytes(record.before.peakBytes),
      formatBytes(record.after.allocatedBytes),
      formatBytes(record.after.driverBytes),
      formatBytes(record.after.footprintBytes),
      record.fallbacks === null ? "" : String(record.fallbacks),
    ]),
  };
}

function skippedStepsTable(records: readonly SkippedStepRecord[]): Table {
  const count = records.reduce((sum, { steps }) => sum + steps, 0);
  return {
    caption: count === 1 ? "1 skipped step" : `${count} skipped steps`,
    columns: columns("<optimizer", "steps", "loop", "epoch", "after", "scale of the loss"),
    rows: records.map(({ optimizer, steps, scale, loop, epoch, atMs }) => [
      ...[optimizer, String(steps), String(loop ?? ""), String(epoch ?? "")],
      ...[formatTime(atMs), String(scale)],
    ]),
  };
}

function ledgerTable({ epochs, marks, skippedSteps }: Ledger): Table {
  const table = epochsTable(epochs);
  const others = [marksTable(marks), skippedStepsTable(skippedSteps)].map(({ caption }) => caption);
  return { ...table, caption: `Ledger: ${[table.caption, ...others].join(", ")}` };
}
