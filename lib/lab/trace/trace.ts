// `lab.trace`: one training step as the step table. For each part: what the host does, what the device does, where its
// tensors lie, where the host waits, and how it is likely to fail; and the operators at which the step changes devices.
import { checkOptions, describe } from "../../torch/arguments.ts";
import { type BackwardCopy, type DeviceName, native } from "../../torch/native.ts";
import { type ObservedCall, observeCalls, tensorsAmong } from "../../torch/observe.ts";
import type { Accelerator } from "../accelerator.ts";
import { acceleratorOf } from "../current_accelerator.ts";
import { type Driven, drive, settled, type Steps } from "../drive.ts";
import { callersPlace, lineOf } from "../place.ts";
import { shownAs } from "../table.ts";
import { formatBytes } from "../../units.ts";
import { WaitsByCall } from "../syncs/waits.ts";
import { Copies, type DeviceCopy } from "./copies.ts";
import { FallbackReader } from "./fallbacks.ts";
import { kindOf, type Phase, PhaseReader, PHASES } from "./phases.ts";
import { traceTable } from "./view.ts";

export interface TraceOptions {
  /** The session's unless given. */
  readonly device?: DeviceName;
}

export interface TracedPhase {
  readonly phase: Phase;
  readonly operators: number;
  /** Host time, waits aside: from the end of the part before to the end of this one's last call. */
  readonly hostMs: number;
  readonly waitedMs: number;
  /** How long the device still works when each operator has returned, in a run that waits for it; null without a queue. */
  readonly deviceMs: number | null;
  /** Kinds of device that its results lie on. */
  readonly locations: readonly string[];
  /** `item at Cell [3]:9`: where the host waits. */
  readonly syncPoints: readonly string[];
}

/**
 * The step goes on on another kind of device from here: because the user's code copied there, or, for this operator alone
 * and without being asked, because the device lacks it.
 */
export interface BackendSwitch {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly line: string | null;
  readonly cause: "copy" | "fallback";
}

export interface Trace {
  readonly device: string;
  readonly wallMs: number;
  /** In the order of a step; parts that have no call are left out. */
  readonly phases: readonly TracedPhase[];
  readonly switches: readonly BackendSwitch[];
  /** Between kinds of devices, by the step and by its backward; fallbacks' own aside. */
  readonly copies: readonly DeviceCopy[];
  readonly notes: readonly string[];
}

/**
 * Runs a step three times: once to warm up, once to watch it run free, once to time the device operator by operator.
 *
 *     lab.trace(() => trainStep(batch));
 *
 * @throws TypeError for a step that is no function; whatever the step throws
 */
export function trace<Returned>(step: () => Returned, options?: TraceOptions): Driven<Returned, Trace> {
  const call = "lab.trace";
  if (typeof step !== "function")
    throw new TypeError(
      `${call} takes a step and runs it, as lab.trace(() => trainStep()), not ${describe(step)}.`,
    );
  const given = checkOptions(call, options, ["device"]);
  const accelerator = acceleratorOf(given.device);
  return drive(traced(step, accelerator)) as Driven<Returned, Trace>;
}

interface OpenPhase {
  operators: number;
  hostMs: number;
  waitedMs: number;
  deviceMs: number;
  readonly locations: Set<string>;
  readonly syncPoints: Set<string>;
}

