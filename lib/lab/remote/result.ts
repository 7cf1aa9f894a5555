// Makes the result of a sweep on remotes: a sweep's result, a report on each remote, and its run in the logbook's
// schema.
import { diffOf, type FieldDifference, fieldText } from "../../records/logbook/diff.ts";
import type { RunEntry } from "../../records/logbook/entry.ts";
import type { FieldName } from "../../records/logbook/fields.ts";
import type { Smoke } from "../sweep/smoke.ts";
import type { Spread } from "../../statistics/spread.ts";
import type { Point, PointRecord } from "../../records/batch_sweeps/point.ts";
import { pointText } from "../../records/parameters.ts";
import { resultOf, type SweepResult } from "../../records/batch_sweeps/result.ts";
import { formatTime } from "../../units.ts";
import { type Movement, movementOf } from "./result_drift.ts";

export interface RemoteReport {
  readonly name: string;
  /** The address without a token. */
  readonly url: string;
  /** `ready`: it took part to the end. */
  readonly status: "ready" | "refused" | "lost";
  /** Why it is not ready; null if it is. */
  readonly reason: string | null;
  /** How many points it measured, without those from the journal. */
  readonly points: number;
  /** Round trip of a request to the server, in milliseconds; null for a node of Ray. */
  readonly roundTripMs: Spread | null;
  readonly mpslabVersion: string | null;
  /** Null for a node of Ray, because each point may run on another node. */
  readonly smoke: Smoke | null;
  /** Differences from this machine, the largest suspect first; null if the remote reported nothing. */
  readonly differences: readonly FieldDifference[] | null;
  readonly movement: Movement | null;
  /** The id of the run in the logbook; null if the remote measured nothing. */
  readonly runId: string | null;
}

export interface RemoteSweepResult extends SweepResult {
  readonly remotes: readonly RemoteReport[];
  /** Points that were not measured because no remote was left. */
  readonly missing: readonly Point[];
}

/** The properties of a worker that the result needs. */
export interface WorkerFacts extends Pick<
  RemoteReport,
  "name" | "url" | "status" | "reason" | "roundTripMs" | "smoke"
> {
  readonly greeting: { readonly version: string } | null;
  readonly run: RunEntry | null;
  readonly notes: readonly string[];
  readonly records: readonly PointRecord[];
}

export interface MovementOptions {
  /** Records to compare with; null for none. */
  readonly against: readonly PointRecord[] | null;
  /** The relative change of a number that needs no explanation. */
  readonly tolerance: number;
  /** The user's sentence; null if there is none. */
  readonly explanation: string | null;
  /** The logbook's run of this session. */
  readonly here: RunEntry;
}

/** The fields that are compared on every remote; differences are reported: the runbook's "exact lockfile". */
const VERSIONS: ReadonlySet<FieldName> = new Set([
  "mpslabVersion",
  "torchVersion",
  "nodeVersion",
  "commit",
  "uncommittedChanges",
  "lockFileSha256",
]);
/** If a difference is at least this suspicious, a note warns that points of two machines share one curve. */
const UNLIKE = 7;

export function reportOf(worker: WorkerFacts, options: MovementOptions): RemoteReport {
  const { name, url, status, reason, roundTripMs, smoke, run, records } = worker;
  const { against, here, ...asked } = options;
  return {
    ...{ name, url, status, reason, roundTripMs, smoke },
    points: records.length,
    mpslabVersion: worker.greeting?.version ?? null,
    differences: run === null ? null : diffOf(here, run).suspects,
    movement:
      run === null || against === null
        ? null
        : movementOf({ ...asked, here, there: run, local: against, remote: records }),
    runId: run !== null && records.length > 0 ? run.id : null,
  };
}

/** `cpu, mps`: the devices of all machines that report theirs. */
export function devicesOf(workers: readonly Pick<WorkerFacts, "smoke" | "run">[]): string {
  const devices = new Set(workers.flatMap(({ smoke, run }) => smoke?.device ?? run?.fields.device ?? []));
  return [...devices].join(", ") || "remotes";
}

