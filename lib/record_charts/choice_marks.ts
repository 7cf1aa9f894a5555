// Says which batches of a series a chart marks, with which sign and which words. Does not know how they are drawn.
import type { Choice } from "../records/batch_sweeps/knee.ts";

/** What a sign stands for, for charts in which names would overlap. */
export const SIGNS = {
  circle: "○ best batch",
  diamond: "◇ knee",
  "triangle-up": "△ best batch, still rising",
} as const;

/** A batch of a series that is marked, with its sign. */
interface ChosenBatch {
  readonly batch: number;
  /** `knee 64` */
  readonly text: string;
  readonly shape: keyof typeof SIGNS;
}

/** `knee 64` and `best 256`, or `best 512, still rising`; `best 256, uncertain` and no knee where chance may have chosen. */
export function choiceMarks(
  { bestBatch, kneeBatch, stillRising, uncertain }: Choice,
  smallestBatch: number | undefined,
): ChosenBatch[] {
  const best = { batch: bestBatch, text: `best ${bestBatch}`, shape: "circle" } as const;
  if (stillRising) return [{ ...best, text: `best ${bestBatch}, still rising`, shape: "triangle-up" }];
  if (uncertain) return [{ ...best, text: `best ${bestBatch}, uncertain` }];
  // There is no knee if the smallest batch already gives 90%.
  if (kneeBatch === null || kneeBatch === smallestBatch) return [best];
  if (kneeBatch === bestBatch) return [{ ...best, text: `knee, best ${bestBatch}` }];
  return [{ batch: kneeBatch, text: `knee ${kneeBatch}`, shape: "diamond" }, best];
}
