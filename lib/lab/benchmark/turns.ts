// Repeats of several subjects in turn, so that what drifts (heat, other processes) meets all of them alike. Knows no device.
import type { Steps } from "../drive.ts";
import type { MeasurePlan } from "./options.ts";
import type { Subject } from "./measure.ts";

/** Numbers in [0, 1) that a seed fixes: mulberry32. Its own, so that a user's generators stay where they are. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A new order of the same values: Fisher and Yates. */
export function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/** Warms all of them up, then measures each once a round, every round in another order. */
export function* takeTurns(subjects: readonly Subject[], plan: MeasurePlan, seed: number): Steps<void> {
  for (const subject of subjects) yield* subject.warmUp();
  const random = seededRandom(seed);
  const beganMs = performance.now();
  for (let round = 0; round < plan.repeats; round++) {
    for (const subject of shuffled(subjects, random)) yield* subject.repeat();
    if (performance.now() - beganMs > plan.deadlineMs * subjects.length) return;
  }
}
