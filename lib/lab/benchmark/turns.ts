// Repeats of several subjects in turn, so that what drifts (heat, other processes) meets all of them alike. Knows no device.
import type { Steps } from "../drive.ts";
import { seededRandom, shuffled } from "../seeded_random.ts";
import type { MeasurePlan } from "./options.ts";
import type { Subject } from "./measure.ts";

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
