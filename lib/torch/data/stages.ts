// Measures where a loader's time goes. Each stage of making a batch adds its own time, without the time of the stages
// that it calls. Each thread has its own clock.

export const STAGES = ["fetch", "decode", "transform", "collate", "transfer"] as const;

/**
 * `fetch` is the dataset's own work, `decode` images, `transform` augmentation, `collate` making one batch of items,
 * `transfer` sharing it with the session's thread.
 */
export type Stage = (typeof STAGES)[number];

/** Milliseconds by stage, in the order of `STAGES`. */
export type StageMs = readonly number[];

const spentMs: number[] = STAGES.map(() => 0);

/** Milliseconds that stages inside the running one have taken. */
let innerMs = 0;

/** Runs `work` as a part of the stage. Stages nest: a transform inside of a fetch counts as transform only. */
export function inStage<Result>(stage: Stage, work: () => Result): Result {
  const outerMs = innerMs;
  innerMs = 0;
  const start = performance.now();
  try {
    return work();
  } finally {
    const wholeMs = performance.now() - start;
    spentMs[STAGES.indexOf(stage)]! += wholeMs - innerMs;
    innerMs = outerMs + wholeMs;
  }
}

/** Returns the milliseconds that each stage has taken since `before`, a result of `stagesNow`. */
export function stagesSince(before: StageMs): StageMs {
  return spentMs.map((ms, stage) => ms - before[stage]!);
}

export function stagesNow(): StageMs {
  return [...spentMs];
}