export function remoteResultOf(
  facts: Omit<SweepResult, "choices" | "notes" | "device">,
  workers: readonly WorkerFacts[],
  reports: readonly RemoteReport[],
  missing: readonly Point[],
  here: RunEntry,
): RemoteSweepResult {
  const sweep = resultOf({ ...facts, device: devicesOf(workers) });
  const notes = [
    ...sweep.notes,
    ...workers.flatMap((worker, at) => reportSentences(worker, reports[at]!, here)),
    ...unlikeSentences(workers),
  ];
  if (missing.length > 0) {
    const goesOn = facts.journal === null ? "" : ` The same call goes on from ${facts.journal}.`;
    notes.push(`Not measured, as no remote was left: ${missing.map(pointText).join("; ")}.${goesOn}`);
  }
  return { ...sweep, notes, remotes: reports, missing };
}

/** The remote's own run in the form in which this machine's logbook keeps it. */
export function runOf(
  worker: WorkerFacts,
  report: RemoteReport,
  facts: Pick<SweepResult, "name" | "seed">,
): RunEntry | null {
  const { run, records } = worker;
  if (run === null || records.length === 0) return null;
  const sweep = resultOf({
    ...facts,
    device: String(run.fields.device),
    points: records,
    ends: [],
    resumedPoints: 0,
    cutOffPoints: [],
    journal: null,
  });
  const peakBytes = Math.max(...records.map(({ memory }) => memory?.peakBytes ?? 0));
  const { peakBytes: _, ...missing } = run.missing;
  return {
    ...run,
    name: `${facts.name} on ${worker.name}`,
    fields: { ...run.fields, peakBytes: peakBytes > 0 ? peakBytes : null },
    filledBy: peakBytes > 0 ? { ...run.filledBy, peakBytes: "machine" } : run.filledBy,
    missing: peakBytes > 0 ? missing : run.missing,
    results: { sweep, remote: report },
  };
}

function reportSentences(worker: WorkerFacts, report: RemoteReport, here: RunEntry): string[] {
  const { name, status, reason, roundTripMs, movement, differences } = report;
  const sentences: string[] = [];
  if (status === "refused") sentences.push(`${name} took no part: ${reason}.`);
  if (status === "lost") sentences.push(`${name} was lost (${reason}): its points went to the others.`);
  if (worker.run !== null) {
    const mount = worker.run.fields.mountType;
    const parts = [
      report.points === 1 ? "1 point" : `${report.points} points`,
      ...(roundTripMs === null ? [] : [`round trip ${formatTime(roundTripMs.median)}`]),
      mount === null ? "mount of its data not known (give dataPath)" : `data on ${String(mount)}`,
    ];
    sentences.push(`${name}: ${parts.join(", ")}.`);
  }
  const versions = (differences ?? []).filter(({ field }) => VERSIONS.has(field));
  for (const { field, a, b } of versions)
    sentences.push(
      `${name} has another ${field}: ${fieldText(field, b)} there, ${fieldText(field, a)} here.`,
    );
  const version = report.mpslabVersion;
  if (differences === null && version !== null && version !== here.fields.mpslabVersion)
    sentences.push(
      `${name} has another mpslabVersion: ${version} there, ${String(here.fields.mpslabVersion)} here.`,
    );
  sentences.push(...worker.notes.map((note) => `${name}: ${note}`));
  if (movement?.demand) sentences.push(`${name}: ${movement.demand}`);
  if (movement?.verdict === "moved" && movement.explanation !== null)
    sentences.push(`${name}: throughput moved, explained by: ${movement.explanation}`);
  return sentences;
}

/** Notes on points of one table that come from different machines. */
function unlikeSentences(workers: readonly WorkerFacts[]): string[] {
  const [first, ...others] = workers.filter(({ run, records }) => run !== null && records.length > 0);
  return others.flatMap((other) => {
    const unlike = diffOf(first!.run!, other.run!).suspects.filter(
      ({ field, suspicion }) => suspicion >= UNLIKE && field !== "variables",
    );
    if (unlike.length === 0) return [];
    return [
      `${first!.name} and ${other.name} are not alike (${unlike.map(({ field }) => field).join(", ")}): compare their points with care.`,
    ];
  });
}
