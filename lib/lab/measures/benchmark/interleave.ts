// Interleaves the repeats of several cases, so that drift (heat, other processes) affects all of them alike.
import { runningNowMs } from "../../../session.ts";
import type { Steps } from "../../core/run_steps.ts";
import { seededRandom, shuffled } from "../../../statistics/seeded_random.ts";
import type { MeasurePlan } from "./options.ts";
import type { BenchmarkCase } from "./measure.ts";

/** Setting up takes longer than a repeat, so cases that are set up before each turn take few, longer turns. */
const MAX_SET_UPS = 5;

/**
 * Warms all of them up, then measures each once a round, every round in another order. A case is set up before each
 * of its turns: another one may have moved a model that they share.
 */
export function* measureInterleaved(
  cases: readonly BenchmarkCase[],
  plan: MeasurePlan,
  seed: number,
): Steps<void> {
  for (const benchmarkCase of cases) {
    yield* benchmarkCase.setUp();
    yield* benchmarkCase.warmUp();
  }
  const setUpAgain = cases.length > 1 && cases.some(({ isSetUp }) => isSetUp);
  const rounds = setUpAgain ? Math.min(MAX_SET_UPS, plan.repeats) : plan.repeats;
  const random = seededRandom(seed);
  const beganMs = runningNowMs();
  const isOver = () => runningNowMs() - beganMs > plan.deadlineMs * cases.length;
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [round, round + 1].map((done) => Math.floor((done * plan.repeats) / rounds));
    for (const benchmarkCase of shuffled(cases, random)) {
      if (setUpAgain) yield* benchmarkCase.setUpAgain();
      for (let repeat = from!; repeat < to!; repeat++) {
        yield* benchmarkCase.repeat();
        // The deadline ends a turn only here, after at least one repeat of each case.
        if (isOver()) break;
      }
    }
    if (isOver()) return;
  }
}
