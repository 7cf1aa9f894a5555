// Declares the function that makes a training for `lab.tune`, and makes the training under one setting of the knobs.
import { autocast, type AutocastDevice } from "../../torch/amp/autocast.ts";
import { capture } from "../../torch/capture/capture.ts";
import { native } from "../../torch/engine/native.ts";
import { Module } from "../../torch/nn/module/module.ts";
import { checkpoint } from "../../torch/nn/utilities/checkpoint.ts";
import { describe } from "../../torch/vocabulary/arguments.ts";
import { settled, type Steps } from "../core/run_steps.ts";
import type { TuneSettings } from "./settings.ts";

/**
 * What the function that makes the training is given: one setting of the knobs, of which it uses those that it reads.
 */
export interface TuneChoice {
  /** Items of one step. */
  readonly batch: number;
  /** For a `data.DataLoader`. */
  readonly numWorkers: number;
  /** Wraps the forward pass and the loss: calls the function directly, or through `torch.autocast`. */
  readonly autocast: <Result>(run: () => Result) => Result;
  /** Wraps a block of layers: calls it directly, or through `torch.checkpoint`: `checkpoint(block, [x])`. */
  readonly checkpoint: <Inputs extends readonly unknown[], Result>(
    run: (...inputs: Inputs) => Result,
    inputs: readonly [...Inputs],
  ) => Result;
}

export interface Training<Batch = unknown, Loss = unknown> {
  readonly model: Module;
  /** Makes the next batch. It counts as `batch` items. */
  data?(): Batch | PromiseLike<Batch>;
  /** One whole step; returns its loss, a number or a tensor of one element. */
  step(batch: Batch): Loss;
  /** Ends what the training has started, such as a loader's workers. */
  close?(): unknown;
}

export type MakeTraining<Batch = unknown, Loss = unknown> = (
  choice: TuneChoice,
) => Training<Batch, Loss> | PromiseLike<Training<Batch, Loss>>;

/** How a setting is applied: the same for every training of one call. */
export interface MakingPlan {
  readonly make: MakeTraining;
  readonly seed: number;
  /** `cpu`, `mps`, `cuda`. */
  readonly deviceKind: string;
}

export function choiceOf(settings: TuneSettings, deviceKind: string): TuneChoice {
  const { batch, numWorkers, autocast: dtype, checkpoint: recomputes } = settings;
  return {
    batch,
    numWorkers,
    autocast: (run) =>
      dtype === "off" ? run() : autocast({ deviceType: deviceKind as AutocastDevice, dtype }, run),
    checkpoint: (run, inputs) => (recomputes ? checkpoint(run, inputs) : run(...inputs)),
  };
}

/**
 * Seeds the generators, calls the user's function, and applies the knobs that the function does not apply itself. The
 * number of threads belongs to the process, and is set by the caller that runs the steps.
 *
 * @param choice what the function is given. Default: the choice of the settings
 */
export function* trainingUnder(
  { make, seed, deviceKind }: MakingPlan,
  settings: TuneSettings,
  choice: TuneChoice = choiceOf(settings, deviceKind),
): Steps<Training> {
  native.manualSeed(seed);
  const training = requireTraining(yield* settled(make(choice)));
  if (settings.channelsLast) training.model.to({ memoryFormat: "channels_last" });
  const step = (batch: unknown) => training.step(batch);
  return {
    model: training.model,
    ...(training.data && { data: () => training.data!() }),
    step: settings.capture ? capture(step, { checkEvery: 0 }) : step,
    ...(training.close && { close: () => training.close!() }),
  };
}

/**
 * Ends trainings, each one even if ending another one throws.
 *
 * @param options.failed the work has failed: its error is the one to report, and errors of `close` are dropped
 */
export async function closeTrainings(
  trainings: readonly Training[],
  { failed }: { readonly failed: boolean },
): Promise<void> {
  const ends = await Promise.allSettled(trainings.map(async (training) => await training.close?.()));
  const thrown = ends.find(({ status }) => status === "rejected");
  if (thrown?.status === "rejected" && !failed) throw thrown.reason;
}

/** Runs work with the number of threads of the settings. */
export function* withThreads<Result>({ threads }: TuneSettings, work: Steps<Result>): Steps<Result> {
  const before = native.getNumThreads();
  if (threads !== before) native.setNumThreads(threads);
  try {
    return yield* work;
  } finally {
    if (threads !== before) native.setNumThreads(before);
  }
}

function requireTraining(made: unknown): Training {
  const training = made as Partial<Training> | null | undefined;
  if (
    training?.model instanceof Module &&
    typeof training.step === "function" &&
    [training.data, training.close].every((part) => part === undefined || typeof part === "function")
  )
    return training as Training;
  throw new TypeError(
    `lab.tune: the function must return { model, step }, a module and a function, and may return the functions data and close, got ${describe(made)}.`,
  );
}
