// Notes how the steps of a training compute: under autocast, with checkpoints, with gradients accumulated over several
// backward passes, and with which optimizers. For the logbook. Holds counts and texts and imports nothing, so that neither
// side depends on the other.

/** What was noticed; null if no step shows it. */
export interface StepStrategy {
  /** `float16`, `bfloat16`, both separated by a comma, or `off`. */
  readonly amp: string | null;
  readonly checkpointing: boolean | null;
  /** The number of backward passes before a step of the optimizer, as in most steps. */
  readonly accumulationSteps: number | null;
  /** `{ optimizer: "AdamW", lr: "0.001" }`, as at its first step; of a second one `"2.optimizer"` and so on. */
  readonly optimizer: Readonly<Record<string, string>> | null;
}

let backwards = 0;
let sinceStep = 0;
let checkpoints = 0;
let dtypes = new Set<string>();
let passesOfSteps = new Map<number, number>();
let seen = new WeakSet<object>();
let optimizers: Readonly<Record<string, string>>[] = [];
let ended = false;

/** A training has few; more are made anew in a loop. */
const MAX_OPTIMIZERS = 8;

/** Forgets what was noted: an epoch loop begins. */
export function beginStrategy(): void {
  backwards = sinceStep = checkpoints = 0;
  dtypes = new Set();
  passesOfSteps = new Map();
  seen = new WeakSet();
  optimizers = [];
  ended = false;
}

/** Code after the loop, such as an evaluation, is not part of it. */
export function endStrategy(): void {
  ended = true;
}

export function noteBackward(): void {
  if (ended) return;
  backwards++;
  sinceStep++;
}

export function noteAutocast(dtype: string): void {
  if (!ended) dtypes.add(dtype);
}

export function noteCheckpoint(): void {
  if (!ended) checkpoints++;
}

/**
 * A second optimizer that steps after the same backward passes does not change their number.
 *
 * @param hyperparametersOf is called at the first step only
 */
export function noteOptimizerStep<Optimizer extends object>(
  optimizer: Optimizer,
  hyperparametersOf: (optimizer: Optimizer) => Readonly<Record<string, string>>,
): void {
  if (ended) return;
  if (!seen.has(optimizer) && optimizers.length < MAX_OPTIMIZERS) {
    seen.add(optimizer);
    optimizers.push(hyperparametersOf(optimizer));
  }
  if (sinceStep === 0) return;
  passesOfSteps.set(sinceStep, (passesOfSteps.get(sinceStep) ?? 0) + 1);
  sinceStep = 0;
}

export function stepStrategy(): StepStrategy {
  if (backwards === 0) return { amp: null, checkpointing: null, accumulationSteps: null, optimizer: null };
  const [commonest] = [...passesOfSteps].toSorted((a, b) => b[1] - a[1]);
  return {
    amp: [...dtypes].toSorted().join(", ") || "off",
    checkpointing: checkpoints > 0,
    accumulationSteps: commonest?.[0] ?? null,
    optimizer:
      optimizers.length === 0
        ? null
        : Object.fromEntries(
            optimizers.flatMap((texts, at) =>
              Object.entries(texts).map(([name, text]) => [at === 0 ? name : `${at + 1}.${name}`, text]),
            ),
          ),
  };
}
