// What a soak does next, from its seed only: cells, and between them faults. Knows no kernel, so a seed repeats a soak.
import { seededRandom, shuffled } from "../../lib/statistics/seeded_random.ts";
import { nextCell, type SoakCell } from "./cells.ts";

export const FAULTS = ["kill", "stop", "disk", "reload", "slow", "debugger"] as const;
export type FaultKind = (typeof FAULTS)[number];

export type Step =
  | { readonly type: "cell"; readonly cell: SoakCell }
  /** `random` is the fault's own: what it draws does not change the cells that follow. */
  | { readonly type: "fault"; readonly kind: FaultKind; readonly random: () => number };

/** Cells between two faults. */
export interface Gap {
  readonly min: number;
  readonly max: number;
}

const GAP: Gap = { min: 10, max: 70 };
/**
 * Once in so many faults nothing disturbs for so many cells: whether a session grows shows in one that lives long. One long
 * stretch says more than several short ones, because the error of a slope falls with the power of 1.5 of the length.
 */
const FAULTS_A_CALM = 300;
const CALM_CELLS = 50_000;

/** Never ends. Every kind of fault comes once before one comes again. */
export function* schedule(
  seed: number,
  kinds: readonly string[],
  faults: readonly FaultKind[],
  gap: Gap = GAP,
): Generator<Step, never> {
  const random = seededRandom(seed);
  let bag: FaultKind[] = [];
  for (let gaps = 1; ; gaps++) {
    if (bag.length === 0) bag = shuffled(faults, random);
    const drawn = gap.min + Math.floor(random() * (gap.max - gap.min + 1));
    const cells = gaps % FAULTS_A_CALM === 0 ? CALM_CELLS : drawn;
    for (let done = 0; done < cells; done++) yield { type: "cell", cell: nextCell(random, kinds) };
    const kind = bag.pop();
    if (kind !== undefined)
      yield { type: "fault", kind, random: seededRandom(Math.floor(random() * 2 ** 32)) };
  }
}
