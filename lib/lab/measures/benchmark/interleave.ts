// Repeats of several subjects in turn, so that what drifts (heat, other processes) meets all of them alike. Knows no device.
import type { Steps } from "../../core/run_steps.ts";
import { seededRandom, shuffled } from "../../core/seeded_random.ts";
import type { MeasurePlan } from "./options.ts";
import type { Subject } from "./measure.ts";

/** Setting up takes longer than a repeat, so subjects that are set up again take few, longer turns. */
const MOST_SET_UPS = 5;

/**
 * Warms all of them up, then measures each once a round, every round in another order. A subject is set up before each
 * of its turns: another one may have moved a model that they share.
 */
export function* takeTurns(subjects: readonly Subject[], plan: MeasurePlan, seed: number): Steps<void> {
  for (const subject of subjects) {
    yield* subject.setUp();
    yield* subject.warmUp();
  }
  const setUpAgain = subjects.length > 1 && subjects.some(({ isSetUp }) => isSetUp);
  const rounds = setUpAgain ? Math.min(MOST_SET_UPS, plan.repeats) : plan.repeats;
  const random = seededRandom(seed);
  const beganMs = performance.now();
  const isOver = () => performance.now() - beganMs > plan.deadlineMs * subjects.length;
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [round, round + 1].map((done) => Math.floor((done * plan.repeats) / rounds));
    for (const subject of shuffled(subjects, random)) {
      if (setUpAgain) yield* subject.setUpAgain();
      for (let repeat = from!; repeat < to!; repeat++) {
        yield* subject.repeat();
        // When the time is over the turn ends here, but each subject has had one repeat of it.
        if (isOver()) break;
      }
    }
    if (isOver()) return;
  }
}
