// Implements `lab.memorySnapshot` and `lab.recordMemory`: every allocation and release between two moments, with
// operators and lines.
import { boolean, integer, readOptions, type Rules } from "../../torch/vocabulary/options.ts";
import { requireRunnable, runSteps, settled, type Steps } from "../core/run_steps.ts";
import { type RecordingSettings, startRecording } from "./recording.ts";
import type { MemorySnapshot } from "./result.ts";
import { takeSnapshot } from "./take_snapshot.ts";

export interface MemorySnapshotOptions {
  /**
   * How many allocations and releases are kept, the latest ones; at most 100 million. Each takes 32 bytes, reserved at
   * the start. Default: 1,000,000.
   */
  readonly maxEvents?: number;
  /**
   * Reads the line of every allocation. If false, reading lines takes at most 3% of the time, apart from the first 50
   * ms: lines are read for the largest allocations, and for the others only the cell is known. Default: false.
   */
  readonly everyLine?: boolean;
}

/** A recording that runs until `stop`, or until the end of the block in which `using` declared it. */
export interface MemoryRecording extends Disposable {
  /** How many allocations and releases there were so far. */
  readonly events: number;
  /** Collects garbage, and returns what was recorded so far. The recording goes on. */
  snapshot(): MemorySnapshot;
  stop(): void;
}

const MAX_EVENTS = 100_000_000;

const RULES = {
  maxEvents: integer(1_000_000, 1),
  everyLine: boolean(false),
} satisfies Rules<MemorySnapshotOptions>;

/**
 * Runs a function and returns a snapshot of what was allocated meanwhile: what was alive at the peak, by the lines that
 * allocated it, and what outlives the function. The snapshot shows itself as a chart, and writes a file for PyTorch's
 * memory viewer.
 *
 *     const snapshot = await lab.memorySnapshot(() => trainStep(batch));
 *     snapshot.save("step.pickle");
 *
 * On a Mac, PyTorch's Metal allocator reports no allocations: there, a snapshot holds the results of operators, but not
 * the temporary memory of kernels.
 *
 * @throws TypeError, RangeError for options that do not fit; Error if a recording runs already; whatever the function
 *   throws
 */
export async function memorySnapshot(
  run: () => unknown,
  options?: MemorySnapshotOptions,
): Promise<MemorySnapshot> {
  const call = "lab.memorySnapshot";
  requireRunnable(call, run, "lab.memorySnapshot(() => step())");
  return await runSteps(recorded(call, run, readSettings(call, options)));
}

function* recorded(call: string, run: () => unknown, settings: RecordingSettings): Steps<MemorySnapshot> {
  const recording = startRecording(settings);
  try {
    yield* settled(run());
    // The collection runs in a later job: within a job, a WeakRef keeps the object for which it was created or
    // dereferenced.
    yield new Promise((resolve) => setImmediate(resolve));
    return takeSnapshot(call, recording);
  } finally {
    recording.stop();
  }
}

/**
 * Records allocations from now on, for snapshots at any time: between epochs, or after an error.
 *
 *     using recording = lab.recordMemory();
 *     for (let epoch = 0; epoch < 3; epoch++) trainOneEpoch();
 *     recording.snapshot()
 *
 * @throws TypeError, RangeError for options that do not fit; Error if a recording runs already
 */
export function recordMemory(options?: MemorySnapshotOptions): MemoryRecording {
  const recording = startRecording(readSettings("lab.recordMemory", options));
  return {
    get events() {
      return recording.countEvents();
    },
    snapshot: () => takeSnapshot("recording.snapshot", recording),
    stop: () => recording.stop(),
    [Symbol.dispose]: () => recording.stop(),
  };
}

function readSettings(call: string, options: MemorySnapshotOptions | undefined): RecordingSettings {
  const settings = readOptions(call, options, RULES);
  if (settings.maxEvents > MAX_EVENTS)
    throw new RangeError(
      `${call}: maxEvents may be at most ${MAX_EVENTS}, which take 3.2 GB, got ${settings.maxEvents}. Record a shorter stretch.`,
    );
  return settings;
}
