// Waits for work that a cell has begun and not awaited, for clients that show nothing of a cell after its end, such as
// nbconvert. Does not know what the work is: it counts what keeps the event loop alive.

/** How long work that nobody awaits may take before the cell is reported done. */
const LONGEST_MS = 1_000;
const LOOK_MS = 5;

/** How many timers, sockets, processes and the like are open. */
export function openResources(): number {
  return process.getActiveResourcesInfo().length;
}

/** Resolves when no more resources are open than before the cell, or when the time is up. */
export async function untilWorkEnds(before: number): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  // Node reports a rejection as unhandled only after the turn in which it happened.
  await new Promise((resolve) => setImmediate(resolve));
  while (openResources() > before && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
  }
}
