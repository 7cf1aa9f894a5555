// Compares two runs: lists the fields that may be the cause, largest suspect first, apart from the measured ones.
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import { formatBytes, formatChange, formatTime } from "../../units.ts";
import type { RunEntry } from "./entry.ts";
import { FIELD_NAMES, type FieldName, FIELDS, type FieldValue } from "./fields.ts";

export interface FieldDifference {
  readonly field: FieldName;
  readonly a: FieldValue;
  readonly b: FieldValue;
  /** 0 to 10, from the table of fields; 0 is an effect and no cause. */
  readonly suspicion: number;
}

export interface LogbookDiff {
  readonly a: { readonly id: string; readonly name: string; readonly at: string };
  readonly b: { readonly id: string; readonly name: string; readonly at: string };
  /** Largest suspect first. */
  readonly suspects: readonly FieldDifference[];
  /** Measurements that differ. */
  readonly effects: readonly FieldDifference[];
  /** Fields that are unknown in one run or both: each may hide a cause. */
  readonly unknown: readonly FieldName[];
}

/** The machine's load always varies; a difference below this fraction of a core says nothing. */
const MIN_LOAD_DIFFERENCE = 0.25;

export function diffOf(a: RunEntry, b: RunEntry): LogbookDiff {
  const known = (run: RunEntry, field: FieldName) => (run.fields[field] ?? null) !== null;
  const differences = FIELD_NAMES.filter((field) => known(a, field) && known(b, field))
    .filter((field) => differs(field, a.fields[field], b.fields[field]))
    .map((field) => ({ field, a: a.fields[field], b: b.fields[field], suspicion: FIELDS[field].suspicion }));
  const head = ({ id, name, at }: RunEntry) => ({ id, name, at });
  return shownAs(
    {
      a: head(a),
      b: head(b),
      suspects: differences
        .filter(({ suspicion }) => suspicion > 0)
        .toSorted((one, other) => other.suspicion - one.suspicion),
      effects: differences.filter(({ suspicion }) => suspicion === 0),
      // A field that neither run knows cannot be compared, and may hide a cause too.
      unknown: FIELD_NAMES.filter((field) => !known(a, field) || !known(b, field)).toSorted(
        (one, other) => FIELDS[other].suspicion - FIELDS[one].suspicion,
      ),
    },
    (diff) => diffTable(diff),
  );
}

function differs(field: FieldName, a: FieldValue, b: FieldValue): boolean {
  if (field === "loadPerCore") return Math.abs(Number(a) - Number(b)) >= MIN_LOAD_DIFFERENCE;
  return stableText(a) !== stableText(b);
}

/** Equal values have equal texts, whatever the order of their names. */
function stableText(value: FieldValue): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The differences as a table, with a sentence about what is not known.
 *
 * @param names of the columns, where the runs have names that tell them apart
 */
export function diffTable(
  { a, b, suspects, effects, unknown }: LogbookDiff,
  names: readonly [string, string] = ["a", "b"],
): Table {
  const row = ({ field, a: before, b: after, suspicion }: FieldDifference) => {
    const [from, to] = onlyWhatDiffers(before, after);
    return [
      field,
      fieldText(field, from),
      fieldText(field, to),
      changeText(before, after),
      suspicion === 0 ? "measured" : `${suspicion} of 10`,
    ];
  };
  const rows = [...suspects, ...effects].map(row);
  const notes = rows.length === 0 ? ["No field that both runs know differs."] : [];
  if (unknown.length > 0)
    notes.push(`Not compared, as one run or both do not know it: ${unknown.join(", ")}.`);
  return {
    caption: `${a.name} of ${a.at} and ${b.name} of ${b.at}, largest suspect first`,
    columns: columns("<field", `<<${names[0]}`, `<<${names[1]}`, "change", "suspicion"),
    rows,
    notes,
  };
}

/** Returns the variables that differ between two sets. */
function onlyWhatDiffers(a: FieldValue, b: FieldValue): [FieldValue, FieldValue] {
  if (!isVariables(a) || !isVariables(b)) return [a, b];
  const pick = (from: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(from).filter(([name, value]) => other[name] !== value));
  return [pick(a, b), pick(b, a)];
}

function isVariables(value: FieldValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function changeText(a: FieldValue, b: FieldValue): string {
  return typeof a === "number" && typeof b === "number" && a !== 0 ? formatChange(b / a - 1) : "";
}

/**
 * Returns the text of a value in tables and Markdown. It is `not known` for null, and for a field that an older version
 * did not have.
 */
export function fieldText(field: FieldName, value: FieldValue | undefined): string {
  if (value === null || value === undefined) return "not known";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    if (field.endsWith("Bytes")) return formatBytes(value);
    return field.endsWith("Ms") ? formatTime(value) : String(Number(value.toPrecision(6)));
  }
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  const variables = Object.entries(value).map(([name, text]) => `${name}=${text}`);
  return variables.length === 0 ? "none" : variables.join(" ");
}
