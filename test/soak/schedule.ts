// What a soak does next, from its seed alone: cells, and between them faults. Knows no kernel, so a seed repeats a soak.
import { seededRandom, shuffled } from "../../lib/lab/core/seeded_random.ts";
import { nextCell, type SoakCell } from "./cells.ts";

export const FAULTS = ["kill", "stop", "disk", "reload", "slow", "debugger"] as const;
export type FaultKind = (typeof FAULTS)[number];

export type Step =
  | { readonly type: "cell"; readonly cell: SoakCell }
  /** `random` is the fault's own: what it draws does not change the cells that follow. */
  | { readonly type: "fault"; readonly kind: FaultKind; readonly random: () => number };

/** Cells between two faults. */
export interface Gap {
  readonly least: number;
  readonly most: number;
}

const GAP: Gap = { least: 10, most: 70 };

/** Never ends. Every kind of fault comes once before one comes again. */
export function* schedule(
  seed: number,
  kinds: readonly string[],
  faults: readonly FaultKind[],
  gap: Gap = GAP,
): Generator<Step, never> {
  const random = seededRandom(seed);
  for (let bag: FaultKind[] = []; ;) {
    if (bag.length === 0) bag = shuffled(faults, random);
    const cells = gap.least + Math.floor(random() * (gap.most - gap.least + 1));
    for (let done = 0; done < cells; done++) yield { type: "cell", cell: nextCell(random, kinds) };
    const kind = bag.pop();
    if (kind !== undefined)
      yield { type: "fault", kind, random: seededRandom(Math.floor(random() * 2 ** 32)) };
  }
}
