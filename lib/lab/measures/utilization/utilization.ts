// Implements `lab.utilization`: the share of its time in which the device is busy with a step. Windows of steps,
// without recording, give the time that a step takes; a recording of as many steps, with events around operators, gives
// the time in which the device computed.
import { checkedLater, integer, type OpenRules, readOptions } from "../../../torch/vocabulary/options.ts";
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { Profile } from "../../../torch/profiler/profile.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { type MaybePromise, requireRunnable, runSteps, settled, type Steps } from "../../core/run_steps.ts";
import { spreadOf } from "../../../statistics/spread.ts";
import { factsTable } from "../../../views/facts.ts";
import { shownAs } from "../../../views/shown_as.ts";
import type { Table } from "../../../views/table.ts";
import { formatShare, formatTime } from "../../../units.ts";
import { busyMs } from "./busy.ts";

export interface UtilizationOptions {
  /** Steps in a window, and in the recording. Default: 10. */
  readonly steps?: number;
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
}

/** The result; it may be given as evidence: `lab.decide({ utilization: lab.utilization(step) })`. */
export interface Utilization {
  readonly device: string;
  /** The time in which the device was busy divided by the time of a step: 0 to 1. */
  readonly value: number;
  /** How it was measured. */
  readonly source: string;
  readonly steps: number;
  readonly busyMsPerStep: number;
  readonly wallMsPerStep: number;
  /** Time of a step in each window, without a recording. */
  readonly windowsMs: readonly number[];
  readonly notes: readonly string[];
}

const CALL = "lab.utilization";
const WINDOWS = 3;
const RULES = {
  steps: integer(10, 1),
  device: checkedLater<DeviceName | undefined>(undefined),
} satisfies OpenRules<UtilizationOptions>;

/**
 * Measures how busy the device is while a step runs again and again.
 *
 *     lab.utilization(() => trainStep());
 *
 * An operator's time begins when the device is ready for it, so that launching a kernel on an idle device counts as
 * busy: for many small operators the value is an upper bound.
 *
 * @throws TypeError, RangeError for options that do not fit, and on the CPU, which has no queue; whatever the step
 *   throws
 */
export function utilization<Returned>(
  step: () => Returned,
  options?: UtilizationOptions,
): MaybePromise<Returned, Utilization> {
  requireRunnable(CALL, step, "lab.utilization(() => step())");
  const { steps, device } = readOptions(CALL, options, RULES);
  const accelerator = acceleratorOf(device);
  const name = accelerator.label.replace(/ \(simulated\)$/, "");
  if (name === "cpu")
    throw new RangeError(
      `${CALL}: the CPU computes while the host waits, so that it has no time of its own: measure on mps or cuda.`,
    );
  return runSteps(measured(step, steps, accelerator, name as DeviceName)) as MaybePromise<
    Returned,
    Utilization
  >;
}

function* measured(
  step: () => unknown,
  steps: number,
  accelerator: DeviceInterface,
  name: DeviceName,
): Steps<Utilization> {
  function* repeated(): Steps<void> {
    for (let at = 0; at < steps; at++) yield* settled(step());
    accelerator.synchronize();
  }
  yield* settled(step());
  accelerator.synchronize();
  const windowsMs: number[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const beganMs = performance.now();
    yield* repeated();
    windowsMs.push((performance.now() - beganMs) / steps);
  }
  const profile = new Profile({ activities: ["cpu", name] });
  profile.start();
  try {
    yield* repeated();
  } finally {
    profile.stop();
  }
  const busyMsPerStep = busyMs(profile.events()) / steps;
  const wallMsPerStep = spreadOf(windowsMs).median;
  const notes = accelerator.label.includes("simulated")
    ? [`${accelerator.label} is this machine's processor: the value says nothing of a GPU.`]
    : [];
  const result: Utilization = {
    device: accelerator.label,
    value: Math.min(1, busyMsPerStep / wallMsPerStep),
    source: `lab.utilization on ${accelerator.label}, ${steps === 1 ? "1 step" : `${steps} steps`}, events around operators`,
    steps,
    busyMsPerStep,
    wallMsPerStep,
    windowsMs,
    notes,
  };
  return shownAs(result, utilizationTable);
}

function utilizationTable({ device, value, busyMsPerStep, wallMsPerStep, notes }: Utilization): Table {
  return factsTable(
    `How busy ${device} is with a step: ${formatShare(value)}`,
    [
      ["device busy", formatTime(busyMsPerStep)],
      ["step", formatTime(wallMsPerStep)],
    ],
    notes,
  );
}
