// Keeps slots that wait for their next tensor, and defines what a wrapper has in place of a slot that it gave up.
import { Slot } from "./wrapper.ts";

/** More are left to the collector: each holds half a kilobyte of the addon's. */
const MOST = 1024;
const NONE = new Slot(0);

const waiting: Slot[] = Array.from({ length: MOST }, () => NONE);
let count = 0;

/** One that the addon has filled before, or a fresh one. */
export function takeSlot(): Slot {
  if (count === 0) return new Slot(0);
  const slot = waiting[--count]!;
  // Or the list would keep its next tensor alive.
  waiting[count] = NONE;
  return slot;
}

export function giveSlot(slot: Slot): void {
  if (count < MOST) waiting[count++] = slot;
}

let disposed = NONE;

/** What all wrappers of disposed tensors from one cell have: a number that is of no tensor any more. */
export function disposedSlot(number: number): Slot {
  if (disposed.number !== number) disposed = new Slot(number);
  return disposed;
}
