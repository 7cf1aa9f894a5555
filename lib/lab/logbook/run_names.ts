// Names runs on a chart by what tells them apart: their names, else the fields in which they differ.
import { fieldText } from "./diff.ts";
import type { RunEntry } from "./entry.ts";
import type { FieldName } from "./fields.ts";

/** Fields that name a run in one word, those that a reader looks for first. */
const TELLING = [
  "commit",
  "processor",
  "device",
  "batch",
  "amp",
  "resolution",
  "seed",
  "threads",
  "torchVersion",
  "mpslabVersion",
] as const satisfies readonly FieldName[];

/** More words would be longer than a label has room for. */
const MAX_WORDS = 2;
const COMMIT_LENGTH = 7;

/** One name for each run, no two alike: `base`, or `run, batch 32`, or the time where nothing else differs. */
export function runNames(runs: readonly RunEntry[]): string[] {
  const own = runs.map(({ name }) => name);
  if (new Set(own).size === runs.length) return own;
  const fields = TELLING.filter((field) => new Set(runs.map((run) => wordOf(run, field))).size > 1);
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

function wordOf({ fields }: RunEntry, field: (typeof TELLING)[number]): string {
  const value = fields[field] ?? null;
  if (value === null) return `no ${field}`;
  if (field === "commit")
    return `${String(value).slice(0, COMMIT_LENGTH)}${fields.uncommittedChanges === true ? " changed" : ""}`;
  const text = fieldText(field, value);
  return typeof value === "number" || field === "seed" ? `${field} ${text}` : text;
}

/** `11-25 14:05:58` */
function timeOf({ at }: RunEntry): string {
  return at.slice(5, 19).replace("T", " ");
}
