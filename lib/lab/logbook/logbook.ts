// Implements `lab.logbook`: records what a run depended on and what it gave, in a file beside the notebook.
import { randomUUID } from "node:crypto";
import { accessSync } from "node:fs";
import path from "node:path";
import { checkOptions, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { shownAs } from "../../views/shown_as.ts";
import { fileFailure, namedFile } from "../../whole_file.ts";
import {
  COMMAND_FORMS,
  type CommandForm,
  commandText,
  goldenCommand,
} from "../../records/logbook/command.ts";
import { diffOf, type LogbookDiff } from "../../records/logbook/diff.ts";
import {
  type LogbookEntry,
  type NoteEntry,
  type RejectedEntry,
  type RunEntry,
  SCHEMA_VERSION,
} from "../../records/logbook/entry.ts";
import { append, type LogbookContents, read as readFile, repeatsARun } from "../../records/logbook/file.ts";
import type { Plot } from "../plot/plot.ts";
import { siblingPath } from "../core/sibling_path.ts";
import { plotRuns } from "./charts/plot_runs.ts";
import { keepProgram } from "./keep_program.ts";
import { GIVEN, runEntry, type RunGiven } from "./run.ts";
import { Table } from "../../torch/data/tables/table.ts";
import { strategyRecorded } from "../../torch/engine/step_strategy.ts";
import { runRows } from "../../records/logbook/run_rows.ts";
import { entryTable, logbookTable, markdownOf, runTable } from "../../records/logbook/view.ts";
import { jsonWithoutSecrets } from "../../secrets/json.ts";

export type { CommandForm } from "../../records/logbook/command.ts";
export type { FieldDifference, LogbookDiff } from "../../records/logbook/diff.ts";
export type { LogbookEntry, NoteEntry, RejectedEntry, RunEntry } from "../../records/logbook/entry.ts";
export type { FieldName, FieldValue } from "../../records/logbook/fields.ts";
export type { EpochSeries } from "../../records/logbook/epoch_series.ts";
export type { LogbookContents } from "../../records/logbook/file.ts";
export type { KeptProgram } from "../../records/logbook/program.ts";
export type { RunGiven } from "./run.ts";

let chosenFile: string | null = null;

/**
 * The file that entries go to: `tour.logbook.jsonl` beside `tour.ipynb`, or `mpslab.logbook.jsonl` in the working folder where
 * there is no notebook, unless `use` chose one.
 */
export function file(): string {
  return chosenFile ?? siblingPath("logbook.jsonl", "mpslab");
}

/** Chooses another file for later entries; null for the one beside the notebook. */
export function use(chosen: string | null): string {
  if (chosen !== null && (typeof chosen !== "string" || chosen === ""))
    throw new TypeError(`lab.logbook.use takes a file, as "runs.jsonl", or null, not ${describe(chosen)}.`);
  chosenFile = chosen === null ? null : namedFile(path.resolve(chosen));
  return file();
}

/**
 * Records a run: the fields that the machine can fill and those that are given. Every other field is null, with what
 * would fill it; nothing is guessed. The entry is on the disk when this returns. A profile is reduced to its hottest
 * operators. In a notebook it also keeps what ran, without secrets, in the folder `tour.logbook.files` beside the file:
 * cells, changes since the commit, small files, the lock file. `npx mpslab rerun` runs it again. In a replay nothing is
 * written: the run is recorded already.
 *
 *     lab.logbook.record({ parameters: { rate: 0.01 }, batch: 64, resolution: "28x28", workers: 0, amp: "off", results: { sweep } });
 *
 * @throws TypeError, RangeError for fields that do not fit, and for results that JSON cannot keep, as a promise; Error
 *   if the file cannot be written
 */
export function record(given: RunGiven = {}): RunEntry {
  const call = "lab.logbook.record";
  const entry = entryOf(call, given);
  const program = repeatsARun() ? null : keepProgram(call, file());
  strategyRecorded();
  return shownAs(keep(program === null ? entry : { ...entry, program }), runTable);
}

/**
 * Returns the run that `record` would write, without writing it: the present state of this machine and session.
 *
 * @throws TypeError, RangeError for fields that do not fit
 */
export function draft(given: RunGiven = {}): RunEntry {
  return shownAs(plain(entryOf("lab.logbook.draft", given)), runTable);
}

/** @throws TypeError for a text that is not a string or is empty; Error if the file cannot be written */
export function note(text: string): NoteEntry {
  checkSentence("lab.logbook.note", "the text", text);
  return shownAs(keep({ type: "note", ...head(), text }), entryTable);
}

/**
 * Records what was tried and why it failed, so that it is not tried again.
 *
 *     lab.logbook.rejected("more workers", "the step waits for item(), not for data", "lab.syncs: Cell [4]:9, 31 ms");
 *
 * @throws TypeError for texts that are not strings or are empty; Error if the file cannot be written
 */
export function rejected(hypothesis: string, why: string, evidence: unknown): RejectedEntry {
  checkSentence("lab.logbook.rejected", "the hypothesis", hypothesis);
  checkSentence("lab.logbook.rejected", "why", why);
  if (evidence === undefined || evidence === null || evidence === "")
    throw new TypeError(
      "lab.logbook.rejected: give the evidence too, as a sentence, a result or the id of a run: without it the hypothesis comes back.",
    );
  try {
    JSON.stringify(evidence);
  } catch (cause) {
    throw new TypeError(
      "lab.logbook.rejected: the evidence must be what JSON can hold, as a sentence or a result.",
      {
        cause,
      },
    );
  }
  return shownAs(keep({ type: "rejected", ...head(), hypothesis, why, evidence }), entryTable);
}

/**
 * All entries of the logbook, or of another one's file. `notes` lists lines that were torn or too new.
 *
 * @throws TypeError for a path that is not a string; Error if another file cannot be read
 */
export function read(from: string = file()): LogbookContents {
  if (typeof from !== "string")
    throw new TypeError(`lab.logbook.read: the file must be a path, got ${describe(from)}.`);
  return shownAs(contentsOf("lab.logbook.read", from), logbookTable);
}

/**
 * The runs of the logbook, or of another one's file, as a table: parameters, metrics of the last epoch and results by their
 * names.
 *
 *     lab.logbook.runs().filter((run) => run.rate < 0.1).sortBy("accuracy", { descending: true })
 *
 * @throws TypeError for what is no path; Error if another file cannot be read
 */
export function runs(from: string = file()): Table {
  const call = "lab.logbook.runs";
  if (typeof from !== "string")
    throw new TypeError(`${call}: the file must be a path, got ${describe(from)}.`);
  const found = contentsOf(call, from).entries.filter((entry) => entry.type === "run");
  return Table.fromRecords(runRows(found));
}

/**
 * The logbook, or another one, as Markdown.
 *
 * @throws TypeError for a value that is not a logbook; Error if another file cannot be read
 */
export function markdown(from: string | LogbookContents = file()): string {
  if (typeof from === "string") return markdownOf(contentsOf("lab.logbook.markdown", from));
  if (!isRecord(from) || !Array.isArray(from.entries) || !Array.isArray(from.notes))
    throw new TypeError(
      `lab.logbook.markdown takes a file or what lab.logbook.read() returns, got ${describe(from)}.`,
    );
  return markdownOf(from);
}

/**
 * The session's own logbook has no file before its first entry. A caller who names another logbook expects its file to
 * exist.
 */
function contentsOf(call: string, from: string): LogbookContents {
  const given = path.resolve(from);
  try {
    if (given !== path.resolve(file())) accessSync(given);
    return readFile(given);
  } catch (cause) {
    throw fileFailure(call, given, cause);
  }
}

/**
 * Returns the differences between two runs, the largest suspect first. A run may be given by its id, or by the
 * beginning of it.
 *
 * @throws TypeError for a value that is not a run; RangeError for an id that the logbook does not hold
 */
export function diff(a: RunEntry | string, b: RunEntry | string): LogbookDiff {
  return diffOf(runOf("lab.logbook.diff", a), runOf("lab.logbook.diff", b));
}

/**
 * Draws runs on one chart for each thing that they measured: metrics, time and memory by epoch, throughput and memory
 * of a sweep by batch. Where machines, devices, threads, commits or versions differ, each chart says so. A run is given
 * by its id, by the beginning of its id, or as an entry, which may come from another machine's logbook:
 *
 *     lab.logbook.plot("3fa29c1d", "b59e5018");
 *     lab.logbook.plot(...lab.logbook.read("studio.logbook.jsonl").entries.filter((entry) => entry.type === "run"));
 *
 * @throws TypeError for a value that is not a run; RangeError for an id that the logbook does not hold, for runs
 *   without epochs and sweeps, and for more than twelve
 */
export function plot(...runs: readonly (RunEntry | string)[]): Plot {
  const call = "lab.logbook.plot";
  if (runs.length === 0)
    throw new TypeError(
      `${call} takes runs, as lab.logbook.plot(id, otherId): lab.logbook.read() lists them.`,
    );
  return plotRuns(
    call,
    runs.map((run) => runOf(call, run)),
  );
}

export interface CommandOptions {
  /** The notebook's file, where the session does not know it. Default: the session's notebook. */
  readonly notebook?: string;
}

/**
 * The command and the environment variables with which a run is repeated: as text to type, as a launchd plist or as a
 * systemd unit.
 *
 * @throws TypeError for a run without a notebook; RangeError for an unknown form
 */
export function command(
  run: RunEntry | string,
  form: CommandForm = "plain",
  options: CommandOptions = {},
): string {
  const call = "lab.logbook.command";
  if (!COMMAND_FORMS.includes(form))
    throw new RangeError(`${call}: the form is ${COMMAND_FORMS.join(", ")}, not ${describe(form)}.`);
  const given = checkOptions<CommandOptions>(call, options, ["notebook"]);
  const notebook = given.notebook ?? process.env["JPY_SESSION_NAME"];
  if (given.notebook === undefined && !isNotebook(notebook))
    throw new TypeError(`${call}: this session does not know its notebook: give { notebook: "tour.ipynb" }.`);
  if (!isNotebook(notebook))
    throw new TypeError(
      `${call}: notebook must be the path of one, as "tour.ipynb", got ${describe(notebook)}.`,
    );
  return commandText(goldenCommand(runOf(call, run), notebook), form);
}

function isNotebook(name: unknown): name is string {
  return typeof name === "string" && name.endsWith(".ipynb");
}

function entryOf(call: string, given: RunGiven): RunEntry {
  const names = ["name", "results", "parameters", "tags", "artifacts", ...GIVEN] as const;
  return runEntry(checkOptions<RunGiven>(call, given, names), call);
}

function head(): { schema: typeof SCHEMA_VERSION; id: string; at: string } {
  return { schema: SCHEMA_VERSION, id: randomUUID(), at: new Date().toISOString() };
}

/** Returns the entry in the form in which it was written: plain data without secrets. */
function keep<Entry extends LogbookEntry>(entry: Entry): Entry {
  append(file(), entry);
  return plain(entry);
}

function plain<Entry extends LogbookEntry>(entry: Entry): Entry {
  return JSON.parse(jsonWithoutSecrets(entry)) as Entry;
}

/** A name may be that of many runs. */
const MOST_IDS = 5;

const oneOrMore = (ids: readonly string[]): string =>
  ids.length === 1
    ? `is the run ${ids[0]}`
    : `are the runs ${ids.slice(-MOST_IDS).join(", ")}${ids.length > MOST_IDS ? " and earlier ones" : ""}`;

function runOf(call: string, run: RunEntry | string): RunEntry {
  if (typeof run === "string") {
    const all = readFile(file()).entries.filter((entry) => entry.type === "run");
    const found = all.filter(({ id }) => run !== "" && id.startsWith(run));
    if (found.length > 1 && run !== found[0]!.id)
      throw new RangeError(
        `${call}: ${file()} holds ${found.length} runs whose id begins with ${JSON.stringify(run)}: write more of it.`,
      );
    if (found[0] === undefined) {
      const named = all.filter(({ name }) => name === run).map(({ id }) => JSON.stringify(id.slice(0, 8)));
      const instead = named.length === 0 ? "" : `; of the name there ${oneOrMore(named)}`;
      throw new RangeError(`${call}: ${file()} holds no run with the id ${run}${instead}.`);
    }
    return found[0];
  }
  if (!isRecord(run) || run.type !== "run" || !isRecord(run.fields))
    throw new TypeError(`${call} takes runs, as lab.logbook.record(...) returns them, not ${describe(run)}.`);
  return run;
}

function checkSentence(call: string, what: string, text: unknown): void {
  if (typeof text !== "string" || text.trim() === "")
    throw new TypeError(`${call}: ${what} must be a sentence, got ${describe(text)}.`);
}
