// Reports optimizer steps that a GradScaler skipped to listeners such as the ledger. Imports nothing, so that neither
// side depends on the other.

/** Steps left out because a gradient was infinite or NaN: half precision overflowed, or the loss did. */
export interface SkippedSteps {
  /** The optimizer's class. */
  readonly optimizer: string;
  /** How many steps: 1, except for a captured step, whose skips the device counts until the host asks. */
  readonly steps: number;
  /** The loss scale at the last of them; the next `update()` lowers it. */
  readonly scale: number;
}

/** A scaler whose skipped steps are counted on the device. */
interface Counts {
  /** Reports what was counted since the last call. Waits for the device. */
  tellSkippedSteps(): void;
}

type Observer = (steps: SkippedSteps) => void;

const observers: Observer[] = [];
let counting: WeakRef<Counts>[] = [];

export function observeSkippedSteps(observer: Observer): void {
  observers.push(observer);
}

export function noteSkippedSteps(steps: SkippedSteps): void {
  for (const observer of observers) observer(steps);
}

/** Asks the scaler at each `tellCountedSteps` from now on. */
export function askLater(scaler: Counts): void {
  counting.push(new WeakRef(scaler));
}

/** Lets every scaler that counts on the device report what it has. */
export function tellCountedSteps(): void {
  counting = counting.filter((scaler) => scaler.deref() !== undefined);
  for (const scaler of counting) scaler.deref()?.tellSkippedSteps();
}
