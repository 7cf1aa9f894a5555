// Decides when to stop tuning: when two profiles a week apart or more, within two weeks, have the same three top operators.
// It reads stored logbooks.
import { checkList } from "../../../torch/vocabulary/arguments.ts";
import type { LogbookEntry, RunEntry } from "../../../records/logbook/entry.ts";
import { resultOfKind } from "../../../records/logbook/result_kinds.ts";

export interface StoppingVerdict {
  readonly stop: boolean;
  readonly because: string;
  /** Ids of the two runs. */
  readonly runs: readonly string[];
  readonly operators: readonly string[];
}

/** "Two profiling iterations, separated by a week": in a shorter time nothing could be changed between them. */
export const STOPPING = { operators: 3, leastDays: 7, mostDays: 14 } as const;

const DAY_MS = 24 * 3_600_000;

interface Profiled {
  readonly run: RunEntry;
  /** Hottest first. */
  readonly operators: readonly string[];
}

/**
 * Compares the latest recorded profile with earlier ones of the same device and number of loader workers. If the top
 * operators changed, tuning still helps and should continue.
 *
 *     lab.logbook.record({ workers: 0, results: { profile: torch.profiler.profile({}, step) } });
 *     lab.stoppingRule(lab.logbook.read().entries);
 */
export function stoppingRule(entries: readonly LogbookEntry[]): StoppingVerdict {
  const profiles = checkList("lab.stoppingRule", "entries", entries)
    .flatMap((entry) => (entry.type === "run" ? profiledIn(entry) : []))
    .toSorted((a, b) => Date.parse(b.run.at) - Date.parse(a.run.at));
  const [latest, ...earlier] = profiles;
  const goesOn = (because: string) => ({
    stop: false,
    because: `logbook: ${because}`,
    runs: [],
    operators: [],
  });
  if (latest === undefined) return goesOn("no run holds a profile");
  const operators = hottest(latest);
  if (operators.length < STOPPING.operators)
    return goesOn(`the profile of run ${latest.run.id} has fewer than ${STOPPING.operators} operators`);
  for (const one of earlier.filter((other) => isComparable(other.run, latest.run))) {
    const days = (Date.parse(latest.run.at) - Date.parse(one.run.at)) / DAY_MS;
    if (days > STOPPING.mostDays || hottest(one).join() !== operators.join()) break;
    if (days < STOPPING.leastDays) continue;
    return {
      stop: true,
      because: `logbook runs ${one.run.id} and ${latest.run.id}, ${Math.floor(days)} days apart, both spend most time in ${operators.join(", ")}`,
      runs: [one.run.id, latest.run.id],
      operators,
    };
  }
  const many = profiles.length === 1 ? "1 run holds" : `${profiles.length} runs hold`;
  return goesOn(
    `no earlier profile of the same device, ${STOPPING.leastDays} to ${STOPPING.mostDays} days before run ${latest.run.id}, has the same ${STOPPING.operators} operators on top (${many} a profile)`,
  );
}

/** The order among the three operators is noise. */
function hottest({ operators }: Profiled): string[] {
  return operators.slice(0, STOPPING.operators).toSorted();
}

/**
 * Returns whether the profiles of two runs are comparable. They are not if the numbers of workers differ, because the
 * host then prepares data at different rates.
 */
function isComparable(a: RunEntry, b: RunEntry): boolean {
  return (["device", "workers"] as const).every((field) => {
    const [one, other] = [a.fields[field] ?? null, b.fields[field] ?? null];
    return one === null || other === null || one === other;
  });
}

/** A logbook may come from anywhere, so anything without a profile's form is skipped. */
function profiledIn(run: RunEntry): Profiled[] {
  const profile = resultOfKind(run.results, "profile") as { operators?: unknown } | undefined;
  if (!Array.isArray(profile?.operators)) return [];
  const names = profile.operators.map((one) => (one as { name?: unknown } | null)?.name);
  return names.every((name) => typeof name === "string") ? [{ run, operators: names }] : [];
}
