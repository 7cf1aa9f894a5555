// Compares two runs: lists the fields that may be the cause, largest suspect first, apart from the measured ones.
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import { formatBytes, formatChange, formatTime } from "../../units.ts";
import type { RunEntry } from "./entry.ts";
import {
  FIELD_NAMES,
  type FieldName,
  FIELDS,
  type FieldValue,
  isVariables,
  type Variables,
} from "./fields.ts";

export interface FieldDifference {
  readonly field: FieldName;
  readonly a: FieldValue;
  readonly b: FieldValue;
  /** 0 to 10, from the table of fields; 0 is an effect and no cause. */
  readonly suspicion: number;
}

export interface ResultDifference {
  readonly result: string;
  readonly a: unknown;
  readonly b: unknown;
}

export interface LogbookDiff {
  readonly a: { readonly id: string; readonly name: string; readonly at: string };
  readonly b: { readonly id: string; readonly name: string; readonly at: string };
  /** Largest suspect first. */
  readonly suspects: readonly FieldDifference[];
  /** Measurements that differ. */
  readonly effects: readonly FieldDifference[];
  /** Results that differ and are numbers, texts or booleans, by their names. */
  readonly results: readonly ResultDifference[];
  /** Fields that are unknown in one run or both: each may hide a cause. */
  readonly unknown: readonly FieldName[];
}

/** The machine's load always varies; a difference below this fraction of a core says nothing. */
const MIN_LOAD_DIFFERENCE = 0.25;
/** Systems keep a little memory for themselves, each release another part: below this share it is the same machine's. */
const MIN_MEMORY_DIFFERENCE = 0.01;

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
      results: resultDifferences(a, b),
      // A field that neither run knows cannot be compared, and may hide a cause too.
      unknown: FIELD_NAMES.filter((field) => !known(a, field) || !known(b, field)).toSorted(
        (one, other) => FIELDS[other].suspicion - FIELDS[one].suspicion,
      ),
    },
    (diff) => diffTable(diff),
  );
}

/** What both runs gave as a single value. */
function resultDifferences(a: RunEntry, b: RunEntry): ResultDifference[] {
  return Object.entries(a.results)
    .map(([result, before]) => ({ result, a: before, b: b.results[result] }))
    .filter((one) => isSingle(one.a) && isSingle(one.b) && one.a !== one.b);
}

const isSingle = (value: unknown): boolean => ["number", "string", "boolean"].includes(typeof value);

function differs(field: FieldName, a: FieldValue, b: FieldValue): boolean {
  if (field === "loadPerCore") return Math.abs(Number(a) - Number(b)) >= MIN_LOAD_DIFFERENCE;
  if (field === "memoryBytes") return Math.abs(Number(b) / Number(a) - 1) >= MIN_MEMORY_DIFFERENCE;
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
  { a, b, suspects, effects, results, unknown }: LogbookDiff,
  names: readonly [string, string] = ["a", "b"],
): Table {
  const row = ({ field, a: before, b: after, suspicion }: FieldDifference) => {
    const [from, to] = onlyWhatDiffers(before, after);
    if (FIELDS[field].section === "parameters" && isVariables(from) && isVariables(to))
      return parameterRows(field, from, to, suspicion);
    const one = [
      field,
      fieldText(field, from),
      fieldText(field, to),
      changeText(before, after),
      suspicion === 0 ? "measured" : `${suspicion} of 10`,
    ];
    return [one];
  };
  const rows = [
    ...[...suspects, ...effects].flatMap(row),
    ...results.map((one) => [
      `results.${one.result}`,
      String(one.a),
      String(one.b),
      changeText(one.a as FieldValue, one.b as FieldValue),
      "measured",
    ]),
  ];
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

/** A row for each parameter: `parameters.width  48  64  +33%  10 of 10`. */
function parameterRows(field: FieldName, a: Variables, b: Variables, suspicion: number): string[][] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => {
    const [from = "not there", to = "not there"] = [a[name], b[name]];
    const change = [from, to].every((text) => text !== "" && Number.isFinite(Number(text)))
      ? changeText(Number(from), Number(to))
      : "";
    return [`${field}.${name}`, from, to, change, `${suspicion} of 10`];
  });
}

/** Returns the variables that differ between two sets. */
function onlyWhatDiffers(a: FieldValue, b: FieldValue): [FieldValue, FieldValue] {
  if (!isVariables(a) || !isVariables(b)) return [a, b];
  const pick = (from: Variables, other: Variables) =>
    Object.fromEntries(Object.entries(from).filter(([name, value]) => other[name] !== value));
  return [pick(a, b), pick(b, a)];
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
