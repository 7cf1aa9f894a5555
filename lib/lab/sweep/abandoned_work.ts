// Detects work that keeps running after its deadline: in timers, in a package's awaits, or in a plain program, whose
// awaits we cannot stop. A measurement beside such work would be wrong. A plainer rule, to end a sweep with any abandoned
// step, would also end it after a step that only hangs, such as a request without an answer, which disturbs nothing.
import { createHook } from "node:async_hooks";
import { Deadline, abandonedCount, expiredDeadlineError } from "../../deadlines.ts";

/** The note on a point whose step still runs: that step would disturb later points of the session. */
export const RUNS_ON = "The step runs on after its deadline.";

const WINDOW_MS = 100;
/**
 * How many windows are observed. Activity in the first ones does not decide, because work that was under way needs time
 * to reach the await at which it is held.
 */
const WINDOWS = 5;
const LATER_WINDOWS = 3;
/**
 * Abandoned work also counts as running if its callbacks take more than this share of the observed half second. Such
 * callbacks may be too rare to show in each of the last windows, and still disturb a measurement.
 */
const BUSY_SHARE = 0.05;

/** The number of abandoned works when they were last found idle. */
let quietCount = 0;

/**
 * Observes for half a second whether abandoned work runs. Returns false at once if none was abandoned since the last
 * quiet check.
 */
export async function abandonedWorkIsRunning(): Promise<boolean> {
  const count = abandonedCount();
  // A sweep inside a step whose own deadline has expired measures no further points.
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
