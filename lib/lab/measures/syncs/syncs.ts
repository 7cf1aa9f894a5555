// Implements `lab.syncs`: finds the lines that make the host wait for the device, and the milliseconds lost at each.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { checkedLater, integer, type OpenRules, readOptions } from "../../../torch/vocabulary/options.ts";
import { observeCalls } from "../../../torch/engine/observe.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { type MaybePromise, requireRunnable, runSteps, settled, type Steps } from "../../core/run_steps.ts";
import { callersPlace, lineOf } from "../../core/user_call_site.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { columns, type Table } from "../../../views/table.ts";
import { formatShare, formatTime } from "../../../units.ts";
import { adviceFor } from "./advice.ts";
import { WaitsByCall } from "./waits.ts";

export interface SyncsOptions {
  /** How many calls are observed, after one that is not. Default: 3. */
  readonly calls?: number;
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
}

/** One line and one operation that waits there. */
export interface SyncSite {
  /** `Cell [3]:4`, a file's line, or null if no line of the user's is on the stack. */
  readonly line: string | null;
  /** The dispatcher's name, without `aten::`. */
  readonly operation: string;
  readonly waitsPerCall: number;
  readonly waitedMsPerCall: number;
  readonly advice: string;
}

export interface Syncs {
  readonly device: string;
  readonly calls: number;
  /** Time of one call until it returned. */
  readonly hostMsPerCall: number;
  /** How long the host waited for the device within that time. */
  readonly waitedMsPerCall: number;
  /** Longest wait first. */
  readonly sites: readonly SyncSite[];
  readonly notes: readonly string[];
}

const RULES = {
  calls: integer(3, 1),
  device: checkedLater<DeviceName | undefined>(undefined),
} satisfies OpenRules<SyncsOptions>;

/**
 * Finds hidden synchronizations: `item()`, `cpu()`, `tolist()`, `nonzero`, indexing by a mask, printing.
 *
 *     lab.syncs(() => trainOneEpoch());
 *
 * Watching costs some microseconds an operator, so the milliseconds of the function itself are not a benchmark.
 *
 * @throws TypeError, RangeError for options that do not fit; whatever the function throws
 */
export function syncs<Returned>(run: () => Returned, options?: SyncsOptions): MaybePromise<Returned, Syncs> {
  const call = "lab.syncs";
  requireRunnable(call, run, "lab.syncs(() => step())");
  const { calls, device } = readOptions(call, options, RULES);
  const accelerator = acceleratorOf(device);
  return runSteps(watched(run, accelerator, calls)) as MaybePromise<Returned, Syncs>;
}

interface Site {
  readonly line: string | null;
  readonly operation: string;
  waits: number;
  waitedMs: number;
}

function* watched(run: () => unknown, accelerator: DeviceInterface, calls: number): Steps<Syncs> {
  yield* settled(run());
  accelerator.synchronize();

  const sites = new Map<string, Site>();
  const waiting = new WaitsByCall();
  let hostMs = 0;
  for (let i = 0; i < calls; i++) {
    const stop = observeCalls((observed) => {
      const own = waiting.of(observed);
      if (own === null) return;
      const place = callersPlace();
      const line = place === null ? null : lineOf(place);
      const operation = observed.name.replace("aten::", "");
      const key = `${line} ${operation}`;
      const site = sites.get(key) ?? { line, operation, waits: 0, waitedMs: 0 };
      site.waits += own.waits;
      site.waitedMs += own.waitedMs;
      sites.set(key, site);
    });
    const beganMs = performance.now();
    try {
      yield* settled(run());
    } finally {
      hostMs += performance.now() - beganMs;
      stop();
    }
    accelerator.synchronize();
  }
  return shownAs(resultOf([...sites.values()], accelerator, calls, hostMs), syncsTable);
}

function resultOf(
  sites: readonly Site[],
  { label, asynchronous }: DeviceInterface,
  calls: number,
  hostMs: number,
): Syncs {
  const notes: string[] = [];
  if (!asynchronous)
    notes.push(
      `${label} has no queue: its operators are done when they return, and nothing waits. Try it on mps or cuda.`,
    );
  return {
    device: label,
    calls,
    hostMsPerCall: hostMs / calls,
    waitedMsPerCall: sites.reduce((sum, site) => sum + site.waitedMs, 0) / calls,
    sites: sites
      .toSorted((a, b) => b.waitedMs - a.waitedMs)
      .map(({ line, operation, waits, waitedMs }) => ({
        line,
        operation,
        waitsPerCall: waits / calls,
        waitedMsPerCall: waitedMs / calls,
        advice: adviceFor(operation),
      })),
    notes,
  };
}

function syncsTable({ device, hostMsPerCall, waitedMsPerCall, sites, notes }: Syncs): Table {
  const share = hostMsPerCall > 0 ? waitedMsPerCall / hostMsPerCall : 0;
  return {
    caption: `Waits for ${device} in one call: ${formatTime(waitedMsPerCall)} of ${formatTime(hostMsPerCall)} (${formatShare(share)})`,
    columns: columns("<line", "<operation", "waits", "waited", "<<instead"),
    rows: sites.map(({ line, operation, waitsPerCall, waitedMsPerCall: waitedMs, advice }) => [
      line ?? "(outside of your code)",
      operation,
      String(Number(waitsPerCall.toFixed(1))),
      formatTime(waitedMs),
      advice,
    ]),
    notes: sites.length === 0 && notes.length === 0 ? ["No operator made the host wait."] : notes,
  };
}
