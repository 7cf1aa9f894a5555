// Decides which knobs are tried on a training, and which values are tried beside the present one.
import { availableParallelism } from "node:os";
import type { AutocastDType } from "../../torch/amp/autocast.ts";
import type { KnobValue, TuneKnob, TuneSettings } from "./settings.ts";
import type { Training } from "./training.ts";
import type { Uses } from "./uses.ts";

/** Values that the options name, in place of those for this machine. */
export interface WishedValues {
  readonly threads: readonly number[] | null;
  readonly numWorkers: readonly number[] | null;
  readonly autocast: readonly AutocastDType[];
}

/** The values to try for each knob except the batch, whose values are found by a search. */
export function triedValues(
  knob: Exclude<TuneKnob, "batch">,
  present: TuneSettings,
  wished: WishedValues,
  processors = availableParallelism(),
): KnobValue[] {
  const values: Readonly<Record<Exclude<TuneKnob, "batch">, readonly KnobValue[]>> = {
    threads: wished.threads ?? [1, Math.ceil(processors / 2), processors],
    channelsLast: [true],
    autocast: wished.autocast,
    numWorkers: wished.numWorkers ?? [1, 2, 4].filter((workers) => workers <= processors),
    checkpoint: [true],
    capture: [true],
  };
  return [...new Set(values[knob])].filter((value) => value !== present[knob]);
}

/**
 * Returns why a knob has no effect on this training, and what would change that; null if the knob is tried.
 *
 * @param deviceKind `cpu`, `mps`, `cuda`
 */
export function reasonAgainst(
  knob: TuneKnob,
  deviceKind: string,
  uses: Uses,
  training: Pick<Training, "model">,
): string | null {
  const unused = (way: string) => `The function that makes the training does not use it: ${way}.`;
  switch (knob) {
    case "threads":
      return deviceKind === "cpu"
        ? null
        : `The step computes on ${deviceKind}, and these threads are the processor's.`;
    case "channelsLast":
      return training.model.parameters().some((parameter) => parameter.shape.length === 4)
        ? null
        : "The model has no weight of four dimensions, as a Conv2d has.";
    case "autocast":
      return uses.autocast ? null : unused("put autocast(() => ...) around the forward pass and the loss");
    case "batch":
      return uses.batch ? null : unused("make data of batch items");
    case "numWorkers":
      return uses.numWorkers ? null : unused("give numWorkers to a data.DataLoader");
    case "checkpoint":
      return uses.checkpoint ? null : unused("call a block of layers by checkpoint(block, [x])");
    case "capture":
      return uses.stepIsAsync ? "The step returns a promise, which a replay could not repeat." : null;
  }
}
