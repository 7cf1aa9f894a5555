// Completes a user's evidence with the session's: the ledger, the logbook, and the results recorded since the session
// began.
import type { Evidence } from "./evidence.ts";
import { ledger } from "../core/ledger.ts";
import type { RunEntry } from "../../records/logbook/entry.ts";
import { read } from "../../records/logbook/file.ts";
import { file } from "../logbook/logbook.ts";
import type { StoredProfile } from "../logbook/profile.ts";
import { resultOfKind } from "../../records/logbook/result_kinds.ts";
import { readEvidence } from "./read_evidence.ts";

const FROM_LOGBOOK = ["sweep", "comparison", "parity", "syncs", "trace", "utilization"] as const;

export interface SessionEvidence {
  readonly evidence: Evidence;
  /** Sources of results that were not given, by name: `logbook run 1f0c...`. */
  readonly origins: Readonly<Partial<Record<keyof Evidence, string>>>;
}

/** @throws TypeError, RangeError for evidence that does not fit */
export function sessionEvidence(call: string, given: unknown): SessionEvidence {
  return withRecorded(readEvidence(call, given), read(file()).entries);
}

/** Adds the latest results of this session's runs to the given evidence. */
export function withRecorded(
  given: Evidence,
  entries: NonNullable<Evidence["logbook"]>,
  sinceMs: number = Date.now() - process.uptime() * 1000,
): SessionEvidence {
  const runs = entries.filter(
    (entry): entry is RunEntry => entry.type === "run" && Date.parse(entry.at) >= sinceMs,
  );
  const found: Record<string, unknown> = {};
  const origins: Partial<Record<keyof Evidence, string>> = {};
  for (const name of FROM_LOGBOOK) {
    const run = runs.findLast(({ results }) => resultOfKind(results, name) !== undefined);
    if (run === undefined || given[name] !== undefined) continue;
    found[name] = resultOfKind(run.results, name);
    origins[name] = `logbook run ${run.id}`;
  }
  const profiled = runs.findLast(({ results }) => resultOfKind(results, "profile") !== undefined);
  if (profiled !== undefined && given.operators === undefined) {
    found["operators"] = (resultOfKind(profiled.results, "profile") as StoredProfile).operators;
    origins.operators = `logbook run ${profiled.id}`;
  }
  const { epochs } = ledger;
  const holders = given.epochs === undefined ? ledger.holders.get(epochs.at(-1)?.loop ?? -1) : undefined;
  const fromLedger = { epochs, ...(holders === undefined ? {} : { holders }) };
  return { evidence: { ...fromLedger, logbook: entries, ...(found as Evidence), ...given }, origins };
}
