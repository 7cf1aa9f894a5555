// Shows the counters of an allocator in words and units.
import { formatBytes } from "../../units.ts";
import { factsTable } from "../../views/facts.ts";
import type { Table } from "../../views/table.ts";
import type { MemoryStats } from "../engine/native.ts";

export function memoryStatsTable(stats: MemoryStats): Table {
  const { allocatedBytes, peakBytes, driverBytes, recommendedBytes, allocations } = stats;
  return factsTable("Memory of the device", [
    ["live tensors", formatBytes(allocatedBytes)],
    ["their peak", formatBytes(peakBytes)],
    ["held by the allocator", formatBytes(driverBytes)],
    ["recommended limit", formatBytes(recommendedBytes)],
    ["allocations", allocations.toLocaleString("en-US")],
  ]);
}
