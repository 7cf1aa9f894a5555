// Defines slices of a dimension, Python's `start:stop:step`. `tensor/indexing.ts` applies them to tensors.
import { tooManyArguments } from "../../surplus_arguments.ts";
import { describe } from "./arguments.ts";

/** Part of a dimension, as `start:stop:step`. Negative ends count from the end; null is an open end. */
export class Slice {
  constructor(
    readonly start: number | null,
    readonly stop: number | null,
    readonly step: number,
  ) {}

  /** `slice(null)`: all of the dimension. */
  get isWhole(): boolean {
    return (this.start === null || this.start === 0) && this.stop === null && this.step === 1;
  }
}

/** `slice(stop)`, `slice(start, stop)` or `slice(start, stop, step)`, as in Python. */
export function slice(
  ...ends: [stop: number | null] | [start: number | null, stop: number | null, step?: number]
): Slice {
  if (ends.length > 3) throw tooManyArguments("torch.slice", 3, ends.length, "start, stop, step");
  const [start, stop] = ends.length === 1 ? [null, ends[0]] : [ends[0], ends[1]];
  const step = ends[2] ?? 1;
  for (const end of [start, stop]) {
    if (end !== null && !Number.isInteger(end))
      throw new TypeError(`The ends of a slice are whole numbers or null, not ${describe(end)}.`);
  }
  if (!Number.isInteger(step) || step < 1)
    throw new RangeError(
      `The step of a slice is a whole number above 0, not ${describe(step)}; flip() reverses a tensor.`,
    );
  return new Slice(start, stop, step);
}
