// Shows a logbook: as Markdown to keep in a repository, and as the table in a notebook.
import { columns, type Table } from "../../views/table.ts";
import { checksumsOf } from "./artifacts.ts";
import { fieldText } from "./diff.ts";
import type { LogbookEntry, NoteEntry, RejectedEntry, RunEntry } from "./entry.ts";
import { FIELD_NAMES, type FieldName, FIELDS, type Section, variablesOf } from "./fields.ts";
import type { LogbookContents } from "./file.ts";
import { pointText } from "../parameters.ts";
import { kindOfResult } from "./result_kinds.ts";
import { jsonWithoutSecrets } from "../../secrets/json.ts";
import { visible } from "../../visible.ts";

const SECTIONS: readonly Section[] = [
  "parameters",
  "versions",
  "machine",
  "environment",
  "data",
  "strategy",
  "measured",
];

/** The five facts that the runbook asks for first. */
const FIVE_TUPLE = [
  "torchVersion",
  "commit",
  "batch",
  "resolution",
  "peakBytes",
  "fallbackEnabled",
  "fallbacks",
] as const;

/** Maximum characters shown of evidence that is not a sentence. */
const EVIDENCE_LENGTH = 160;

export function markdownOf({ file, entries, notes }: LogbookContents): string {
  const runs = entries.filter((entry) => entry.type === "run");
  const written = entries.filter((entry) => entry.type === "note");
  const rejected = entries.filter((entry) => entry.type === "rejected");
  const parts = [
    `# Logbook ${sentence(file.split(/[/\\]/).at(-1)!)}`,
    ...notes.map((note) => `> ${sentence(note)}`),
    ...runs.map(runMarkdown),
  ];
  if (written.length > 0)
    parts.push("## Notes", written.map(({ at, text }) => `- ${sentence(at)}: ${sentence(text)}`).join("\n"));
  if (rejected.length > 0) {
    const rows = rejected.map(({ at, hypothesis, why, evidence }) => [
      at,
      hypothesis,
      why,
      evidenceText(evidence),
    ]);
    parts.push(
      "## Rejected hypotheses",
      markdownTable(["when", "hypothesis", "why it failed", "evidence"], rows),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function runMarkdown(run: RunEntry): string {
  const five = FIVE_TUPLE.map((field) => `${field} ${fieldText(field, run.fields[field])}`).join(", ");
  const sections = SECTIONS.map((section) => {
    const rows = FIELD_NAMES.filter((field) => FIELDS[field].section === section).map((field) => [
      field,
      fieldText(field, run.fields[field]),
      run.filledBy[field] ?? run.missing[field] ?? FIELDS[field].ask,
    ]);
    return `### ${section}\n\n${markdownTable(["field", "value", "filled by, or how to"], rows)}`;
  });
  const names = Object.entries(run.results).map(([name, result]) => {
    const kind = kindOfResult(result);
    return kind === null || kind === name ? name : `${name} (${kind})`;
  });
  const results = names.length === 0 ? [] : [sentence(`Results in the JSON: ${names.join(", ")}.`)];
  const tags = Object.entries(variablesOf(run.tags)).map(([name, text]) => `${name} ${text}`);
  const files = checksumsOf(run.artifacts).map(([file, sha256]) => `${file} (sha256 ${sha256})`);
  const beside = [
    ...(tags.length === 0 ? [] : [sentence(`Tags: ${tags.join(", ")}.`)]),
    ...(files.length === 0 ? [] : [sentence(`Artifacts: ${files.join(", ")}.`)]),
  ];
  const head = [sentence(`${run.name}, ${run.at}`), sentence(`Id ${run.id}: ${five}.`)];
  return [`## ${head[0]}`, head[1], ...beside, ...sections, ...results].join("\n\n");
}

function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

function cellText(text: string): string {
  return oneLine(text).replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** A stranger may have written it: no line of its own, and nothing unseen. */
function oneLine(text: string): string {
  return visible(String(text).replaceAll(/\s*\n\s*/g, " "));
}

/** Of a name or a sentence outside of tables: no element of HTML begins in it. */
function sentence(text: string): string {
  return oneLine(text).replaceAll("<", "&lt;");
}

/** A whole result would bury the table that it stands in; the logbook's file has it in full. */
function evidenceText(evidence: unknown): string {
  if (typeof evidence === "string") return evidence;
  const text = jsonWithoutSecrets(evidence ?? null);
  return text.length <= EVIDENCE_LENGTH ? text : `${text.slice(0, EVIDENCE_LENGTH)}… (in full in the JSON)`;
}

/** A note, or a rejected hypothesis with its evidence. */
export function entryTable(entry: NoteEntry | RejectedEntry): Table {
  const caption = oneLine(`${entry.at}, id ${entry.id}`);
  const notes = leftOutNote(entry);
  if (entry.type === "note") return { caption, columns: columns("<<note"), rows: [[entry.text]], notes };
  return {
    caption,
    columns: columns("<<rejected hypothesis", "<<why it failed", "<<evidence"),
    rows: [[entry.hypothesis, entry.why, evidenceText(entry.evidence)]],
    notes,
  };
}

const leftOutNote = ({ leftOut }: LogbookEntry): string[] => (leftOut === undefined ? [] : [leftOut]);

export function logbookTable({ file, entries, notes }: LogbookContents): Table {
  return {
    caption: `${oneLine(file)}, ${entries.length === 1 ? "1 entry" : `${entries.length} entries`}`,
    columns: columns("<when", "<kind", "<<what"),
    rows: entries.map((entry) => [entry.at, entry.type, summaryOf(entry)]),
    notes: [...notes, ...notKnownText(entries.filter((entry) => entry.type === "run"))],
  };
}

/** One sentence for all runs: what is known of one is no gap of the logbook. */
function notKnownText(runs: readonly RunEntry[]): string[] {
  const fields = FIELD_NAMES.filter((field) => runs.every((run) => (run.fields[field] ?? null) === null));
  return runs.length === 0 || fields.length === 0 ? [] : [`Not known of any run: ${fields.join(", ")}.`];
}

function summaryOf(entry: LogbookEntry): string {
  if (entry.type === "note") return oneLine(entry.text);
  if (entry.type === "rejected") return oneLine(`${entry.hypothesis}: ${entry.why}`);
  const { fields } = entry;
  const told = (["device", "batch", "peakBytes", "steadyEpochMs"] as const).filter(
    (field) => (fields[field] ?? null) !== null,
  );
  const parameters = pointText(variablesOf(fields.parameters));
  return oneLine(
    [
      entry.name,
      ...(parameters === "" ? [] : [parameters]),
      ...told.map((field) => `${field} ${fieldText(field, fields[field])}`),
    ].join(", "),
  );
}

/** One run: every field that is known and who filled it, and the names of the others. */
export function runTable(run: RunEntry): Table {
  const isKnown = (field: FieldName) => (run.fields[field] ?? null) !== null;
  const unknown = FIELD_NAMES.filter((field) => !isKnown(field));
  return {
    caption: oneLine(`${run.name}, ${run.at}, id ${run.id}`),
    columns: columns("<field", "<<value", "<filled by"),
    rows: FIELD_NAMES.filter(isKnown).map((field) => [
      field,
      fieldText(field, run.fields[field]),
      run.filledBy[field] ?? "",
    ]),
    notes: [
      ...leftOutNote(run),
      ...(unknown.length === 0
        ? []
        : [`Not known: ${unknown.join(", ")}; the entry's missing says of each how to fill it.`]),
    ],
  };
}

/** A row for each parameter that runs differ in. */
function parameterRows(field: FieldName, runs: readonly RunEntry[]): string[][] {
  const all = runs.map((run) => variablesOf(run.fields[field]));
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))];
  return names
    .map((name) => [`${field}.${name}`, ...all.map((one) => one[name] ?? "not known")])
    .filter(([, ...values]) => new Set(values).size > 1);
}

/** Several runs side by side: the fields in which they differ, the largest suspects first. */
export function fieldsTable(runs: readonly RunEntry[], names: readonly string[]): Table {
  const texts = (field: FieldName) => runs.map((run) => fieldText(field, run.fields[field]));
  const differing = FIELD_NAMES.filter((field) => new Set(texts(field)).size > 1).toSorted(
    (one, other) => FIELDS[other].suspicion - FIELDS[one].suspicion,
  );
  return {
    caption: "Fields that differ, largest suspect first; what was measured last",
    columns: columns("<field", ...names.map((name) => `<<${name}`)),
    rows: differing.flatMap((field) =>
      FIELDS[field].section === "parameters" ? parameterRows(field, runs) : [[field, ...texts(field)]],
    ),
    notes: differing.length === 0 ? ["No field differs."] : [],
  };
}
