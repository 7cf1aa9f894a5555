// Declares the result of `lab.trace` as plain data.
import type { DeviceCopy } from "./copies.ts";
import type { TracedPhase } from "./parts.ts";
import type { BackendSwitch } from "./switches.ts";

export interface Trace {
  readonly device: string;
  /** Time until the step returned; on a device with a queue its work may continue after that. */
  readonly queuedMs: number;
  /** Time until the device had finished all of it. */
  readonly finishedMs: number;
  /** The parts in the order of a step. Parts that have no call are left out. */
  readonly phases: readonly TracedPhase[];
  readonly switches: readonly BackendSwitch[];
  /**
   * Copies between kinds of devices in one run, made by the step and its backward pass, without the copies of
   * fallbacks.
   */
  readonly copies: readonly DeviceCopy[];
  readonly notes: readonly string[];
}
