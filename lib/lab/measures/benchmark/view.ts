// Shows benchmarks as a table.
import { isWide, relativeSpread } from "../../../statistics/spread.ts";
import { columns, type Table } from "../../../views/table.ts";
import { formatShare, formatTime } from "../../../units.ts";
import type { Benchmark } from "./measure.ts";

/**
 * @param speedups relative to the first row; null if there is nothing to compare
 */
export function benchmarkTable(results: readonly Benchmark[], speedups: readonly number[] | null): Table {
  const rows = results.map((result, at) => [
    result.name,
    result.device,
    formatTime(result.queuedMs.median),
    formatTime(result.finishedMs.median),
    `±${formatShare(relativeSpread(result.finishedMs))}`,
    result.firstMs === null ? "" : formatTime(result.firstMs),
    `${result.repeats} × ${result.callsPerRepeat}`,
    ...(speedups === null ? [] : [`${speedups[at]!.toFixed(2)}×`]),
  ]);
  const headings = ["<function", "<device", "queued", "finished", "spread", "first call", "repeats × calls"];
  const notes = new Set(results.flatMap((result) => result.notes));
  for (const { name, waitedInsideMs, finishedMs } of results) {
    // Less than this is the time of waiting for an empty queue.
    if (waitedInsideMs !== null && waitedInsideMs > 0.01 * finishedMs.median)
      notes.add(
        `${name} waits for the device inside: ${formatTime(waitedInsideMs)} a call. lab.syncs shows the lines.`,
      );
  }
  if (speedups !== null && results.some(({ finishedMs }) => isWide(relativeSpread(finishedMs))))
    notes.add(
      "The speedup is uncertain: a spread is a third or more, as beside other programs. Measure again on a quiet machine.",
    );
  return {
    caption: "Time of one call, median; spread is half the distance between the quartiles",
    columns: columns(...headings, ...(speedups === null ? [] : ["speedup"])),
    rows,
    notes: [...notes],
  };
}
