// Shows the times and the memory of a loader in words and units.
import { formatBytes, formatTime } from "../../units.ts";
import { factsTable } from "../../views/facts.ts";
import { columns, type Table } from "../../views/table.ts";
import type { LoaderUsage } from "./loader.ts";
import type { LoaderTimings } from "./timings.ts";

export function timingsTable(timings: LoaderTimings): Table {
  const { batches, fetchMs, decodeMs, transformMs, collateMs, transferMs, waitMs } = timings;
  const stages = { fetch: fetchMs, decode: decodeMs, transform: transformMs, collate: collateMs };
  const all = { ...stages, transfer: transferMs, "waiting for batches": waitMs };
  return {
    caption: `Times of ${batches === 1 ? "1 batch" : `${batches.toLocaleString("en-US")} batches`}`,
    columns: columns("<stage", "all", "a batch"),
    rows: Object.entries(all)
      .filter(([, ms]) => ms > 0)
      .map(([stage, ms]) => [stage, formatTime(ms), formatTime(ms / Math.max(1, batches))]),
  };
}

export function usageTable({ workers, residentBytes, descriptors }: LoaderUsage): Table {
  const rows = workers.map((worker, at): [string, string | null] => [
    `worker ${at}`,
    worker === null ? null : formatBytes(worker.heapBytes + worker.externalBytes),
  ]);
  return factsTable("Memory of the loader", [
    ["this process", formatBytes(residentBytes)],
    ["open descriptors", String(descriptors)],
    ...rows,
  ]);
}
