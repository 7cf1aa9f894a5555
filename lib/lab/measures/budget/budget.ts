// Implements `lab.budget`: predicts the memory of a training step before it runs. Parameters, gradients and optimizer
// state are counted. Activations and workspaces are extrapolated linearly from two small steps on the CPU.
import type { DType } from "../../../torch/vocabulary/dtype.ts";
import { checkInteger, describe } from "../../../torch/vocabulary/arguments.ts";
import { native } from "../../../torch/engine/native.ts";
import { torchFunctions } from "../../../torch/tensor/operators.ts";
import type { Module } from "../../../torch/nn/module/module.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { runSteps, type MaybePromise, settled, type Steps } from "../../core/run_steps.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { type BudgetOptions, type BudgetPlan, type BudgetSubject, readBudgetOptions } from "./options.ts";
import { type Part, PARTS, type Probe, probePeaks, probeSaved } from "./probe.ts";
import type { Budget, ScaledBudget } from "./result.ts";
import { budgetTable } from "./view.ts";

/**
 * Returns the bytes of a shape and dtype, or the memory of a whole training step of a model.
 *
 *     lab.budget([512, 784], "float16"); // 802816
 *     lab.budget({ batch: 512, build: () => ({ model, optimizer, step: (batch) => train(model, batch) }) });
 *
 * @throws TypeError, RangeError for shapes and options that do not fit; whatever build or step throws
 */
export function budget(shape: readonly number[], dtype?: DType): number;
export function budget(options: BudgetOptions): MaybePromise<ReturnType<BudgetSubject["step"]>, Budget>;
export function budget(given: readonly number[] | BudgetOptions, dtype: DType = "float32"): unknown {
  if (Array.isArray(given)) return bytesOf(given as readonly number[], dtype);
  if (typeof given !== "object" || given === null)
    throw new TypeError(`lab.budget takes a shape and a dtype, or { build, batch }, not ${describe(given)}.`);
  return runSteps(estimated(readBudgetOptions(given as BudgetOptions)));
}

function bytesOf(shape: readonly number[], dtype: DType): number {
  const sizes = shape.map((size, at) => checkInteger("lab.budget", `shape[${at}]`, size, 0));
  // The tensor is created on the meta device, which allocates no memory, so that any size can be asked for.
  const element = torchFunctions.empty([1], { dtype, device: "meta" });
  return sizes.reduce((product, size) => product * size, element.itemsize);
}

const total = (tensors: Iterable<Tensor>) => {
  let bytes = 0;
  for (const tensor of tensors) bytes += native.storage(tensor).bytes;
  return bytes;
};

function* estimated(plan: BudgetPlan): Steps<Budget> {
  const { batch, sequence, probes } = plan;
  const subject = plan.build();
  if (typeof subject?.step !== "function" || subject.model === undefined)
    throw new TypeError(
      `lab.budget: build must return { model, optimizer, step }, got ${describe(subject)}.`,
    );
  const { model } = subject;
  const run =
    (probe: number, length = sequence) =>
    () =>
      subject.step(probe, length);

  // The first step allocates the optimizer's state and the gradients; the second one is like all later ones.
  yield* settled(run(probes[0])());
  const parameters = total(model.parameters());
  const state = [...(subject.optimizer?.state.values() ?? [])].flatMap((entry) =>
    Object.values(entry).filter(native.isTensor),
  );
  const gradients = model.parameters().flatMap((parameter) => native.grad(parameter) ?? []);
  const fixed = {
    parameterBytes: parameters,
    bufferBytes: total(model.buffers()),
    gradientBytes: total(gradients),
    optimizerBytes: total(state),
  };
  const peaks = yield* probesOf(model, probes, (probe) => run(probe));
  const saved: Map<string, number>[] = [];
  for (const probe of probes) saved.push(yield* probeSaved(model, run(probe)));
  const at = (wished: number) => peakAt(peaks, probes, wished);
  // The probes start without gradients.
  const fixedBytes = fixed.parameterBytes + fixed.bufferBytes + fixed.optimizerBytes;
  const { part, bytes } = at(batch);
  const layers = [...saved[1]!.keys()]
    .map((layer) => ({
      layer,
      savedBytes: onLine(probes, [saved[0]!.get(layer) ?? 0, saved[1]!.get(layer)!], batch),
    }))
    .toSorted((a, b) => b.savedBytes - a.savedBytes);
  const activationBytes = layers.reduce((sum, { savedBytes }) => sum + savedBytes, 0);
  const scaling: ScaledBudget[] = [batch / 2, batch, 2 * batch]
    .filter(Number.isInteger)
    .map((other) => ({ batch: other, sequence: sequence ?? null, peakBytes: fixedBytes + at(other).bytes }));
  if (sequence !== undefined && sequence >= 4)
    scaling.push(...(yield* alongSequence(plan, model, sequence, run, peaks, fixedBytes)));
  return shownAs(
    {
      batch,
      sequence: sequence ?? null,
      ...fixed,
      activationBytes,
      workspaceBytes: Math.max(0, bytes - activationBytes - (part === "forward" ? 0 : fixed.gradientBytes)),
      peakBytes: fixedBytes + bytes,
      peakIn: part,
      layers,
      scaling,
      probes,
    },
    budgetTable,
  );
}

