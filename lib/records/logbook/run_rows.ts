// Makes a row of each run: its parameters, what its optimizer was set to, what it measured and its results, each under its name.
// For a table that is sorted and filtered by them. Knows entries, not where they come from.
import type { RunEntry } from "./entry.ts";
import { type FieldName, variablesOf } from "./fields.ts";

export type RowValue = number | boolean | string | null;

/** One run; every row of a table has the same names. */
export type RunRow = Readonly<Record<string, RowValue>>;

const MEASURED = ["steadyEpochMs", "peakBytes"] as const satisfies readonly FieldName[];

/**
 * A row for each run, in their order: `name`, parameters, `lr` and the like where runs differ in them, metrics of the last
 * epoch, results that are one value, tags, `steadyEpochMs`, `peakBytes`, `at`, `id`. A name that two of these have goes to the
 * first; the other is `metrics.rate` or `results.rate`. Parameters that all of several runs share stand behind what they
 * measured: a page has no room for all.
 */
export function runRows(runs: readonly RunEntry[]): RunRow[] {
  const columns = new Map<string, RowValue[]>([["name", runs.map(({ name }) => name)]]);
  const add = (kind: string, of: (run: RunEntry) => Readonly<Record<string, unknown>>, isAsked = isKnown) => {
    const each = runs.map(of);
    for (const name of new Set(each.flatMap((values) => Object.keys(values)))) {
      const values = valuesOf(each.map((one) => one[name]));
      if (isAsked(values))
        columns.set(RESERVED.has(name) || columns.has(name) ? `${kind}.${name}` : name, values);
    }
  };
  add("parameters", ({ fields }) => variablesOf(fields.parameters));
  const shared = [...columns].filter(
    ([name, values]) => name !== "name" && runs.length > 1 && !differ(values),
  );
  add("optimizer", ({ fields }) => variablesOf(fields.optimizer), differ);
  add("metrics", ({ fields }) => variablesOf(fields.metrics));
  add("results", ({ results }) => results);
  add("tags", ({ tags }) => variablesOf(tags));
  add("measured", ({ fields }) =>
    Object.fromEntries(MEASURED.map((field) => [field, fields[field] ?? null])),
  );
  for (const [name, values] of shared) {
    columns.delete(name);
    columns.set(name, values);
  }
  columns.set(
    "at",
    runs.map(({ at }) => at),
  );
  columns.set(
    "id",
    runs.map(({ id }) => id),
  );
  return runs.map((_, row) => Object.fromEntries([...columns].map(([name, values]) => [name, values[row]!])));
}

const RESERVED: ReadonlySet<string> = new Set(["name", "at", "id"]);

const isKnown = (values: readonly RowValue[]): boolean => values.some((value) => value !== null);
const differ = (values: readonly RowValue[]): boolean => new Set(values).size > 1;

/** Numbers where all that are known are numbers or texts of numbers, booleans likewise; else texts. Lists and objects are none. */
function valuesOf(given: readonly unknown[]): RowValue[] {
  const known = given.map((value) => (typeof value === "object" || value === undefined ? null : value));
  const present = known.filter((value) => value !== null);
  const texts = present.map(String);
  if (texts.every((text) => text.trim() !== "" && (!Number.isNaN(Number(text)) || text === "NaN")))
    return known.map((value) => (value === null ? null : Number(value)));
  if (texts.every((text) => text === "true" || text === "false"))
    return known.map((value) => (value === null ? null : String(value) === "true"));
  return known.map((value) => (value === null ? null : String(value)));
}
