// Times the steps of one point: warm-up, steady windows, data only, forward only.
import { pausedMs, runningNowMs } from "../../session.ts";
import { isThenable } from "../../torch/vocabulary/arguments.ts";
import { requireBegun } from "../../torch/vocabulary/finished.ts";
import type { DeviceInterface } from "../core/device_interface.ts";
import type { Steps } from "../core/run_steps.ts";
import { spreadOf } from "../../statistics/spread.ts";
import type { SweepWork } from "./options.ts";
import type { SteadyWindows } from "../../records/batch_sweeps/point.ts";

export interface WindowTimes {
  readonly steps: number;
  readonly wallMs: number;
  readonly dataMs: number;
  /** How long the host waited outside the data part; null if waits are not counted. */
  readonly waitMs: number | null;
  /** How long the user's debugger held the code. This is not part of the times. */
  readonly pausedMs: number;
  /** The return value of the last step. */
  readonly returned: unknown;
}

/** Times some steps and one wait for the device at their end, as a hand-written loop would. */
export function* runWindow(work: SweepWork, accelerator: DeviceInterface, steps: number): Steps<WindowTimes> {
  const waitedAtStart = accelerator.waitedMs();
  const pausedAtStartMs = pausedMs();
  const beganMs = runningNowMs();
  let dataMs = 0;
  let waitedInDataMs = 0;
  let returned: unknown;
  for (let i = 0; i < steps; i++) {
    let batch: unknown;
    if (work.data) {
      const dataBeganMs = runningNowMs();
      const waitedBefore = accelerator.waitedMs() ?? 0;
      batch = work.data();
      if (isThenable(batch)) batch = yield batch;
      waitedInDataMs += (accelerator.waitedMs() ?? 0) - waitedBefore;
      dataMs += runningNowMs() - dataBeganMs;
    }
    returned = work.step(batch);
    if (isThenable(returned)) returned = yield returned;
    else requireBegun("lab", returned);
  }
  const waitedAtEnd = accelerator.waitedMs();
  const workedMs = runningNowMs();
  accelerator.synchronize();
  const endedMs = runningNowMs();
  // Without a queue there is nothing to wait for, and the time of the call itself is no waiting time.
  const finalWaitMs = accelerator.asynchronous ? endedMs - workedMs : 0;
  const counted = waitedAtStart !== null && waitedAtEnd !== null;
  return {
    steps,
    wallMs: endedMs - beganMs,
    dataMs,
    waitMs: counted ? waitedAtEnd - waitedAtStart - waitedInDataMs + finalWaitMs : null,
    pausedMs: pausedMs() - pausedAtStartMs,
    returned,
  };
}

export function steadyOf(all: readonly WindowTimes[], batch: number, hasData: boolean): SteadyWindows {
  // After a pause by the debugger the code runs on with cold caches.
  const unpaused = all.filter((window) => window.pausedMs === 0);
  const windows = unpaused.length > 0 ? unpaused : all;
  // The parts come from the median window, so that they add up to its step. A mean over all windows would include
  // outliers that the median excludes.
  const byStep = windows.toSorted((a, b) => a.wallMs / a.steps - b.wallMs / b.steps);
  const { steps, ...middle } = byStep[(windows.length - 1) >> 1]!;
  const stepMs = middle.wallMs / steps;
  const dataMs = middle.dataMs / steps;
  const waitMs = middle.waitMs === null ? null : middle.waitMs / steps;
  return {
    windows: windows.length,
    stepsPerWindow: windows[0]!.steps,
    samplesPerSecond: spreadOf(windows.map((window) => (1000 * batch * window.steps) / window.wallMs)),
    stepMs: spreadOf(windows.map((window) => window.wallMs / window.steps)),
    dataMs: hasData ? dataMs : null,
    hostMs: waitMs === null ? null : Math.max(0, stepMs - dataMs - waitMs),
    waitMs,
  };
}

/** Repeats the call until `forMs` have passed, then waits for the device. Returns the milliseconds of one call. */
export function* timeAlone(run: () => unknown, accelerator: DeviceInterface, forMs: number): Steps<number> {
  accelerator.synchronize();
  const beganMs = runningNowMs();
  let calls = 0;
  do {
    const returned = run();
    if (isThenable(returned)) yield returned;
    else requireBegun("lab", returned);
    calls++;
    // Waits now and then, because a device with a queue would otherwise get far more work than it can finish in the
    // time.
    if (calls % 8 === 0) accelerator.synchronize();
  } while (runningNowMs() - beganMs < forMs);
  accelerator.synchronize();
  return (runningNowMs() - beganMs) / calls;
}
