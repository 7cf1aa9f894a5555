// Shows a flush: what it took, and the memory before and after it.
import { formatBytes, formatTime } from "../../units.ts";
import { columns, type Table } from "../../views/table.ts";
import { memoryChange } from "../core/memory_view.ts";
import type { Flush } from "./flush.ts";

export function flushTable(flush: Flush): Table {
  const { waitMs, flushMs, collection, complete, before, after, freedBytes, releasedBytes } = flush;
  return {
    caption: `Flushed in ${formatTime(flushMs)}, after ${formatTime(waitMs)} of waiting for the device`,
    columns: columns("<memory", "before", "after"),
    rows: memoryChange(before, after),
    notes: [
      `Freed ${formatBytes(freedBytes)} of tensors, gave ${formatBytes(releasedBytes)} back to the system.`,
      `Collection: ${collection}${complete ? "" : ", which may have left garbage"}.`,
    ],
  };
}
