// Names the runs on a chart by what distinguishes them: their names, or else the fields in which they differ.
import { fieldText } from "../records/logbook/diff.ts";
import type { RunEntry } from "../records/logbook/entry.ts";
import type { FieldName } from "../records/logbook/fields.ts";
import { commitText } from "./run_origins.ts";

/** Fields whose value is a short name for a run, the most telling first. */
const TELLING = [
  "commit",
  "processor",
  "device",
  "batch",
  "amp",
  "resolution",
  "threads",
  "torchVersion",
  "mpslabVersion",
  "seed",
] as const satisfies readonly FieldName[];

/** More words than this would not fit into a label. */
const MAX_WORDS = 2;
/** Fields that a name must mention if they differ: without them runs on different machines would look comparable. */
const MACHINE = ["processor", "device"] as const satisfies readonly FieldName[];

/**
 * One name for each run, no two alike: `base`, or `base, Apple M3` where the machines differ, or `run, batch 32`, or the
 * time where nothing else differs.
 */
export function runNames(runs: readonly RunEntry[]): string[] {
  const own = runs.map(({ name }) => name);
  const isTelling = (field: (typeof TELLING)[number]) =>
    new Set(runs.map((run) => wordOf(run, field))).size > 1;
  if (new Set(own).size === runs.length) {
    const machine = MACHINE.find(isTelling);
    return machine === undefined ? own : runs.map((run) => `${run.name}, ${wordOf(run, machine)}`);
  }
  const telling = TELLING.filter(isTelling);
  // A seed that nobody set is drawn anew in each session, so it names runs only if nothing else differs.
  const fields = telling.length === 1 ? telling : telling.filter((field) => field !== "seed");
  const isOneName = new Set(own).size === 1;
  const words = runs.map((run) => [
    ...(isOneName ? [] : [run.name]),
    ...fields.slice(0, MAX_WORDS).map((field) => wordOf(run, field)),
  ]);
  const names = words.map((parts, at) => (parts.length === 0 ? timeOf(runs[at]!) : parts.join(", ")));
  return names.map((name, at) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name}, ${timeOf(runs[at]!)}`,
  );
}

function wordOf(run: RunEntry, field: (typeof TELLING)[number]): string {
  const { fields } = run;
  const value = fields[field] ?? null;
  if (value === null) return `no ${field}`;
  if (field === "commit") return commitText(run);
  const text = fieldText(field, value);
  return typeof value === "number" || field === "seed" ? `${field} ${text}` : text;
}

/** `11-25 14:05:58` */
function timeOf({ at }: RunEntry): string {
  return at.slice(5, 19).replace("T", " ");
}
