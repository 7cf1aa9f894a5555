// Implements `lab.buckets`: times a step in the shapes that a record from another framework or machine lists, one after
// the other.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { collectGarbage } from "../../../torch/engine/garbage.ts";
import { OutOfMemoryError } from "../../../torch/vocabulary/errors.ts";
import { isInterruption } from "../../../session.ts";
import { shownAs } from "../../../views/shown_as.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { requireRunnable, runSteps, type Steps } from "../../core/run_steps.ts";
import type { Measured } from "../benchmark/compare.ts";
import { measureInterleaved } from "../benchmark/interleave.ts";
import { BenchmarkCase, SIMULATED } from "../benchmark/measure.ts";
import { type MeasureOptions, type MeasurePlan, readPlan } from "../benchmark/options.ts";
import { bucketName, type BucketsRecord, type RecordedBucket, readRecord } from "./record.ts";
import { type Bucket, type Buckets, bucketsTable, summaryOf } from "./result.ts";

export interface BucketsOptions extends MeasureOptions {
  /** The times to compare with, or the path of a JSON file that holds them. */
  readonly record: BucketsRecord | string;
  /** The device whose queue is waited for. Default: the session's device. */
  readonly device?: DeviceName;
  /**
   * Steps in one measurement, after which the device is waited for once. Default: 1, as in a program that evaluates
   * each step. Null for as many as `repeatMs` needs.
   */
  readonly calls?: number | null;
}

/**
 * Does a step with inputs of a batch and a sequence length, or makes them and returns the function to time. It may return
 * a promise.
 */
export type BucketStep = (batch: number, sequence: number) => unknown;

/**
 * Times a step in each bucket of a record, for example one of MLX: with the same batch and sequence length, warm, until
 * the device has finished. If the step fails in a bucket, its row holds the error, and the other buckets are still
 * timed.
 *
 *     const record = { source: "M2 Ultra, MLX 0.20, 2026-11-20", buckets: [{ batch: 1, sequence: 128, ms: 12 }] };
 *     await lab.buckets((batch, sequence) => {
 *       const tokens = torch.randint(0, 1000, [batch, sequence]);
 *       return () => model(tokens);
 *     }, { record });
 *
 * @throws TypeError, RangeError for a record and options that do not fit; Error for a file that cannot be read
 */
export function buckets<Step extends BucketStep>(
  step: Step,
  options: BucketsOptions,
): Measured<Step, Buckets> {
  const call = "lab.buckets";
  requireRunnable(call, step, "lab.buckets((batch, sequence) => step(batch, sequence), { record })");
  const { plan, rest } = readPlan(call, options, ["record", "device"]);
  const record = readRecord(call, rest.record);
  const accelerator = acceleratorOf(rest.device as string | undefined);
  const calls = options.calls === undefined ? 1 : plan.calls;
  return runSteps(timed(step, record, accelerator, { ...plan, calls })) as Measured<Step, Buckets>;
}

function* timed(
  step: BucketStep,
  { source, buckets: recorded }: BucketsRecord,
  accelerator: DeviceInterface,
  plan: MeasurePlan,
): Steps<Buckets> {
  const device = accelerator.label;
  const found: Bucket[] = [];
  for (const bucket of recorded) found.push(yield* timedBucket(step, bucket, accelerator, plan));
  const notes = found
    .filter(({ status, repeats }) => status === "measured" && repeats < plan.repeats)
    .map((one) => `${bucketName(one)}: the deadline came after ${one.repeats} of ${plan.repeats} repeats.`);
  if (device.includes("simulated")) notes.push(SIMULATED);
  return shownAs({ device, source, buckets: found, summary: summaryOf(device, found), notes }, bucketsTable);
}

/** Has its own stack frame, so that what the step made is garbage when the next bucket begins. */
function* timedBucket(
  step: BucketStep,
  bucket: RecordedBucket,
  accelerator: DeviceInterface,
  plan: MeasurePlan,
): Steps<Bucket> {
  const { batch, sequence, ms: recordMs } = bucket;
  const run = () => step(batch, sequence);
  const failed = { ms: null, ratio: null, finishedMs: null, repeats: 0 };
  try {
    free(accelerator);
    const bucketCase = new BenchmarkCase(bucketName(bucket), run, accelerator, plan, { maySetUp: true });
    yield* measureInterleaved([bucketCase], plan, 0);
    const { finishedMs, repeats } = bucketCase.result();
    const ms = finishedMs.median;
    const measured = { ms, ratio: ms / recordMs, finishedMs, repeats, error: null };
    return { batch, sequence, status: "measured", recordMs, ...measured };
  } catch (thrown) {
    if (isInterruption(thrown)) throw thrown;
    const status = thrown instanceof OutOfMemoryError ? "out of memory" : "failed";
    const error =
      thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `Uncaught ${String(thrown)}`;
    return { batch, sequence, status, recordMs, ...failed, error };
  }
}

/** Frees what earlier buckets left, so that each begins with the same memory. */
function free(accelerator: DeviceInterface): void {
  accelerator.synchronize();
  collectGarbage("full");
  accelerator.synchronize();
  accelerator.emptyCache();
}
