// Keeps slots that wait for their next tensor, and defines what a wrapper has in place of a slot that it gave up.
import { Slot } from "./wrapper.ts";

/**
 * Slots beyond this number are left to the garbage collector, because each holds half a kilobyte of the addon's memory.
 */
const MAX_WAITING = 1024;
const NONE = new Slot(0);

const waiting: Slot[] = Array.from({ length: MAX_WAITING }, () => NONE);
let count = 0;

/** Returns a slot that the addon filled before, or a new one. */
export function takeSlot(): Slot {
  if (count === 0) return new Slot(0);
  const slot = waiting[--count]!;
  // Cleared, because the list would otherwise keep the slot's next tensor alive.
  waiting[count] = NONE;
  return slot;
}

export function giveSlot(slot: Slot): void {
  if (count < MAX_WAITING) waiting[count++] = slot;
}

let disposed = NONE;

/** Returns the slot that all disposed tensors of one cell share. Its number belongs to no tensor. */
export function disposedSlot(number: number): Slot {
  if (disposed.number !== number) disposed = new Slot(number);
  return disposed;
}
