// Implements `lab.benchmark`: measures how long one function takes on the session's device or a named one.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { describe } from "../../../torch/vocabulary/arguments.ts";
import { acceleratorOf, nativeDevice } from "../../core/native_device.ts";
import { type MaybePromise, runSteps, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../core/table.ts";
import { type Benchmark, BenchmarkCase } from "./measure.ts";
import { type MeasureOptions, readPlan } from "./options.ts";
import { measureInterleaved } from "./interleave.ts";
import { benchmarkTable } from "./view.ts";

export interface BenchmarkOptions extends MeasureOptions {
  /** What the result calls it; the function's own name unless given. */
  readonly name?: string;
  /** The device whose queue is waited for; the session's unless given. */
  readonly device?: DeviceName;
}

/**
 * Times a function: warm-up, then repeats of several calls with one wait for the device, so that queue time and
 * finished time stand beside each other. The result is plain data that shows itself as a table.
 *
 *     lab.benchmark(() => a.matmul(b));
 *
 * Of a function that returns a promise the result is one too.
 *
 * @throws TypeError, RangeError for options that do not fit; DeviceMismatchError for a function that computes on another
 *   device; whatever the function throws
 */
export function benchmark<Returned>(
  run: () => Returned,
  options?: BenchmarkOptions,
): MaybePromise<Returned, Benchmark> {
  const call = "lab.benchmark";
  if (typeof run !== "function")
    throw new TypeError(
      `${call} takes a function and calls it, as lab.benchmark(() => a.matmul(b)), not ${describe(run)}.`,
    );
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
