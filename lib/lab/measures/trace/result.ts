// Declares the result of `lab.trace` as plain data.
import type { DeviceCopy } from "./copies.ts";
import type { TracedPhase } from "./parts.ts";
import type { BackendSwitch } from "./switches.ts";

export interface Trace {
  readonly device: string;
  /** Until the step had returned; on a device with a queue its work may go on then. */
  readonly queuedMs: number;
  /** Until the device had done it all. */
  readonly finishedMs: number;
  /** In the order of a step; parts that have no call are left out. */
  readonly phases: readonly TracedPhase[];
  readonly switches: readonly BackendSwitch[];
  /** Between kinds of devices, by the step and by its backward, in one run; fallbacks' own aside. */
  readonly copies: readonly DeviceCopy[];
  readonly notes: readonly string[];
}
