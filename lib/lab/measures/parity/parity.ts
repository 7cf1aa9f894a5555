// Implements `lab.parity`: runs the same training steps on two devices, or compares one with a record of another
// machine. It reports how far losses, gradients, weights and statistics are apart, by group and worst tensor.
import type { DType } from "../../../torch/vocabulary/dtype.ts";
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import {
  checkInteger,
  checkOptions,
  describe,
  isRecord,
  isThenable,
} from "../../../torch/vocabulary/arguments.ts";
import { currentAccelerator } from "../../../torch/devices/accelerator/accelerator.ts";
import { native } from "../../../torch/engine/native.ts";
import { Module } from "../../../torch/nn/module/module.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { type MaybePromise, runSteps, settled, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { type Drawn, GeneratorWatch, notesOn } from "./generators.ts";
import { drawOnHost } from "./host_draws.ts";
import { deltaOf, type TensorDelta, tensorsOf } from "./tensors.ts";
import { FACTORS, GROUPS, type ParityGroup, type Tolerance, TOLERANCES } from "./tolerance.ts";
import type { GroupDelta, Parity, ValueDelta } from "./result.ts";
import { parityTable } from "./view.ts";

export interface ParitySubject<Loss = unknown> {
  readonly model: Module;
  /** One training step; returns its loss, a number or a tensor of one element. */
  step(): Loss;
  /** Metrics that matter to the product, after the last step: `{ accuracy: 0.91 }`. They are compared as losses are. */
  metrics?(): Readonly<Record<string, number>>;
}

/** The results of another machine. */
export interface ParityRecord {
  /** `A100, CUDA 12.8, torch 2.15`. */
  readonly source: string;
  readonly losses: readonly number[];
  readonly metrics?: Readonly<Record<string, number>>;
}

export interface ParityOptions<Loss = unknown> {
  /**
   * Makes the model and its data on a device. It is called after the generators were seeded, with the same seed each
   * time. Its random numbers are drawn on the CPU and moved, so that they are equal on every device.
   */
  readonly build: (device: DeviceName) => ParitySubject<Loss>;
  /** The device to check, then the one that it is compared with. Default: the accelerator and the CPU. */
  readonly devices?: readonly [DeviceName, DeviceName] | readonly [DeviceName];
  /** Steps on each device. Default: 5. */
  readonly steps?: number;
  /** Seeds all generators before each build. Default: 0. */
  readonly seed?: number;
  /** Record of another device or session, to compare with. Default: none, and both devices are of this session. */
  readonly record?: ParityRecord;
  /** Replaces PyTorch's tolerances, by dtype. Default: PyTorch's. */
  readonly tolerances?: Partial<Readonly<Record<DType, Tolerance>>>;
  /** Replaces the groups' own factors. Default: the groups' own. */
  readonly factors?: Partial<Readonly<Record<ParityGroup, number>>>;
}

/**
 * Trains the same model on two devices from the same weights and compares what came out.
 *
 *     lab.parity({ build: (device) => ({ model, step: () => trainStep(model, device) }), devices: ["mps", "cpu"] });
 *
 * @throws TypeError, RangeError for options that do not fit, models that differ; whatever build or step throws
 */
