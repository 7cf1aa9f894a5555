// The conditions under which the points of sweeps ran: the fields that all their runs share, listed once, and the
// fields in which they differ, with the points that have each value.
import { grouped } from "../../../lib/grouped.ts";
import { fieldText } from "../../../lib/records/logbook/diff.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { FIELD_NAMES, type FieldName, FIELDS, type Section } from "../../../lib/records/logbook/fields.ts";
import { columns, type Table } from "../../../lib/views/table.ts";

/** Measured fields are in the points' own tables. */
const MEASURED: Section = "measured";
/** Sections whose fields the machine knows: a user has to supply none of them. */
const MACHINE_KNOWS: ReadonlySet<Section> = new Set(["versions", "machine"]);
/** It varies from one second to the next. */
const VARYING: FieldName = "loadPerCore";
/** For a field with more values than this, such as a seed that each session draws, only their number is shown. */
const MAX_VALUES = 6;

export interface NumberedRun {
  /** How the page names the point: `3`. */
  readonly point: string;
  readonly run: RunEntry;
}

/** They are columns of the table of points. */
const IN_POINTS: FieldName = "parameters";

const NAMES = FIELD_NAMES.filter(
  (field) => FIELDS[field].section !== MEASURED && field !== VARYING && field !== IN_POINTS,
);

/** @param points how many points the sweep has, including those without a run */
export function commonFields(runs: readonly NumberedRun[], points: number): Table {
  const common = NAMES.filter((field) => valuesOf(runs, field).size === 1);
  const isKnown = (field: FieldName) => (runs[0]!.run.fields[field] ?? null) !== null;
  const unknown = common.filter((field) => !isKnown(field) && MACHINE_KNOWS.has(FIELDS[field].section));
  return {
    caption:
      runs.length === points
        ? `The same for all ${points} points`
        : `The same for the ${runs.length} of ${points} points whose sessions imported mpslab and lived to say it`,
    columns: columns("<field", "<<value"),
    rows: common.filter(isKnown).map((field) => [field, fieldText(field, runs[0]!.run.fields[field])]),
    notes: unknown.length === 0 ? [] : [`Not known: ${unknown.join(", ")}.`],
  };
}

/** Most likely cause first; null if no field differs. */
export function differingFields(runs: readonly NumberedRun[]): Table | null {
  const differing = NAMES.filter((field) => valuesOf(runs, field).size > 1).toSorted(
    (one, other) => FIELDS[other].suspicion - FIELDS[one].suspicion,
  );
  if (differing.length === 0) return null;
  return {
    caption: "Differs between points, largest suspect first",
    columns: columns("<field", "<<value", "<<points"),
    rows: differing.flatMap((field) => {
      const values = [...valuesOf(runs, field)];
      return values.length > MAX_VALUES
        ? [[field, `${values.length} values`, "each in its notebook"]]
        : values.map(([text, points], at) => [at === 0 ? field : "", text, pointRanges(points)]);
    }),
  };
}

/** `["1", "2", "3", "5"]` -> `1 to 3, 5`; of a page of several sweeps `["A1", "A2", "B1"]` -> `A1, A2, B1`. */
export function pointRanges(points: readonly string[]): string {
  const groups: string[][] = [];
  for (const point of points) {
    const group = groups.at(-1);
    if (group !== undefined && follows(group.at(-1)!, point)) group.push(point);
    else groups.push([point]);
  }
  return groups
    .flatMap((group) => (group.length > 2 ? [`${group[0]} to ${group.at(-1)}`] : group))
    .join(", ");
}

function follows(before: string, point: string): boolean {
  const [sweep, number] = [before.replace(/\d+$/, ""), Number(/\d+$/.exec(before)?.[0])];
  return point === `${sweep}${number + 1}`;
}

/** The points that have each value. */
function valuesOf(runs: readonly NumberedRun[], field: FieldName): Map<string, string[]> {
  return grouped(runs.map(({ point, run }) => [fieldText(field, run.fields[field]), point]));
}
