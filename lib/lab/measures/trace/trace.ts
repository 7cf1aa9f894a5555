// Implements `lab.trace`: shows one training step as the step table. For each phase it reports host and device time,
// where its tensors are, where the host waits, and likely failures. It also lists the operators at which the step
// changes devices.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { describe } from "../../../torch/vocabulary/arguments.ts";
import { checkedLater, type OpenRules, readOptions } from "../../../torch/vocabulary/options.ts";
import { type BackwardCopy, native } from "../../../torch/engine/native.ts";
import { type ObservedCall, observeCalls } from "../../../torch/engine/observe.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { type MaybePromise, runSteps, settled, type Steps } from "../../core/run_steps.ts";
import { callersPlace, lineOf } from "../../core/user_call_site.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { formatBytes } from "../../../units.ts";
import { WaitsByCall } from "../syncs/waits.ts";
import { Copies, type DeviceCopy } from "./copies.ts";
import { FallbackReader } from "./fallbacks.ts";
import { Parts } from "./parts.ts";
import { alive, kindOf, PhaseReader, type Phase } from "./phases.ts";
import { Switches } from "./switches.ts";
import type { Trace } from "./result.ts";
import { traceTable } from "./view.ts";

export interface TraceOptions {
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
}

const RULES = {
  device: checkedLater<DeviceName | undefined>(undefined),
} satisfies OpenRules<TraceOptions>;

/**
 * Runs a step three times: to warm up, to observe it unhindered, and to time the device operator by operator.
 *
 *     lab.trace(() => trainStep(batch));
 *
 * @throws TypeError for a step that is no function; whatever the step throws
 */
export function trace<Returned>(step: () => Returned, options?: TraceOptions): MaybePromise<Returned, Trace> {
  const call = "lab.trace";
  if (typeof step !== "function")
    throw new TypeError(
      `${call} takes a step and runs it, as lab.trace(() => trainStep()), not ${describe(step)}.`,
    );
  const { device } = readOptions(call, options, RULES);
  const accelerator = acceleratorOf(device);
  return runSteps(traced(step, accelerator)) as MaybePromise<Returned, Trace>;
}

function* traced(step: () => unknown, accelerator: DeviceInterface): Steps<Trace> {
  yield* settled(step());
  accelerator.synchronize();

  const parts = new Parts();
  const switches = new Switches();
  const staging = new Copies();
  const copies: DeviceCopy[] = [];
  const fallbacks = new FallbackReader();
  const waiting = new WaitsByCall();
  const beganMs = performance.now();
  let lastMs = beganMs;
  const hasBatch = yield* watchingCopies((newCopies) =>
    observed(step, (call, phase) => {
      const own = waiting.of(call);
      const part = parts.of(phase);
      const line = placeLine();
      const copy = staging.of(call, line);
      const backward = newCopies().map((one): DeviceCopy => ({ ...one, line, stagedBefore: null }));
      for (const one of copy === null ? backward : [copy, ...backward]) {
        copies.push(one);
        switches.copied(shortName(call), one.from, one.to, line);
      }
      for (const operator of fallbacks.since()) {
        switches.fellBack(operator, "mps", line);
        part.kernels.add("cpu");
      }
      if (own !== null) part.syncPoints.add(`${shortName(call)}${line === null ? "" : ` at ${line}`}`);
      const made = madeBy(call);
      for (const tensor of made) part.locations.add(native.device(tensor));
      if (call.depth > 0) return;
      part.operators += call.operators;
      part.waitedMs += call.waitedMs;
      const endedMs = call.beganMs + call.hostMs;
      part.hostMs += endedMs - lastMs - call.waitedMs;
      lastMs = endedMs;
      for (const kind of kernelsOf(call, made)) {
        part.kernels.add(kind);
        switches.computed(kind);
      }
    }),
  );
  const queuedMs = performance.now() - beganMs;
  accelerator.synchronize();
  const finishedMs = performance.now() - beganMs;

  if (accelerator.asynchronous) {
    yield* observed(step, (call, phase) => {
      if (call.depth > 0) return;
      const waitsFromMs = performance.now();
      accelerator.synchronize();
      // The queue was empty before the call. What is measured here is the time after the call returned; the device may
      // have begun earlier.
      parts.of(phase).deviceMs += performance.now() - waitsFromMs;
    });
  }
  if (!hasBatch) parts.move("batch assembly", "other operators");
  const notes = accelerator.label.includes("simulated")
    ? ["The device is simulated by this machine's processor: no time here is a GPU's."]
    : [];
  return shownAs(
    {
      device: accelerator.label,
      queuedMs,
      finishedMs,
      phases: parts.list(accelerator.asynchronous),
      switches: switches.list,
      copies,
      notes: [...notes, ...repeated(copies)],
    },
    (trace) => traceTable(trace, accelerator.asynchronous),
  );
}

/** Returns whether the step had a batch. */
function* observed(step: () => unknown, see: (call: ObservedCall, phase: Phase) => void): Steps<boolean> {
  const reader = new PhaseReader();
  let watching = true;
  const stop = observeCalls((call) => {
    // Calls that `see` itself makes are not part of the step.
    if (!watching) return;
    watching = false;
    see(call, reader.read(call));
    watching = true;
  });
  try {
    yield* settled(step());
  } finally {
    stop();
  }
  return reader.hasBatch;
}

/**
 * Includes the copies of a backward pass, each of them reported once. A step that is traced inside this one reports its
 * own.
 */
function* watchingCopies<Result>(
  steps: (newCopies: () => readonly BackwardCopy[]) => Steps<Result>,
): Steps<Result> {
  let told = native.watchBackwardCopies();
  try {
    return yield* steps(() => {
      const copies = native.backwardCopiesAfter(told);
      told += copies.length;
      return copies;
    });
  } finally {
    native.stopWatchingCopies();
  }
}

/** Notes on repeated copies, one for each line. */
function repeated(copies: readonly DeviceCopy[]): string[] {
  const texts = copies.flatMap(({ from, to, bytes, line, stagedBefore }) =>
    stagedBefore === null
      ? []
      : [
          `${formatBytes(bytes)} go from ${from} to ${to} again${at(line)}, unchanged since${at(stagedBefore.line) || " the first time"}: keep the first copy.`,
        ],
  );
  return [...new Set(texts)];
}

const at = (line: string | null): string => (line === null ? "" : ` at ${line}`);

const shortName = ({ name }: ObservedCall) => name.replace("aten::", "");

function placeLine(): string | null {
  const place = callersPlace();
  return place === null ? null : lineOf(place);
}

/**
 * Returns the tensors that a call made. An operator that changes lists in place, as an optimizer's does, returns none,
 * and neither does a backward pass: for these the arguments stand for the results.
 */
function madeBy(call: ObservedCall): readonly Tensor[] {
  const results = alive(call.result);
  return results.length > 0 || READS.has(call.name) ? results : alive(call.args);
}

/** Calls that make no tensor. */
const READS: ReadonlySet<string> = new Set(["item", "data", "synchronize"]);

/** Returns the kinds of device on which a call computed. None for reads and copies, which compute nothing. */
function kernelsOf({ name, args }: ObservedCall, made: readonly Tensor[]): readonly string[] {
  const kinds = new Set(made.map(kindOf));
  const isCopy = alive(args).some((tensor) => !kinds.has(kindOf(tensor)));
  return name === "tensor" || isCopy ? [] : [...kinds];
}