export function parity<Loss>(options: ParityOptions<Loss>): MaybePromise<Loss, Parity> {
  const call = "lab.parity";
  const given = checkOptions<ParityOptions<Loss>>(call, options, [
    "build",
    "devices",
    "steps",
    "seed",
    "record",
    "tolerances",
    "factors",
  ]);
  const { build, record = null } = given;
  if (typeof build !== "function")
    throw new TypeError(
      `${call}: build must be a function of a device that returns { model, step }, got ${describe(build)}.`,
    );
  const devices = given.devices ?? [
    currentAccelerator() ?? "cpu",
    ...(record === null ? ["cpu" as const] : []),
  ];
  if (!Array.isArray(devices) || devices.length < 1 || devices.length > 2)
    throw new TypeError(`${call}: devices must be one or two, as ["mps", "cpu"], got ${describe(devices)}.`);
  for (const device of devices) acceleratorOf(String(device));
  if (devices.length === 1 && record === null)
    throw new TypeError(`${call}: one device is compared with a record; give one, or two devices.`);
  if (record !== null && !Array.isArray(record.losses))
    throw new TypeError(`${call}: record.losses must be a list of numbers, got ${describe(record.losses)}.`);
  const steps = checkInteger(call, "steps", given.steps ?? 5, 1);
  const seed = checkInteger(call, "seed", given.seed ?? 0, 0);
  for (const name of ["tolerances", "factors"] as const)
    if (given[name] !== undefined && !isRecord(given[name]))
      throw new TypeError(`${call}: ${name} must be an object by name, got ${describe(given[name])}.`);
  const tolerances = { ...TOLERANCES, ...given.tolerances };
  const factors = { ...FACTORS, ...given.factors };
  return runSteps(
    compared(
      build as ParityOptions["build"],
      devices as DeviceName[],
      steps,
      seed,
      record,
      tolerances,
      factors,
    ),
  ) as MaybePromise<Loss, Parity>;
}

interface Trained extends Drawn {
  readonly subject: ParitySubject;
  readonly losses: number[];
  readonly metrics: Readonly<Record<string, number>>;
}

function* compared(
  build: ParityOptions["build"],
  devices: readonly DeviceName[],
  steps: number,
  seed: number,
  record: ParityRecord | null,
  tolerances: Partial<Readonly<Record<DType, Tolerance>>>,
  factors: Readonly<Record<ParityGroup, number>>,
): Steps<Parity> {
  const trained: Trained[] = [];
  const [first, second] = devices as [DeviceName, DeviceName?];
  let start: ReturnType<Module["stateDict"]> | null = null;
  for (const device of devices) {
    native.manualSeed(seed);
    const generator = new GeneratorWatch(device);
    const stopDrawingOnHost = drawOnHost();
    let made: unknown;
    try {
      made = yield* settled(build(device));
    } finally {
      stopDrawingOnHost();
    }
    const subject = requireSubject(made);
    const buildDrew = generator.hasMoved();
    // Weights that do not come from a generator may differ too, so the first model's weights are copied into the
    // second.
    if (start === null) start = copied(subject.model);
    else subject.model.loadStateDict(start);
    native.manualSeed(seed);
    const losses: number[] = [];
    generator.restart();
    for (let step = 0; step < steps; step++) losses.push(lossOf(yield* settled(subject.step())));
    const stepsDrew = generator.hasMoved();
    native.manualSeed(seed);
    trained.push({ device, subject, losses, metrics: metricsOf(subject), buildDrew, stepsDrew });
  }
  const [one, other] = trained as [Trained, Trained?];
  const lossTolerance = tolerances.float32 ?? TOLERANCES.float32!;
  const beside = (name: string, value: number | undefined, there: number | undefined): ValueDelta =>
    valueDelta(name, value, there, lossTolerance, factors.reductions);
  const tensors = other === undefined ? [] : tensorDeltas(one, other, tolerances, factors);
  const lossesBeside = (there: readonly number[]) =>
    one.losses.map((loss, at) => beside(`loss of step ${at + 1}`, loss, there[at]));
  // A metric that only one side has counts as a difference.
  const metricsBeside = (there: Readonly<Record<string, number>>) =>
    [...new Set([...Object.keys(one.metrics), ...Object.keys(there)])].map((name) =>
      beside(name, one.metrics[name], there[name]),
    );
  const losses = other === undefined ? [] : lossesBeside(other.losses);
  const metrics = other === undefined ? [] : metricsBeside(other.metrics);
  const deltas =
    record === null ? [] : [...lossesBeside(record.losses), ...metricsBeside(record.metrics ?? {})];
  const groups = groupsOf(tensors);
  return shownAs(
    {
      device: acceleratorOf(first).label,
      comparedWith: second === undefined ? null : acceleratorOf(second).label,
      steps,
      seed,
      groups,
      tensors,
      losses,
      metrics,
      record: record === null ? null : { source: String(record.source), deltas },
      notes: notesOn(trained),
      within: [...groups, ...losses, ...metrics, ...deltas].every(({ within }) => within),
    },
    parityTable,
  );
}

