// Implements `lab.compare`: measures several functions, or one on several devices, in turn in one run.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { checkInteger, describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import { requireDevice } from "../../../torch/engine/device.ts";
import { currentAccelerator } from "../../../torch/devices/accelerator/accelerator.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { runSteps, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { type Benchmark, BenchmarkCase } from "./measure.ts";
import { type MeasureOptions, type MeasurePlan, readPlan } from "./options.ts";
import { measureInterleaved } from "./interleave.ts";
import { benchmarkTable } from "./view.ts";

export interface CompareOptions extends MeasureOptions {
  /** Each function runs on each device. Default: the CPU and this machine's accelerator. */
  readonly devices?: readonly DeviceName[];
  /** Fixes the order of turns. Default: 0. */
  readonly seed?: number;
}

/**
 * Called with a device: does the work there, or sets it up there and returns the function to time. Work is set up again
 * before each of its turns, so candidates may move a shared model to their device.
 */
export type Candidate = (device: DeviceName) => unknown;

type Candidates = Candidate | Readonly<Record<string, Candidate>>;

/** The type that the work returns. For a set-up, it is the type that the returned function returns. */
type WorkOf<Given> = Given extends (...inputs: never[]) => infer Returned
  ? WorkOfSetUp<Awaited<Returned>> | Returned
  : { [Name in keyof Given]: Given[Name] extends Candidate ? WorkOf<Given[Name]> : never }[keyof Given];

type WorkOfSetUp<Made> = Made extends (...inputs: never[]) => infer Returned ? Returned : never;

/** The result of measuring functions, or the functions that they set up: a promise if any of them returns one. */
export type Measured<Given, Result> = [Extract<WorkOf<Given>, PromiseLike<unknown>>] extends [never]
  ? Result
  : Promise<Result>;

export interface Comparison {
  /** In the order in which they were given; the first one is the baseline. */
  readonly results: readonly Benchmark[];
  /** The baseline's median `finishedMs` divided by each one's: 2 is twice as fast as the baseline. */
  readonly speedups: readonly number[];
  readonly seed: number;
}

/**
 * Measures functions side by side: warm-up of all, then each once a round in a random order that the seed fixes. They may
 * return anything.
 *
 *     lab.compare((device) => {
 *       const a = torch.randn([1024, 1024], { device });
 *       return () => a.matmul(a);
 *     });
 *     lab.compare({ softmax: () => x.softmax(-1), exp: () => x.exp() }, { devices: [x.device] });
 *
 * @throws TypeError, RangeError for options and devices that do not fit; DeviceMismatchError for a function that computes
 *   on another device than it is timed on; whatever a function throws
 */
export function compare<Given extends Candidates>(
  candidates: Given,
  options?: CompareOptions,
): Measured<Given, Comparison> {
  const call = "lab.compare";
  const named = namedCandidates(call, candidates);
  const { plan, rest } = readPlan(call, options, ["devices", "seed"]);
  const seed = checkInteger(call, "seed", rest.seed ?? 0, 0);
  const devices = readDevices(call, rest.devices);
  return runSteps(comparison(named, devices, plan, seed)) as Measured<Given, Comparison>;
}

function* comparison(
  named: readonly (readonly [string, Candidate])[],
  devices: readonly DeviceName[],
  plan: MeasurePlan,
  seed: number,
): Steps<Comparison> {
  const cases = named.flatMap(([name, candidate]) =>
    devices.map(
      (device) =>
        new BenchmarkCase(name, () => candidate(device), acceleratorOf(device), plan, { maySetUp: true }),
    ),
  );
  yield* measureInterleaved(cases, plan, seed);
  const results = cases.map((benchmarkCase) => benchmarkCase.result());
  const baselineMs = results[0]!.finishedMs.median;
  const speedups = results.map(({ finishedMs }) => baselineMs / finishedMs.median);
  return shownAs({ results, speedups, seed }, (found) => benchmarkTable(found.results, found.speedups));
}

function namedCandidates(call: string, given: Candidates): [string, Candidate][] {
  if (typeof given === "function") return [[given.name || "function", given]];
  const entries = isRecord(given) ? Object.entries(given) : [];
  const wrong = entries.find(([, candidate]) => typeof candidate !== "function");
  if (entries.length === 0 || wrong !== undefined) {
    const got = wrong === undefined ? `not ${describe(given)}` : `but ${wrong[0]} is ${describe(wrong[1])}`;
    throw new TypeError(
      `${call} takes a function of a device, or functions by name as { matmul: ..., add: ... }, ${got}.`,
    );
  }
  return entries;
}

function readDevices(call: string, given: unknown): DeviceName[] {
  if (given === undefined) {
    const accelerator = currentAccelerator();
    return accelerator === null ? ["cpu"] : ["cpu", accelerator];
  }
  if (!Array.isArray(given) || given.length === 0)
    throw new TypeError(`${call}: devices must be a list such as ["cpu", "mps"], got ${describe(given)}.`);
  for (const device of given) requireDevice(device as string);
  return given as DeviceName[];
}