function* traced(step: () => unknown, accelerator: Accelerator): Steps<Trace> {
  const staging = new Copies();
  yield* observed(step, (call) => void staging.of(call, placeLine()));
  accelerator.synchronize();

  const open = new Map<Phase, OpenPhase>();
  const phaseOf = (phase: Phase): OpenPhase => {
    let found = open.get(phase);
    if (!found) {
      found = {
        operators: 0,
        hostMs: 0,
        waitedMs: 0,
        deviceMs: 0,
        locations: new Set(),
        syncPoints: new Set(),
      };
      open.set(phase, found);
    }
    return found;
  };

  const switches: BackendSwitch[] = [];
  const copies: DeviceCopy[] = [];
  const fallbacks = new FallbackReader();
  const waiting = new WaitsByCall();
  let present: string | null = null;
  const beganMs = performance.now();
  let lastMs = beganMs;
  yield* watchingCopies((newCopies) =>
    observed(step, (call, phase) => {
      const own = waiting.of(call);
      const seen = phaseOf(phase);
      const line = placeLine();
      const copy = staging.of(call, line);
      if (copy !== null) copies.push(copy);
      for (const { from, to, bytes } of newCopies())
        copies.push({ from, to, bytes, line, stagedBefore: null });
      for (const operator of fallbacks.since())
        switches.push({ operator, from: "mps", to: "cpu", line, cause: "fallback" });
      if (own !== null) seen.syncPoints.add(`${shortName(call)}${line === null ? "" : ` at ${line}`}`);
      for (const tensor of tensorsAmong(call.result))
        if (!native.isDisposed(tensor)) seen.locations.add(native.device(tensor));
      if (call.depth > 0) return;
      seen.operators++;
      seen.waitedMs += call.waitedMs;
      const endedMs = call.beganMs + call.hostMs;
      seen.hostMs += endedMs - lastMs - call.waitedMs;
      lastMs = endedMs;
      const kind = backendOf(call);
      if (kind !== null && present !== null && kind !== present)
        switches.push({ operator: shortName(call), from: present, to: kind, line, cause: "copy" });
      present = kind ?? present;
    }),
  );
  const wallMs = performance.now() - beganMs;
  accelerator.synchronize();

  if (accelerator.asynchronous) {
    yield* observed(step, (call, phase) => {
      if (call.depth > 0) return;
      const waitsFromMs = performance.now();
      accelerator.synchronize();
      // The queue was empty before the call, so its work began while the call still ran.
      phaseOf(phase).deviceMs += performance.now() - waitsFromMs;
    });
  }
  const notes = accelerator.label.includes("simulated")
    ? ["The device is simulated by this machine's processor: no time here is a GPU's."]
    : [];
  const phases = PHASES.flatMap((phase) => {
    const found = open.get(phase);
    if (!found) return [];
    const { locations, syncPoints, deviceMs, ...times } = found;
    return [
      {
        phase,
        ...times,
        deviceMs: accelerator.asynchronous ? deviceMs : null,
        locations: [...locations],
        syncPoints: [...syncPoints],
      },
    ];
  });
  return shownAs(
    { device: accelerator.label, wallMs, phases, switches, copies, notes: [...notes, ...repeated(copies)] },
    traceTable,
  );
}

function* observed(step: () => unknown, see: (call: ObservedCall, phase: Phase) => void): Steps<void> {
  const reader = new PhaseReader();
  let watching = true;
  const stop = observeCalls((call) => {
    // What is asked while a call is looked at is no part of the step.
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
}

/** With the copies that a backward makes, each told once; a step that is traced inside tells them for itself. */
function* watchingCopies(steps: (newCopies: () => readonly BackwardCopy[]) => Steps<void>): Steps<void> {
  let told = native.watchBackwardCopies();
  try {
    yield* steps(() => {
      const copies = native.backwardCopiesAfter(told);
      told += copies.length;
      return copies;
    });
  } finally {
    native.stopWatchingCopies();
  }
}

/** What is copied though it was copied before, once for each line. */
function repeated(copies: readonly DeviceCopy[]): string[] {
  const texts = copies.flatMap(({ from, to, bytes, line, stagedBefore }) =>
    stagedBefore === null
      ? []
      : [
          `${formatBytes(bytes)} go from ${from} to ${to} again${at(line)}, unchanged since${at(stagedBefore.line) || " the step before"}: keep the first copy.`,
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

/** Where an operator computed: the kind of device of its results. Reads and copies compute nowhere. */
function backendOf({ name, args, result }: ObservedCall): string | null {
  if (!name.startsWith("aten::")) return null;
  const first = tensorsAmong(result).find((tensor) => !native.isDisposed(tensor));
  const given = tensorsAmong(args).filter((tensor) => !native.isDisposed(tensor));
  if (first === undefined || given.some((tensor) => kindOf(tensor) !== kindOf(first))) return null;
  return kindOf(first);
}
