// Values that the debugger looks at during a pause, each under a number: the adapter in the kernel process asks for them in
// expressions only, which Stop can end, and the inspector copies none. They are let go when the pause ends.
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
  /** A part of a value becomes a value. */
  holdPart: (number: number, index: number) => hold(() => debuggerValues.part(held.get(number), index)),
  describe: (number: number) => debuggerValues.describe(held.get(number)),
  parts: (number: number) => debuggerValues.parts(held.get(number)),
  rich: (number: number) => debuggerValues.rich(held.get(number)),
  forgetHeld: () => held.clear(),
} as const;
