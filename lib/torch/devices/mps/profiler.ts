// Defines `mps.profiler`, after `torch.mps.profiler`: OS signposts, which Xcode's Instruments show, and captures of
// Metal's calls. Simulated Metal keeps the signposts in a list; it has no GPU to capture. Operators are recorded by
// `torch.profiler`.
import type { Signpost } from "../../engine/native_metal.ts";
import { checkFunction, describe, isThenable } from "../../vocabulary/arguments.ts";
import { requireBegun } from "../../vocabulary/finished.ts";
import { boolean, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { UnavailableError } from "../../vocabulary/errors.ts";
import { native } from "../../engine/native.ts";
import { simulation } from "./simulated_metal.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { signpostsTable } from "./view.ts";
import { requireMetal } from "./availability.ts";

/** `interval` spans an operator's time on the device, `event` marks its end. */
export type ProfilerMode = "interval" | "event" | "interval,event";

export interface ProfilerOptions {
  /** What the trace marks: each operator as an interval, as an event, or both. Default: "interval". */
  readonly mode?: ProfilerMode;
  /**
   * Wait for each operator before the next is launched: one dispatch after the other in the trace, and slower. Default:
   * false.
   */
  readonly waitUntilCompleted?: boolean;
}

const MODES: ReadonlySet<string> = new Set(["interval", "event", "interval,event", "event,interval"]);

function checkMode(call: string, name: string, mode: unknown): string {
  const normal = String(mode).toLowerCase().replaceAll(" ", "");
  if (MODES.has(normal)) return normal;
  throw new RangeError(
    `${call}: ${name} must be "interval", "event" or "interval,event", got ${describe(mode)}.`,
  );
}

const RULES = {
  mode: { fallback: "interval", check: checkMode },
  waitUntilCompleted: boolean(false),
} satisfies OpenRules<ProfilerOptions>;

/** Sets OS signposts at every operator, copy and fallback from now on, for Instruments' os_signpost track. */
export function start(options?: ProfilerOptions): void {
  const { mode, waitUntilCompleted: wait } = readOptions("mps.profiler.start", options, RULES);
  requireMetal("mps.profiler.start");
  try {
    native.mps.startSignposts(mode, wait);
  } catch (error) {
    if (!/already enabled/.test(String(error))) throw error;
    throw new Error("mps.profiler.start: signposts are being set already: call mps.profiler.stop() first.", {
      cause: error,
    });
  }
}

/** Ends the signposts that `start` began. */
export function stop(): void {
  requireMetal("mps.profiler.stop");
  native.mps.stopSignposts();
}

/** Calls `finish` when `body` is done; if it returns a promise, when that has settled. */
function during<T>(body: () => T, finish: () => void): T {
  let result: T;
  try {
    result = requireBegun("mps.profiler.profile", body());
  } catch (error) {
    finish();
    throw error;
  }
  if (isThenable(result)) return Promise.resolve(result).finally(finish) as T;
  finish();
  return result;
}

/** Signposts while `body` runs. */
export function profile<T>(options: ProfilerOptions, body: () => T): T {
  checkFunction("mps.profiler.profile", "body", body);
  start(options);
  return during(body, stop);
}

/**
 * The signposts of the last trace on simulated Metal, at most the last 100,000.
 *
 * @throws UnavailableError on a Mac, whose signposts are the system's
 */
export function signposts(): Signpost[] {
  requireMetal("mps.profiler.signposts");
  if (simulation() === null) {
    throw new UnavailableError(
      "mps.profiler.signposts: a Mac's signposts go to the system's log: record them in Instruments with the os_signpost instrument.",
    );
  }
  return shownAs(native.metalSignposts(), signpostsTable);
}

/** Whether `metalCapture` works: `MTL_CAPTURE_ENABLED=1` was set when the process started. Never on simulated Metal. */
export function isMetalCaptureEnabled(): boolean {
  requireMetal("mps.profiler.isMetalCaptureEnabled");
  return native.mps.captureEnabled();
}

/** Whether `metalCapture` is writing a capture now. */
export function isCapturingMetal(): boolean {
  requireMetal("mps.profiler.isCapturingMetal");
  return native.mps.isCapturing();
}

/**
 * Captures Metal's calls while `body` runs into `0000-<name>.gputrace` in the working folder, which Xcode opens; PyTorch
 * numbers the captures of a session.
 *
 * @throws UnavailableError where captures are not enabled, and on simulated Metal
 */
export function metalCapture<T>(name: string, body: () => T): T {
  const call = "mps.profiler.metalCapture";
  if (typeof name !== "string" || name === "")
    throw new TypeError(`${call}: the name must be a string like "step", got ${describe(name)}.`);
  checkFunction(call, "body", body);
  requireMetal(call);
  if (!native.mps.captureEnabled()) {
    throw new UnavailableError(
      simulation() === null
        ? `${call}: captures are off; set MTL_CAPTURE_ENABLED=1 before the session starts.`
        : `${call}: simulated Metal has no GPU whose calls Xcode could show; torch.profiler.profile records its operators.`,
    );
  }
  native.mps.startCapture(name);
  return during(body, () => native.mps.stopCapture());
}
