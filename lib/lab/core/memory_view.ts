// Shows samples of memory, and marks, in words and units.
import { formatBytes, formatTime } from "../../units.ts";
import { type Fact, factsTable } from "../../views/facts.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import type { MemoryMark, MemorySample } from "../../records/epochs.ts";

/** The byte counts of a sample in the order in which a reader asks for them. */
const MEMORY_NAMES = {
  allocatedBytes: "live tensors",
  peakBytes: "their peak",
  driverBytes: "held by the allocator",
  recommendedBytes: "recommended limit",
  hostBytes: "live tensors on the CPU",
  heapBytes: "JavaScript heap",
  footprintBytes: "this process",
  availableBytes: "available on the machine",
  swapBytes: "swap in use",
} as const satisfies Partial<Record<keyof MemorySample, string>>;

type MemoryField = keyof typeof MEMORY_NAMES;

const bytesText = (bytes: number | null): string | null => (bytes === null ? null : formatBytes(bytes));

export function memoryTable(sample: MemorySample): Table {
  const fields = Object.keys(MEMORY_NAMES) as MemoryField[];
  const facts = fields.map((field): Fact => [MEMORY_NAMES[field], bytesText(sample[field])]);
  return factsTable("Memory", [...facts, ["memory pressure", sample.pressure]]);
}

/** Two samples side by side. */
export function memoryChange(before: MemorySample, after: MemorySample): Table["rows"] {
  const fields = Object.keys(MEMORY_NAMES) as MemoryField[];
  return fields
    .filter((field) => before[field] !== null && after[field] !== null)
    .map((field) => [MEMORY_NAMES[field], formatBytes(before[field]!), formatBytes(after[field]!)]);
}

/** A mark that shows itself in full by itself, and as a row in a list of marks. */
export const shownMark = (mark: MemoryMark): MemoryMark => shownAs(mark, markTable, marksTable);

function markTable({ tag, loop, epoch, atMs, sample }: MemoryMark): Table {
  const place = epoch === null ? "outside of epochs" : `epoch ${epoch} of loop ${loop}`;
  return { ...memoryTable(sample), caption: `Mark ${tag}, ${place}, after ${formatTime(atMs)}` };
}

export function marksTable(marks: readonly MemoryMark[]): Table {
  return {
    caption: marks.length === 1 ? "1 mark" : `${marks.length} marks`,
    columns: columns("<mark", "loop", "epoch", "after", "live tensors", "their peak", "allocator", "process"),
    rows: marks.map(({ tag, loop, epoch, atMs, sample }) => [
      tag,
      String(loop ?? ""),
      String(epoch ?? ""),
      formatTime(atMs),
      ...[sample.allocatedBytes, sample.peakBytes, sample.driverBytes, sample.footprintBytes].map(
        formatBytes,
      ),
    ]),
  };
}
