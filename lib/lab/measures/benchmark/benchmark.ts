// Implements `lab.benchmark`: measures how long one function takes on the session's device or a named one.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { describe } from "../../../torch/vocabulary/arguments.ts";
import { acceleratorOf, nativeDevice } from "../../core/native_device.ts";
import { type MaybePromise, requireRunnable, runSteps, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { type Benchmark, BenchmarkCase } from "./measure.ts";
import { type MeasureOptions, readPlan } from "./options.ts";
import { measureInterleaved } from "./interleave.ts";
import { benchmarkTable } from "./view.ts";

export interface BenchmarkOptions extends MeasureOptions {
  /** The name in the result. Default: the function's own name. */
  readonly name?: string;
  /** The device whose queue is waited for. Default: the session's device. */
  readonly device?: DeviceName;
}

/**
 * Times a function: warm-up, then repeats of several calls with one wait for the device, so that queue time and
 * finished time can be compared. The result is plain data that shows itself as a table.
 *
 *     lab.benchmark(() => a.matmul(b));
 *
 * If the function returns a promise, so does `lab.benchmark`.
 *
 * @throws TypeError, RangeError for options that do not fit; DeviceMismatchError for a function that computes on another
 *   device; whatever the function throws
 */
export function benchmark<Returned>(
  run: () => Returned,
  options?: BenchmarkOptions,
): MaybePromise<Returned, Benchmark> {
  const call = "lab.benchmark";
  requireRunnable(call, run, "lab.benchmark(() => a.matmul(b))");
  const { plan, rest } = readPlan(call, options, ["name", "device"]);
  const { name = run.name || "function", device } = rest;
  if (typeof name !== "string") throw new TypeError(`${call}: name must be a string, got ${describe(name)}.`);
  const accelerator = device === undefined ? nativeDevice() : acceleratorOf(device as string);
  const benchmarkCase = new BenchmarkCase(name, run, accelerator, plan);
  function* steps(): Steps<Benchmark> {
    yield* measureInterleaved([benchmarkCase], plan, 0);
    return shownAs(benchmarkCase.result(), (result) => benchmarkTable([result], null));
  }
  return runSteps(steps()) as MaybePromise<Returned, Benchmark>;
}
