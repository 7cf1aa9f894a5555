// Appends to and reads a logbook's file of JSON lines. Several kernels may append at once; the reader reports which
// lines a crash has torn. A session that `mpslab replay` or `rerun` started repeats a run that is recorded already: what it
// records it can read itself, and the file stays as it is.
import { existsSync, readFileSync } from "node:fs";
import { appendLine, readLine } from "../json_lines.ts";
import { type LogbookEntry, SCHEMA_VERSION } from "./entry.ts";
import { FIELD_NAMES, type FieldName, FIELDS } from "./fields.ts";
import { isObject } from "./is_object.ts";
import { jsonWithoutSecrets } from "../../secrets/json.ts";
import { LeftOutParts } from "../../secrets/left_out.ts";

export interface LogbookContents {
  readonly file: string;
  readonly entries: readonly LogbookEntry[];
  /** The omitted parts, each with the reason. */
  readonly notes: readonly string[];
}

/** Whether this session repeats another one. */
export function repeatsARun(): boolean {
  return Boolean(process.env["MPSLAB_REPLAY"]);
}

/** What a session that repeats another one has recorded, by file. */
const unwritten = new Map<string, string[]>();

/**
 * The line is on the disk when this returns.
 *
 * @throws Error if the file cannot be written, saying where it is
 */
export function append(file: string, entry: LogbookEntry): void {
  const line = lineOf(entry);
  if (repeatsARun()) {
    unwritten.set(file, [...(unwritten.get(file) ?? []), line]);
    return;
  }
  const remedy = "choose another file with lab.logbook.use(file)";
  appendLine({ file, name: "logbook", remedy }, line);
}

/** JSON of an entry. What it lacks is said in the entry itself. */
function lineOf(entry: LogbookEntry): string {
  const parts = new LeftOutParts();
  const line = jsonWithoutSecrets(entry, parts);
  const sentence = parts.sentence();
  return sentence === null
    ? line
    : JSON.stringify({ ...(JSON.parse(line) as LogbookEntry), leftOut: sentence });
}

export function read(file: string): LogbookContents {
  const own = unwritten.get(file) ?? [];
  const isThere = existsSync(file);
  if (!isThere && own.length === 0) return { file, entries: [], notes: [`${file} is not there yet.`] };
  const lines = [...(isThere ? readFileSync(file, "utf8").split("\n") : []), ...own];
  const entries: LogbookEntry[] = [];
  const notes: string[] = [];
  lines.forEach((line, at) => {
    if (line.trim() === "") return;
    const entry = readLine<LogbookEntry>(line);
    if (entry === null) {
      notes.push(`Line ${at + 1} was torn by a crash in the middle of its write and is left out.`);
    } else if (entry.schema === SCHEMA_VERSION) {
      if (isWhole(entry)) entries.push(withOrigins(entry));
      else notes.push(`Line ${at + 1} lacks what an entry has, and is left out: another program wrote it.`);
    } else {
      notes.push(
        `Line ${at + 1} has schema ${String(entry.schema)}, this version reads ${SCHEMA_VERSION}: left out.`,
      );
    }
  });
  return { file, entries, notes };
}

/** As far as readers rely on it: a logbook may have been written by another program, or edited. */
function isWhole(entry: LogbookEntry): boolean {
  const { id, at, type } = entry;
  if (typeof id !== "string" || typeof at !== "string") return false;
  if (type === "note") return typeof entry.text === "string";
  if (type === "rejected") return typeof entry.hypothesis === "string" && typeof entry.why === "string";
  return (
    type !== "run" ||
    (typeof entry.name === "string" &&
      isObject(entry.results) &&
      areTexts(entry.filledBy ?? {}) &&
      areTexts(entry.missing ?? {}) &&
      isObject(entry.fields) &&
      FIELD_NAMES.every((field) => fits(field, entry.fields[field])) &&
      isKept(entry.program))
  );
}

/** Readers ask who filled each field. */
function withOrigins(entry: LogbookEntry): LogbookEntry {
  if (entry.type !== "run" || (entry.filledBy && entry.missing)) return entry;
  return { ...entry, filledBy: entry.filledBy ?? {}, missing: entry.missing ?? {} };
}

const areTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string");

const isKept = (program: unknown): boolean =>
  program === undefined ||
  (isObject(program) &&
    typeof program["sha256"] === "string" &&
    Number.isInteger(program["cells"]) &&
    (program["notebook"] === null || typeof program["notebook"] === "string"));

/** Whether the value is what the field holds. An older version lacks some. */
function fits(field: FieldName, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  switch (FIELDS[field].kind) {
    case "strings":
      return Array.isArray(value) && value.every((text) => typeof text === "string");
    case "variables":
      return areTexts(value);
    case "integer":
      return typeof value === "number";
    default:
      return typeof value === FIELDS[field].kind;
  }
}
