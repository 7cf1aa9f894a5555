// Reports optimizer steps that a GradScaler skipped to listeners, such as the ledger. Imports nothing, so that
// neither side depends on the other.

/** A step left out because a gradient was infinite or NaN: half precision overflowed, or the loss did. */
export interface SkippedStep {
  /** The optimizer's class. */
  readonly optimizer: string;
  /** The factor of the loss; the next `update()` lowers it. */
  readonly scale: number;
}

type Observer = (step: SkippedStep) => void;

const observers: Observer[] = [];

export function observeSkippedSteps(observer: Observer): void {
  observers.push(observer);
}

export function noteSkippedStep(step: SkippedStep): void {
  for (const observer of observers) observer(step);
}
