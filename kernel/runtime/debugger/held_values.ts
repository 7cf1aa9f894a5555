// Holds values that the debugger inspects during a pause, each under a number. With the number, the adapter in the
// kernel process can ask for a value in an expression, which Stop can end, and the inspector need not copy the value.
// The values are released when the pause ends.
import { debuggerValues } from "./shown_values.ts";

const held = new Map<number, unknown>();
let count = 0;

function hold(work: () => unknown): number {
  held.set(++count, work());
  return count;
}

export const heldValues = {
  /** @returns the number of the value that the work computes */
  hold,
  /** Holds a part of a held value under a number of its own. */
  holdPart: (number: number, index: number) => hold(() => debuggerValues.part(held.get(number), index)),
  describe: (number: number) => debuggerValues.describe(held.get(number)),
  parts: (number: number) => debuggerValues.parts(held.get(number)),
  rich: (number: number) => debuggerValues.rich(held.get(number)),
  forgetHeld: () => held.clear(),
} as const;