function* probesOf(
  model: Module,
  probes: readonly [number, number],
  run: (probe: number) => () => unknown,
): Steps<[Probe, Probe]> {
  return [yield* probePeaks(model, run(probes[0])), yield* probePeaks(model, run(probes[1]))];
}

/** Extrapolates on the line through the two probes. */
function onLine(
  [small, large]: readonly [number, number],
  [low, high]: readonly [number, number],
  wished: number,
): number {
  return Math.max(0, Math.round(low + ((high - low) / (large - small)) * (wished - small)));
}

/** Each part of a step is extrapolated on its own line; the highest of them is the peak. */
function peakAt(
  [low, high]: readonly [Probe, Probe],
  probes: readonly [number, number],
  wished: number,
): { part: Part; bytes: number } {
  return PARTS.map((part) => ({
    part,
    bytes: onLine(probes, [low.peakBytes[part], high.peakBytes[part]], wished),
  })).reduce((max, one) => (one.bytes > max.bytes ? one : max));
}

/**
 * The memory of attention grows with the square of the sequence length. Extrapolates by a parabola through three
 * lengths, each of which is first extrapolated over the batch.
 */
function* alongSequence(
  { batch, probes }: BudgetPlan,
  model: Module,
  sequence: number,
  run: (probe: number, length?: number) => () => unknown,
  atFullLength: readonly [Probe, Probe],
  fixedBytes: number,
): Steps<ScaledBudget[]> {
  const lengths = [Math.floor(sequence / 4), Math.floor(sequence / 2), sequence] as const;
  const found: (readonly [Probe, Probe])[] = [];
  for (const length of lengths.slice(0, 2))
    found.push(yield* probesOf(model, probes, (probe) => run(probe, length)));
  found.push(atFullLength);
  // The parts of a step grow differently, so each has a parabola of its own.
  const bytesAt = (part: Part, length: number) => {
    const through = found.map(([low, high]) =>
      onLine(probes, [low.peakBytes[part], high.peakBytes[part]], batch),
    );
    return Math.round(onParabola(lengths, through as [number, number, number], length));
  };
  return [lengths[1], 2 * sequence].map((length) => ({
    batch,
    sequence: length,
    peakBytes: fixedBytes + Math.max(...PARTS.map((part) => bytesAt(part, length))),
  }));
}

/** Lagrange's interpolation polynomial. */
function onParabola(
  xs: readonly [number, number, number],
  ys: readonly [number, number, number],
  x: number,
): number {
  return ys.reduce(
    (sum, y, i) =>
      sum + xs.reduce((term, other, j) => (i === j ? term : (term * (x - other)) / (xs[i]! - other)), y),
    0,
  );
}
