// Decides whether a run of a notebook agrees with a stored one: bit for bit on the machine that stored it, within a
// tolerance on another. Knows outputs and fingerprints as `replay.ts` gathers them, nothing of notebooks or kernels.
import { isDeepStrictEqual } from "node:util";
import { counted } from "../../../lib/words.ts";
import type { Output } from "../notebook/format.ts";
import { type Fingerprint, fingerprintText, type StoredFingerprint } from "./fingerprint.ts";
import { lossDifference, memoryDifference, tensorDifference } from "./fingerprint_difference.ts";
import { firstDifference } from "./output_difference.ts";
import { sixDigits } from "../six_digits.ts";

/**
 * On another machine sums are taken in another order, which moves float32 numbers by 1e-7, and each step of training
 * carries that on: losses were up to 4e-5 apart after 400 steps with other instruction sets and threads, weights 1.4e-3
 * after 2,345.
 */
const TOLERANCE_PER_STEP = 1e-5;
const MAX_TOLERANCE = 1e-2;
/** The tolerance for the losses of steps 0 to 10. Another seed moves the first one by 2e-2. */
const EARLY_TOLERANCE = 1e-3;

export interface ComparedCell {
  readonly number: number;
  readonly stored: readonly Output[];
  readonly now: readonly Output[];
}

export interface Agreement {
  readonly verdict: "same" | "different" | "cannot tell";
  readonly text: string;
}

export const EXIT_STATUS = { same: 0, different: 1, "cannot tell": 2 } as const satisfies Record<
  Agreement["verdict"],
  number
>;

/** A fingerprint, or only the machine if nothing else is known of the first run. */
export type KnownRun = StoredFingerprint | Pick<StoredFingerprint, "machine">;

/**
 * @param known null where nothing was stored
 * @param asked a tolerance in place of this module's
 */
export function compareRuns(
  cells: readonly ComparedCell[],
  known: KnownRun | null,
  now: Fingerprint,
  asked?: number,
): Agreement {
  const kept = known !== null && "tensors" in known ? known : null;
  const elsewhere = known !== null && !isDeepStrictEqual(known.machine, now.machine);
  const isOwn = asked === undefined && elsewhere;
  const toleranceAfter = (steps: number): number =>
    isOwn ? Math.min(MAX_TOLERANCE, TOLERANCE_PER_STEP * (1 + steps)) : (asked ?? 0);
  const steps = now.steps.map((step, at) => Math.max(step, kept?.steps?.[at] ?? 0));
  const trained = Math.max(0, ...steps);
  const tolerance = toleranceAfter(trained);
  const losses = kept?.losses ?? [];

  const found =
    lossDifference(losses, now.losses, isOwn ? EARLY_TOLERANCE : (asked ?? 0)) ??
    cellDifference(cells, (number) => toleranceAfter(steps[number - 1] ?? trained)) ??
    (kept && tensorDifference(kept.tensors, now.tensors, tolerance)) ??
    (kept && memoryDifference(kept, now, tolerance === 0));
  const where = elsewhere ? machineDifferences(known.machine, now.machine) : "";
  if (found !== null) return { verdict: "different", text: `first difference: ${found}${where}` };
  if (elsewhere && trained > 0 && losses.length === 0) {
    const why =
      "cannot tell: the notebook trains, this is another machine, and no losses of its first steps are stored; " +
      "what comes after training agrees for other programs as well. " +
      "Store it anew where it was run: mpslab replay --store.";
    return { verdict: "cannot tell", text: `${why}${where}` };
  }
  const what = `outputs of ${counted(cells.length, "cell")}${kept ? `, ${fingerprintText(kept)}` : ""}`;
  if (!elsewhere) {
    const how = tolerance > 0 ? `within ${sixDigits(tolerance)}` : "to the bit";
    return { verdict: "same", text: `${known ? "the same machine, " : ""}equal ${how}: ${what}` };
  }
  const early =
    losses.length > 0
      ? `${counted(losses.length, "early loss")} within ${sixDigits(EARLY_TOLERANCE)}, the rest `
      : "";
  const how = `${early}within ${sixDigits(tolerance)}`;
  return { verdict: "same", text: `another machine, agrees: ${how}: ${what}${where}` };
}

function cellDifference(
  cells: readonly ComparedCell[],
  toleranceOf: (number: number) => number,
): string | null {
  for (const { number, stored, now } of cells) {
    const found = firstDifference(stored, now, toleranceOf(number));
    if (found !== null) return `cell ${number} ${found}`;
  }
  return null;
}

/** Lists the differences between the two machines, one on each line. */
function machineDifferences(stored: StoredFingerprint["machine"], now: Fingerprint["machine"]): string {
  if (typeof stored === "string") return `\nstored on ${stored}; this is ${Object.values(now).join(", ")}`;
  return Object.entries(now)
    .filter(([part, value]) => stored[part] !== value)
    .map(([part, value]) => `\n${part}: stored on ${stored[part] ?? "an unknown one"}; this is ${value}`)
    .join("");
}
