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

/** What the steps since the last run's record, or since the epoch loop began, have shown. */
interface Noted {
  backwards: number;
  sinceStep: number;
  checkpoints: number;
  readonly dtypes: Set<string>;
  readonly passesOfSteps: Map<number, number>;
  readonly seen: WeakSet<object>;
  readonly optimizers: Readonly<Record<string, string>>[];
}

const nothing = (): Noted => ({
  backwards: 0,
  sinceStep: 0,
  checkpoints: 0,
  dtypes: new Set(),
  passesOfSteps: new Map(),
  seen: new WeakSet(),
  optimizers: [],
});

let noted = nothing();
/** The steps of the run that was recorded last: a second record of it, after no other step, says the same. */
let recorded = nothing();
let ended = false;

/** A training has few; more are made anew in a loop. */
const MAX_OPTIMIZERS = 8;

/** Forgets what was noted: an epoch loop begins. */
export function beginStrategy(): void {
  noted = nothing();
  recorded = nothing();
  ended = false;
}

/** Code after the loop, such as an evaluation, is not part of it. */
export function endStrategy(): void {
  ended = true;
}

/** A run was recorded: the steps that follow are another run's, as those of the next point of a sweep. */
export function strategyRecorded(): void {
  recorded = shown();
  noted = nothing();
  ended = false;
}

const shown = (): Noted => (noted.backwards > 0 ? noted : recorded);

export function noteBackward(): void {
  if (ended) return;
  noted.backwards++;
  noted.sinceStep++;
}

export function noteAutocast(dtype: string): void {
  if (!ended) noted.dtypes.add(dtype);
}

export function noteCheckpoint(): void {
  if (!ended) noted.checkpoints++;
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
  const { seen, optimizers, passesOfSteps, sinceStep } = noted;
  if (!seen.has(optimizer) && optimizers.length < MAX_OPTIMIZERS) {
    seen.add(optimizer);
    optimizers.push(hyperparametersOf(optimizer));
  }
  if (sinceStep === 0) return;
  passesOfSteps.set(sinceStep, (passesOfSteps.get(sinceStep) ?? 0) + 1);
  noted.sinceStep = 0;
}

export function stepStrategy(): StepStrategy {
  const { backwards, checkpoints, dtypes, passesOfSteps, optimizers } = shown();
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
