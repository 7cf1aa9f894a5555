// Writes runs as MLflow's file store keeps them, `mlruns/EXPERIMENT/RUN/`: a logbook is an experiment. Parameters are those of
// the run and of its optimizer; metrics are those by epoch, and results that are numbers; all other facts are tags.
import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checksumsOf } from "../../../lib/records/logbook/artifacts.ts";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { fieldText } from "../../../lib/records/logbook/diff.ts";
import { FIELD_NAMES, FIELDS, variablesOf } from "../../../lib/records/logbook/fields.ts";
import { makeFolder, writeOutput } from "../output_files.ts";
import type { FoundRun } from "./runs.ts";

const WAY_OUT = "name another folder with --mlflow FOLDER";
/** `RunStatus.FINISHED` and `SourceType.NOTEBOOK` of MLflow. */
const FINISHED = 3;
const NOTEBOOK = 1;
/** MLflow refuses a longer one. */
const MAX_PARAMETER_LENGTH = 6_000;

/** Runs that are there already are written again. */
export function writeMlflow(folder: string, runs: readonly FoundRun[]): void {
  makeFolder(folder, WAY_OUT);
  for (const logbook of new Set(runs.map((run) => run.logbook))) {
    const experiment = experimentOf(logbook);
    const own = runs.filter((run) => run.logbook === logbook).map(({ run }) => run);
    const inside = join(folder, experiment.id);
    makeFolder(inside, WAY_OUT);
    const times = own.map(({ at }) => Date.parse(at));
    writeOutput(join(inside, "meta.yaml"), [
      yaml({
        artifact_location: pathToFileURL(inside).href,
        creation_time: Math.min(...times),
        experiment_id: experiment.id,
        last_update_time: Math.max(...times),
        lifecycle_stage: "active",
        name: experiment.name,
      }),
    ]);
    for (const run of own) writeRun(inside, experiment.id, run);
  }
}

/** The same logbook is the same experiment the next time. Its path is part of the name: notebooks of two folders may share one. */
function experimentOf(logbook: string): { readonly id: string; readonly name: string } {
  const file = resolve(logbook);
  const digest = createHash("sha256").update(file).digest();
  return {
    id: String(digest.readBigUInt64BE() % 10n ** 18n),
    name: `${basename(file, ".logbook.jsonl")} (${file})`,
  };
}

function writeRun(experiment: string, experimentId: string, run: RunEntry): void {
  const id = run.id.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(id)) return; // A stranger's id leads to no other folder.
  const folder = join(experiment, id);
  for (const inside of [
    folder,
    ...["params", "metrics", "tags", "artifacts"].map((name) => join(folder, name)),
  ])
    makeFolder(inside, WAY_OUT);
  const time = Date.parse(run.at);
  writeOutput(join(folder, "meta.yaml"), [
    yaml({
      artifact_uri: pathToFileURL(join(folder, "artifacts")).href,
      end_time: time,
      entry_point_name: "",
      experiment_id: experimentId,
      lifecycle_stage: "active",
      run_id: id,
      run_name: run.name,
      source_name: "",
      source_type: NOTEBOOK,
      source_version: "",
      start_time: time,
      status: FINISHED,
      user_id: "",
    }),
  ]);
  writeAll(join(folder, "params"), parametersOf(run));
  writeAll(join(folder, "metrics"), metricsOf(run, time));
  writeAll(join(folder, "tags"), tagsOf(run));
}

function parametersOf({ fields }: RunEntry): [string, string][] {
  const own = Object.entries(variablesOf(fields.parameters));
  const names = new Set(own.map(([name]) => name));
  const ofOptimizer = Object.entries(variablesOf(fields.optimizer)).map(([name, text]): [string, string] => [
    names.has(name) ? `optimizer.${name}` : name,
    text,
  ]);
  return [...own, ...ofOptimizer].map(([name, text]) => [name, text.slice(0, MAX_PARAMETER_LENGTH)]);
}

/** A line for each value: its time, the value, its epoch. */
function metricsOf({ fields, results, epochs }: RunEntry, time: number): [string, string][] {
  const lines = new Map<string, string>();
  const add = (name: string, value: number, step: number) =>
    lines.set(name, `${lines.get(name) ?? ""}${time} ${numberText(value)} ${step}\n`);
  for (const [name, values] of Object.entries(epochs?.metrics ?? {}))
    for (const [at, value] of values.entries()) if (value !== null) add(name, value, epochs!.epoch[at]!);
  // The last point of a thinned series is a mean, and an older entry has none.
  if ((epochs?.perPoint ?? 2) > 1)
    for (const [name, text] of Object.entries(variablesOf(fields.metrics)))
      add(name, Number(text), (epochs?.epoch.at(-1) ?? 0) + 1);
  for (const field of ["steadyEpochMs", "peakBytes"] as const)
    if (typeof fields[field] === "number") add(field, fields[field], 0);
  for (const [name, value] of Object.entries(results))
    if (typeof value === "number") add(lines.has(name) ? `results.${name}` : name, value, 0);
  return [...lines];
}

function tagsOf({ id, name, fields, results, tags, artifacts }: RunEntry): [string, string][] {
  const facts = FIELD_NAMES.filter((field) => !["parameters", "measured"].includes(FIELDS[field].section))
    .filter((field) => (fields[field] ?? null) !== null)
    .map((field): [string, string] => [`mpslab.${field}`, fieldText(field, fields[field])]);
  const told = Object.entries(results)
    .filter(([, value]) => typeof value === "string" || typeof value === "boolean")
    .map(([key, value]): [string, string] => [key, String(value)]);
  const commit: [string, string][] =
    typeof fields.commit === "string" ? [["mlflow.source.git.commit", fields.commit]] : [];
  const files = checksumsOf(artifacts).map(([file, sha256]): [string, string] => [
    `artifact.${file}`,
    `sha256 ${sha256}`,
  ]);
  const own = Object.entries(variablesOf(tags));
  return [["mlflow.runName", name], ["mpslab.id", id], ...own, ...files, ...commit, ...facts, ...told];
}

/** Python reads `nan` and `inf`. */
function numberText(value: number): string {
  return String(value).toLowerCase().replace("infinity", "inf");
}

function writeAll(folder: string, contents: readonly (readonly [string, string])[]): void {
  const taken = new Set<string>();
  for (const [name, content] of contents) {
    // MLflow's own letters, none of them a dot at the beginning.
    const plain = name.replaceAll(/[^\w. -]/gu, "_").replace(/^\.+/, "_");
    let unique = plain;
    for (let count = 2; taken.has(unique); count++) unique = `${plain}_${count}`;
    taken.add(unique);
    writeOutput(join(folder, unique), [content]);
  }
}

/** JSON's texts and numbers are YAML's. */
function yaml(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join("");
}
