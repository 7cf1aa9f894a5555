// Whether work that was left at its deadline runs on: by timers, in a package's awaits, or in a plain program, where no
// await is ours. What is measured beside it would be measured wrong. Stops nothing.
import { createHook } from "node:async_hooks";
import { Deadline, abandonedCount, expiredDeadlineError } from "../../deadlines.ts";

/** In the notes of a point that runs on: later ones of its session would be measured beside it. */
export const RUNS_ON = "The step runs on after its deadline.";

const WINDOW_MS = 100;
/** In the first ones what was under way comes to the await at which it stays. */
const WINDOWS = 5;
const LATER_WINDOWS = 3;
/** Of the host's time: less frequent work that takes long is no less in the way. */
const BUSY_SHARE = 0.05;

/** How much had been left when none of it ran any more. */
let quietCount = 0;

/** Looks for half a second, where anything was left since it was quiet. */
export async function leftWorkRuns(): Promise<boolean> {
  const count = abandonedCount();
  // A sweep within a step that is over itself has no points to come.
  if (count === quietCount || expiredDeadlineError() !== null) return false;
  const active = new Set<number>();
  const beganMs = performance.now();
  let busyMs = 0;
  let enteredMs: number | null = null;
  const hook = createHook({
    before() {
      if (Deadline.current()?.isAbandoned !== true) return;
      enteredMs = performance.now();
      active.add(Math.floor((enteredMs - beganMs) / WINDOW_MS));
    },
    after() {
      if (enteredMs !== null) busyMs += performance.now() - enteredMs;
      enteredMs = null;
    },
  }).enable();
  try {
    await new Promise((resolve) => setTimeout(resolve, WINDOWS * WINDOW_MS));
  } finally {
    hook.disable();
  }
  const later = Array.from({ length: LATER_WINDOWS }, (_, at) => WINDOWS - 1 - at);
  const runs = later.every((window) => active.has(window)) || busyMs > BUSY_SHARE * WINDOWS * WINDOW_MS;
  if (!runs) quietCount = count;
  return runs;
}
