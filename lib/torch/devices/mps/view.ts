// Shows what mps records of its work, in words and units.
import { formatBytes, formatTime } from "../../../units.ts";
import { factsTable } from "../../../views/facts.ts";
import { columns, type Table } from "../../../views/table.ts";
import type { Fallback, Signpost, Simulation } from "../../engine/native_metal.ts";

const MAX_SIGNPOSTS = 50;

export function simulationTable({
  memoryBytes,
  queueing,
  limitBytes,
  cappedByHost,
  drains,
  fault,
}: Simulation): Table {
  const drained = Object.entries(drains).map(([operator, count]) => `${operator} ${count} times`);
  return factsTable(
    "Metal, simulated by this machine's processor",
    [
      ["memory of the Mac", formatBytes(memoryBytes)],
      ["limit of all heaps", limitBytes === null ? "none" : formatBytes(limitBytes)],
      ["queueing", queueing ? "on" : "off"],
    ],
    [
      ...(fault === null ? [] : [`A fault is planted: ${fault}.`]),
      ...(cappedByHost ? ["The limit is the memory that this machine has free."] : []),
      ...(drained.length === 0 ? [] : [`The queue ran empty for a shape: ${drained.join(", ")}.`]),
    ],
  );
}

export function fallbacksTable(fallbacks: readonly Fallback[]): Table {
  return {
    caption: fallbacks.length === 0 ? "No operator fell back to the CPU" : "Operators that ran on the CPU",
    columns: columns("<operator", "calls", "to the CPU", "from the CPU", "time"),
    rows: fallbacks.map(({ operator, calls, toCpuBytes, fromCpuBytes, wallMs }) => [
      operator,
      calls.toLocaleString("en-US"),
      ...[formatBytes(toCpuBytes), formatBytes(fromCpuBytes), formatTime(wallMs)],
    ]),
  };
}

export function signpostsTable(signposts: readonly Signpost[]): Table {
  const count =
    signposts.length === 1 ? "1 signpost" : `${signposts.length.toLocaleString("en-US")} signposts`;
  const shown = signposts.slice(0, MAX_SIGNPOSTS);
  return {
    caption: `${count}${shown.length < signposts.length ? `, the first ${shown.length}` : ""}`,
    columns: columns("<name", "<kind", "<mode", "after", "time"),
    rows: shown.map(({ name, kind, mode, beganMs, wallMs }) => [
      ...[name, kind, mode, formatTime(beganMs)],
      mode === "event" ? "" : formatTime(wallMs),
    ]),
  };
}