function requireSubject(made: unknown): ParitySubject {
  const subject = made as Partial<ParitySubject> | null | undefined;
  if (!(subject?.model instanceof Module) || typeof subject.step !== "function")
    throw new TypeError(
      `lab.parity: build must return { model, step }, a module and a function, got ${describe(made)}.`,
    );
  return subject as ParitySubject;
}

function copied(model: Module): ReturnType<Module["stateDict"]> {
  return Object.fromEntries(
    Object.entries(model.stateDict()).map(([name, tensor]) => [name, tensor.detach().clone()]),
  ) as ReturnType<Module["stateDict"]>;
}

function metricsOf(subject: ParitySubject): Readonly<Record<string, number>> {
  const metrics: unknown = subject.metrics?.() ?? {};
  const values = isRecord(metrics) && !isThenable(metrics) ? Object.entries(metrics) : null;
  const other = values?.find(([, value]) => typeof value !== "number");
  if (values !== null && other === undefined) return metrics as Readonly<Record<string, number>>;
  const got = other === undefined ? describe(metrics) : `${other[0]}: ${describe(other[1])}`;
  throw new TypeError(`lab.parity: metrics must return numbers by name, as { accuracy: 0.91 }, got ${got}.`);
}

function lossOf(returned: unknown): number {
  const value = native.isTensor(returned) && native.numel(returned) === 1 ? native.item(returned) : returned;
  if (typeof value === "number") return value;
  throw new TypeError(
    `lab.parity: a step must return its loss, a number or a tensor of one element, got ${describe(returned)}.`,
  );
}

function tensorDeltas(
  one: Trained,
  other: Trained,
  tolerances: Partial<Readonly<Record<DType, Tolerance>>>,
  factors: Readonly<Record<ParityGroup, number>>,
): TensorDelta[] {
  const there = new Map(tensorsOf(other.subject.model).map(({ name, tensor }) => [name, tensor]));
  const deltas = tensorsOf(one.subject.model).map((named) => {
    const counterpart = there.get(named.name);
    if (counterpart === undefined || String(native.shape(counterpart)) !== String(native.shape(named.tensor)))
      throw new RangeError(
        `lab.parity: ${named.name} is not the same tensor on both devices: build the same model on each.`,
      );
    // Counts and masks must be equal.
    const tolerance = tolerances[native.dtype(named.tensor)] ?? { relative: 0, absolute: Number.MIN_VALUE };
    return deltaOf(named, counterpart, tolerance, factors[named.group]);
  });
  const use = ({ tolerances: used }: TensorDelta) => used ?? Infinity;
  return deltas.toSorted((a, b) => use(b) - use(a));
}

function groupsOf(tensors: readonly TensorDelta[]): GroupDelta[] {
  return GROUPS.flatMap((group) => {
    const members = tensors.filter((tensor) => tensor.group === group);
    const [worst] = members;
    if (worst === undefined) return [];
    const within = worst.tolerances !== null && worst.tolerances <= 1;
    return [{ group, tensors: members.length, worst, within }];
  });
}

function valueDelta(
  name: string,
  value: number | undefined,
  other: number | undefined,
  { relative, absolute }: Tolerance,
  factor: number,
): ValueDelta {
  const finite = (number: number | undefined) =>
    number !== undefined && Number.isFinite(number) ? number : null;
  const [here, there] = [finite(value), finite(other)];
  const delta = here === null || there === null ? null : here - there;
  const within = delta !== null && Math.abs(delta) <= factor * (absolute + relative * Math.abs(there!));
  return { name, value: here, other: there, delta, within };
}
