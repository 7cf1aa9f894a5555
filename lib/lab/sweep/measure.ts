// Measures one point of a sweep, from its setup to its record. If a step throws, runs out of memory or never ends, the
// record keeps what was measured before.
import { capture } from "../../torch/capture/capture.ts";
import { runningNowMs } from "../../session.ts";
import { OutOfMemoryError } from "../../torch/vocabulary/errors.ts";
import { native } from "../../torch/engine/native.ts";
import type { DeviceInterface } from "../core/device_interface.ts";
import { DeadlineError } from "../../deadlines.ts";
import { contained } from "../core/run_with_deadline.ts";
import { settled, type Steps, withHooks } from "../core/run_steps.ts";
import type { MemorySample } from "../../records/epochs.ts";
import { formatBytes } from "../../units.ts";
import type { SweepPlan, SweepWork } from "./options.ts";
import type { Leak, Point, PointMemory, PointRecord } from "../../records/batch_sweeps/point.ts";
import { runWindow, steadyOf, timeAlone, type WindowTimes } from "./windows.ts";

export interface SweepHost {
  readonly accelerator: DeviceInterface;
  /** Whether the device uses the machine's memory, so that the machine's free memory is a limit too. */
  readonly unified: boolean;
  sample(): MemorySample;
  /** Runs a full collection. */
  collect(): void;
  /** Reports where tensors that outlive a step were made. */
  holders(step: () => Steps<unknown>): Steps<string[]>;
  /** Runs the user's steps, which end with a DeadlineError at the deadline. */
  withinDeadline<Result>(steps: Steps<Result>, deadlineMs: number): Steps<Result>;
  /** Whether the error is the user's interrupt and not a failure of the step. */
  isInterruption(thrown: unknown): boolean;
}

export type MeasuredPlan = Pick<
  SweepPlan,
  "setup" | "samples" | "warmupSteps" | "capture" | "windows" | "windowMs" | "deadlineMs" | "memoryShare"
> & {
  /** Whether to look for what steps leave behind, by three full collections. Default: true. */
  readonly findsLeaks?: boolean;
};

/** Less swap than this is not attributed to a point, because other processes swap too. */
const SWAP_BYTES = 16 * 2 ** 20;
/** After this many steps a step has been captured and replayed once. */
const CAPTURING_STEPS = 4;
/** Smaller growth may come from the host's caches. */
const MIN_LEAK_BYTES = 2 ** 16;

interface Draft {
  first: PointRecord["first"];
  readonly windows: WindowTimes[];
  readonly hasData: { value: boolean };
  dataOnly: PointRecord["dataOnly"];
  forwardOnly: PointRecord["forwardOnly"];
  loss: PointRecord["loss"];
  leak: Leak | null;
  peak: MemorySample | null;
  readonly notes: Set<string>;
}

export function* measurePoint(host: SweepHost, plan: MeasuredPlan, point: Point): Steps<PointRecord> {
  const { accelerator } = host;
  const startedAt = new Date().toISOString();
  free(host);
  accelerator.resetPeak();
  const before = host.sample();
  const beganMs = runningNowMs();
  const draft: Draft = {
    first: null,
    windows: [],
    hasData: { value: false },
    dataOnly: null,
    forwardOnly: null,
    loss: null,
    leak: null,
    peak: null,
    notes: new Set(),
  };
  let status: PointRecord["status"] = "measured";
  let error: string | null = null;
  try {
    yield* host.withinDeadline(runPoint(host, plan, point, beganMs, draft), plan.deadlineMs);
  } catch (thrown) {
    if (host.isInterruption(thrown)) throw thrown;
    if (thrown instanceof DeadlineError) status = "deadline";
    else status = thrown instanceof OutOfMemoryError ? "out of memory" : "failed";
    error = errorText(thrown);
  }
  const wallMs = runningNowMs() - beganMs;
  const after = draft.peak ?? host.sample();
  const memory = memoryOf(before, after, host.unified, plan.memoryShare);
  const swapped = (memory.swappedBytes ?? 0) >= SWAP_BYTES;
  if (swapped) draft.notes.add(`The machine swapped ${formatBytes(memory.swappedBytes!)} meanwhile.`);
  free(host);
  return {
    point,
    status,
    error,
    startedAt,
    wallMs,
    first: draft.first,
    steady: draft.windows.length > 0 ? steadyOf(draft.windows, point.batch, draft.hasData.value) : null,
    dataOnly: draft.dataOnly,
    forwardOnly: draft.forwardOnly,
    memory,
    swapped,
    loss: draft.loss,
    leak: draft.leak,
    notes: [...draft.notes],
  };
}

