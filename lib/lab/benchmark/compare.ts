// `lab.compare`: several functions, or one on several devices, measured in turn in one run.
import { checkInteger, describe } from "../../torch/arguments.ts";
import type { DeviceName } from "../../torch/native.ts";
import { currentAccelerator as acceleratorHere } from "../../torch/accelerator.ts";
import { acceleratorOf } from "../current_accelerator.ts";
import { drive, type Driven, settled, type Steps } from "../drive.ts";
import { shownAs } from "../table.ts";
import { type Benchmark, Subject } from "./measure.ts";
import { type MeasureOptions, type MeasurePlan, readPlan } from "./options.ts";
import { takeTurns } from "./turns.ts";
import { benchmarkTable } from "./view.ts";

export interface CompareOptions extends MeasureOptions {
  /** Each function runs on each of them; the CPU and this machine's accelerator unless given. */
  readonly devices?: readonly DeviceName[];
  /** Fixes the order of turns; 0 unless given. */
  readonly seed?: number;
}

/** Called with a device: does the work there, or sets it up there and returns what is to be timed. */
export type Contender<Returned = unknown> = (device: DeviceName) => Returned | (() => Returned);

export interface Comparison {
  /** The first one is the baseline. */
  readonly results: readonly Benchmark[];
  /** `finishedMs` of the baseline by that of each, medians: 2 is twice as fast as the baseline. */
  readonly speedups: readonly number[];
  readonly seed: number;
}

/**
 * Measures functions side by side: warm-up of all, then each once a round in a random order that the seed fixes.
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
export function compare<Returned>(
  contenders: Contender<Returned> | Readonly<Record<string, Contender<Returned>>>,
  options?: CompareOptions,
): Driven<Returned, Comparison> {
  const call = "lab.compare";
  const named = namedContenders(call, contenders as Contender | Readonly<Record<string, Contender>>);
  const { plan, rest } = readPlan(call, options, ["devices", "seed"]);
  const seed = checkInteger(call, "seed", rest.seed ?? 0, 0);
  const devices = readDevices(call, rest.devices);
  return drive(comparison(named, devices, plan, seed)) as Driven<Returned, Comparison>;
}

function* comparison(
  named: readonly (readonly [string, Contender])[],
  devices: readonly DeviceName[],
  plan: MeasurePlan,
  seed: number,
): Steps<Comparison> {
  const subjects: Subject[] = [];
  for (const [name, contender] of named) {
    for (const device of devices) {
      // What it gives when it is called first says which of the two it is; that call is a warm-up like another.
      const made = yield* settled(contender(device));
      const run = typeof made === "function" ? (made as () => unknown) : () => contender(device);
      subjects.push(new Subject(name, run, acceleratorOf(device), plan));
    }
  }
  yield* takeTurns(subjects, plan, seed);
  const results = subjects.map((subject) => subject.result());
  const baselineMs = results[0]!.finishedMs.median;
  const speedups = results.map(({ finishedMs }) => baselineMs / finishedMs.median);
  return shownAs({ results, speedups, seed }, (found) => benchmarkTable(found.results, found.speedups));
}

function namedContenders(
  call: string,
  given: Contender | Readonly<Record<string, Contender>>,
): [string, Contender][] {
  if (typeof given === "function") return [[given.name || "function", given]];
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  const wrong = entries.find(([, contender]) => typeof contender !== "function");
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
    const accelerator = acceleratorHere();
    return accelerator === null ? ["cpu"] : ["cpu", accelerator];
  }
  if (!Array.isArray(given) || given.length === 0)
    throw new TypeError(`${call}: devices must be a list such as ["cpu", "mps"], got ${describe(given)}.`);
  for (const device of given) acceleratorOf(device as string);
  return given as DeviceName[];
}
