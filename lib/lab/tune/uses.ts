// Finds out which knobs a training uses: makes it once under the present settings, and runs one step under observation.
import { native } from "../../torch/engine/native.ts";
import { describe, isThenable } from "../../torch/vocabulary/arguments.ts";
import { settled, type Steps } from "../core/run_steps.ts";
import type { TuneSettings } from "./settings.ts";
import {
  closeTrainings,
  choiceOf,
  type MakeTraining,
  type MakingPlan,
  type Training,
  trainingUnder,
  type TuneChoice,
} from "./training.ts";

export interface Uses {
  /** The knobs that the function has read. */
  readonly batch: boolean;
  readonly numWorkers: boolean;
  /** The knobs whose functions a step has called. */
  readonly autocast: boolean;
  readonly checkpoint: boolean;
  readonly stepIsAsync: boolean;
}

/**
 * Makes the training and runs a step of it. `isAsync`: whether the function returned a promise.
 *
 * @throws TypeError if the step does not return its loss; whatever the function or the step throws
 */
export function* observeUses(
  plan: MakingPlan,
  settings: TuneSettings,
): Steps<{ readonly uses: Uses; readonly training: Training; readonly isAsync: boolean }> {
  const used = new Set<keyof TuneChoice>();
  let isAsync = false;
  const make: MakeTraining = (choice) => {
    const made = plan.make(choice);
    isAsync = isThenable(made);
    return made;
  };
  const choice = observed(choiceOf(settings, plan.deviceKind), used);
  const training = yield* trainingUnder({ ...plan, make }, settings, choice);
  let returned: unknown;
  try {
    const batch = training.data === undefined ? undefined : yield* settled(training.data());
    returned = training.step(batch);
    requireLoss(yield* settled(returned));
  } catch (thrown) {
    yield* settled(closeTrainings([training], { failed: true }));
    throw thrown;
  }
  const uses = {
    batch: used.has("batch"),
    numWorkers: used.has("numWorkers"),
    autocast: used.has("autocast"),
    checkpoint: used.has("checkpoint"),
    stepIsAsync: isThenable(returned),
  };
  return { uses, training, isAsync };
}

/** A number counts as used when it is read, which destructuring does; a function when it is called. */
function observed(choice: TuneChoice, used: Set<keyof TuneChoice>): TuneChoice {
  return {
    get batch() {
      used.add("batch");
      return choice.batch;
    },
    get numWorkers() {
      used.add("numWorkers");
      return choice.numWorkers;
    },
    autocast(run) {
      used.add("autocast");
      return choice.autocast(run);
    },
    checkpoint(run, inputs) {
      used.add("checkpoint");
      return choice.checkpoint(run, inputs);
    },
  };
}

function requireLoss(returned: unknown): void {
  if (typeof returned === "number") return;
  if (native.isTensor(returned) && !native.isDisposed(returned) && native.numel(returned) === 1) return;
  throw new TypeError(
    `lab.tune: a step must return its loss, a number or a tensor of one element, by which results are compared, got ${describe(returned)}.`,
  );
}