/** Has its own stack frame, so that what the setup made is garbage when it returns. */
function* runPoint(
  host: SweepHost,
  plan: MeasuredPlan,
  point: Point,
  beganMs: number,
  draft: Draft,
): Steps<void> {
  const { accelerator } = host;
  if (plan.samples !== null && point.batch > plan.samples) {
    throw new RangeError(`batch ${point.batch} is larger than the data set of ${plan.samples} samples.`);
  }
  const given = workOf(yield* settled(plan.setup(point)));
  const work = plan.capture ? capturedWork(given) : given;
  draft.hasData.value = work.data !== undefined;
  const leftMs = () => plan.deadlineMs - (runningNowMs() - beganMs);

  const warmUpBeganMs = runningNowMs();
  let stepMs = 0;
  const warmupSteps = plan.capture ? Math.max(plan.warmupSteps, CAPTURING_STEPS) : plan.warmupSteps;
  for (let steps = 1; steps <= warmupSteps; steps++) {
    stepMs = (yield* runWindow(work, accelerator, 1)).wallMs;
    const wallMs = runningNowMs() - warmUpBeganMs;
    draft.first = { stepMs: draft.first?.stepMs ?? stepMs, steps, wallMs };
    if (leftMs() < 0) throw new DeadlineError(plan.deadlineMs);
  }

  // All windows must end before the deadline.
  const windowMs = Math.min(plan.windowMs, (0.7 * leftMs()) / plan.windows);
  const steps = stepMs > 0 ? Math.max(1, Math.ceil(windowMs / stepMs)) : 1;
  const { findsLeaks = true } = plan;
  const heldBytes = findsLeaks ? [held(host)] : [];
  for (let window = 0; window < plan.windows; window++) {
    const times = yield* runWindow(work, accelerator, steps);
    draft.windows.push({ ...times, returned: undefined });
    if (times.pausedMs > 0) draft.notes.add("The debugger paused a window, which is not in the medians.");
    noteReturned(times.returned, draft);
    draft.peak = host.sample();
    if (leftMs() < 0) throw new DeadlineError(plan.deadlineMs);
    if (findsLeaks && window === Math.floor((plan.windows - 1) / 2)) heldBytes.push(held(host));
  }
  if (findsLeaks) {
    heldBytes.push(held(host));
    draft.leak = yield* leakOf(host, plan, work, heldBytes, steps);
  }
  if (draft.leak !== null) {
    const { bytesPerStep, holders } = draft.leak;
    draft.notes.add(
      `A step leaves ${formatBytes(bytesPerStep)} behind${holders.length > 0 ? `: ${holders.join("; ")}` : ""}.`,
    );
  }

  const { data, forward } = work;
  if (data) {
    const batchMs = yield* timeAlone(() => data(), accelerator, windowMs);
    draft.dataOnly = { batchMs, samplesPerSecond: (1000 * point.batch) / batchMs };
  }
  if (forward) {
    const batch = data ? yield* settled(data()) : undefined;
    const forwardMs = yield* timeAlone(() => forward(batch), accelerator, windowMs);
    draft.forwardOnly = { forwardMs, samplesPerSecond: (1000 * point.batch) / forwardMs };
  }
}

export function workOf(made: unknown): SweepWork {
  if (typeof made === "function") return { step: made as () => unknown };
  const work = made as Partial<SweepWork> | null | undefined;
  if (typeof work?.step !== "function")
    throw new TypeError(
      "The setup must return a step, or { data, forward, step } of which step is a function.",
    );
  return work as SweepWork;
}

/** The batch is made as usual: it is not a part of the captured step, but its argument. */
function capturedWork({ data, forward, step }: SweepWork): SweepWork {
  const captured = (run: (batch: unknown) => unknown) => capture(run, { checkEvery: 0 });
  return {
    ...(data === undefined ? {} : { data }),
    ...(forward === undefined ? {} : { forward: captured(forward) }),
    step: captured(step),
  };
}

/** Reads the loss outside of all timed parts, because reading it in the loop would be a hidden synchronization. */
function noteReturned(returned: unknown, draft: Draft): void {
  let value: unknown = returned;
  if (native.isTensor(returned)) {
    if (native.isDisposed(returned)) return;
    const device = native.device(returned);
    if (device !== "cpu")
      draft.notes.add(
        `The step returns a tensor on ${device}; it was read once a window, outside of the timing.`,
      );
    value = native.numel(returned) === 1 ? native.item(returned) : null;
  }
  if (typeof value !== "number") return;
  const finite = Number.isFinite(value);
  draft.loss = { value: finite ? value : null, finite };
  if (!finite) draft.notes.add(`The loss became ${value}: the times stand, the training does not.`);
}

/** Bytes of live tensors after everything unreachable has been collected. */
function held({ accelerator, collect }: SweepHost): number {
  collect();
  accelerator.synchronize();
  return accelerator.memoryStats().allocatedBytes;
}

function* leakOf(
  host: SweepHost,
  plan: MeasuredPlan,
  work: SweepWork,
  heldBytes: readonly number[],
  stepsPerWindow: number,
): Steps<Leak | null> {
  const [start = 0, middle = 0, end = 0] = heldBytes;
  // Caches fill only once, whereas a leak continues. With one window, its end is taken for the middle.
  const goesOn = plan.windows === 1 || end > middle;
  if (middle <= start || !goesOn || end - start <= MIN_LEAK_BYTES) return null;
  const steps = plan.windows * stepsPerWindow;
  function* step(): Steps<unknown> {
    const batch = work.data ? yield* settled(work.data()) : undefined;
    return yield* settled(work.step(batch));
  }
  const holders = yield* host.holders(() => withHooks(step(), { stretch: contained }));
  return { bytesPerStep: (end - start) / steps, holders };
}

export function free({ accelerator, collect }: SweepHost): void {
  accelerator.synchronize();
  collect();
  accelerator.synchronize();
  accelerator.emptyCache();
}

function memoryOf(before: MemorySample, after: MemorySample, unified: boolean, share: number): PointMemory {
  const limits: number[] = [];
  if (before.recommendedBytes > 0) limits.push(before.recommendedBytes);
  if (unified && before.availableBytes !== null) limits.push(before.driverBytes + before.availableBytes);
  const known = before.swapBytes !== null && after.swapBytes !== null;
  return {
    baseBytes: before.allocatedBytes,
    peakBytes: after.peakBytes,
    driverBytes: after.driverBytes,
    footprintBytes: after.footprintBytes,
    limitBytes: limits.length > 0 ? share * Math.min(...limits) : null,
    swappedBytes: known ? Math.max(0, after.swapBytes - before.swapBytes) : null,
  };
}

function errorText(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `Uncaught ${String(thrown)}`;
}
