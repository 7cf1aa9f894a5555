// When to stop tuning: two profiles a week apart that still disagree, with data loading normalized, because of the same
// three operators. Reads stored logbooks; measures nothing.
import { checkList } from "../../torch/arguments.ts";
import type { LogbookEntry, RunEntry } from "../logbook/entry.ts";

/** What a run stores as `results.profile` for this rule. */
export interface StoredProfile {
  /** Whether the profile still contradicts what was expected of the device. */
  readonly disagrees: boolean;
  readonly dataLoadingNormalized: boolean;
  /** Those that cost most first. */
  readonly operators: readonly string[];
}

export interface StoppingVerdict {
  readonly stop: boolean;
  readonly because: string;
  /** Ids of the two runs. */
  readonly runs: readonly string[];
  readonly operators: readonly string[];
}

export const STOPPING = { operators: 3, apartDays: 7 } as const;

const DAY_MS = 24 * 3_600_000;

/**
 * Looks for two runs that were recorded with `results: { profile }`.
 *
 *     lab.logbook.record({ results: { profile: { disagrees: true, dataLoadingNormalized: true, operators } } });
 *     lab.stoppingRule(lab.logbook.read().entries);
 */
export function stoppingRule(entries: readonly LogbookEntry[]): StoppingVerdict {
  const candidates = checkList("lab.stoppingRule", "entries", entries)
    .filter((entry) => entry.type === "run")
    .flatMap((run) => {
      const profile = profileOf(run);
      return profile !== null && profile.operators.length >= STOPPING.operators ? [{ run, profile }] : [];
    });
  const disagreeing = candidates
    .filter(({ profile }) => profile.disagrees && profile.dataLoadingNormalized)
    .toSorted((a, b) => Date.parse(a.run.at) - Date.parse(b.run.at));
  for (const [at, later] of disagreeing.entries()) {
    const operators = hottest(later.profile);
    const earlier = disagreeing
      .slice(0, at)
      .find(
        ({ run, profile }) =>
          daysBetween(run, later.run) >= STOPPING.apartDays && hottest(profile).join() === operators.join(),
      );
    // A profile in between or after that agrees ends the dispute.
    const settled = candidates.some(
      ({ run, profile }) => !profile.disagrees && earlier !== undefined && run.at > earlier.run.at,
    );
    if (earlier !== undefined && !settled) {
      const days = Math.floor(daysBetween(earlier.run, later.run));
      return {
        stop: true,
        because: `logbook runs ${earlier.run.id} and ${later.run.id}, ${days} days apart, disagree over ${operators.join(", ")}`,
        runs: [earlier.run.id, later.run.id],
        operators,
      };
    }
  }
  const told =
    candidates.length === 0
      ? "no run holds"
      : candidates.length === 1
        ? "1 run holds"
        : `${candidates.length} runs hold`;
  return {
    stop: false,
    because: `logbook: no two profiles ${STOPPING.apartDays} days apart disagree over the same ${STOPPING.operators} operators (${told} a profile)`,
    runs: [],
    operators: [],
  };
}

function hottest({ operators }: StoredProfile): string[] {
  return operators.slice(0, STOPPING.operators).toSorted();
}

function daysBetween(a: RunEntry, b: RunEntry): number {
  return (Date.parse(b.at) - Date.parse(a.at)) / DAY_MS;
}

/** A logbook may come from anywhere: what does not look like a profile is none. */
function profileOf({ results }: RunEntry): StoredProfile | null {
  const profile = results["profile"] as Partial<StoredProfile> | null | undefined;
  if (typeof profile !== "object" || profile === null || !Array.isArray(profile.operators)) return null;
  const { disagrees = false, dataLoadingNormalized = false, operators } = profile;
  return { disagrees, dataLoadingNormalized, operators: operators.map(String) };
}
