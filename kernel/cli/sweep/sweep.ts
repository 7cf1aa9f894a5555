// `mpslab papermill`: runs a notebook once for each combination of its parameters' values. Leaves a notebook of each, one
// journal to go on from, and one table.
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { seededRandom, shuffled } from "../../../lib/statistics/seeded_random.ts";
import type { ClusterOptions } from "../../../lib/lab/ray/cluster.ts";
import { RayError } from "../../../lib/lab/ray/errors.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { readNotebook } from "../notebook/file.ts";
import { hasTag, type Notebook } from "../notebook/format.ts";
import { makeFolder, NAME_ANOTHER, writeOutput } from "../output_files.ts";
import { CommandError } from "../project.ts";
import { fileName, gridOf } from "./grid.ts";
import {
  canonicalText,
  type Grid,
  type Point,
  pointsOf,
  pointText,
} from "../../../lib/records/parameters.ts";
import { Journal, JOURNAL, type PointRecord } from "./journal.ts";
import { declaredParameters, isVariableName, PARAMETERS_TAG } from "./parameters.ts";
import { runOnRay } from "./points_on_ray.ts";
import { runHere } from "./points_here.ts";
import { commaSeparated, markdown, tableOf } from "./table.ts";
import { say } from "../terminal.ts";

export interface SweepOptions {
  /** The notebook's file. */
  readonly file: string;
  /** Names and values with commas between them, as `["batchSize", "32,64"]`. */
  readonly parameters: readonly (readonly [string, string])[];
  /** A YAML file of names and lists of values. */
  readonly gridFile?: string | undefined;
  /** The folder for notebooks, journal and table. */
  readonly output: string;
  /** Fixes the order of the points. */
  readonly seed: number;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Whether to start anew, instead of continuing an earlier run of the same sweep. */
  readonly restart?: boolean | undefined;
  /** Whether points may fail, as long as one succeeds: the sweep may be there to find out what runs out of memory. */
  readonly allowErrors?: boolean | undefined;
  /** How many points run at the same time, each with its share of the cores. Default: 1. */
  readonly jobs?: number | undefined;
  /** The Ray cluster that runs the points. If undefined, this machine runs them. */
  readonly cluster?: ClusterOptions | undefined;
}

/** Resolves with the exit status: 1 where a point failed that may not. */
export async function sweep(options: SweepOptions): Promise<number> {
  const {
    file,
    parameters,
    gridFile,
    output,
    seed,
    timeout,
    restart,
    allowErrors,
    jobs = 1,
    cluster,
  } = options;
  const notebook = readNotebook(file);
  const grid = gridOf(parameters, gridFile);
  requireParameters(file, notebook, grid);
  const points = pointsOf(grid);
  makeFolder(output, NAME_ANOTHER);
  const journal = new Journal(join(output, JOURNAL));
  const records = journal.open({ notebook: sourceHash(notebook), grid, seed }, restart === true);
  if (records.length > 0) say(`${records.length} points are there from before.\n`);

  const done = new Set(records.map(({ point }) => canonicalText(point)));
  const numbers = new Map(points.map((point, at) => [point, at + 1]));
  // The order is random, so that warming up or a busy while affects all values of a parameter alike.
  const missing = shuffled(points, seededRandom(seed))
    .filter((point) => !done.has(canonicalText(point)))
    .map((point) => ({ point, name: fileName(numbers.get(point) ?? 0, points.length, point) }));
  const begin = (point: Point) => `[${records.length + 1}/${points.length}] ${pointText(point)}`;
  const take = (record: PointRecord) => {
    journal.append(record);
    records.push(record);
    writeTable(output, points, records);
    const error = record.error === null ? "" : `  ${record.error}`;
    say(`  ${record.wallSeconds.toFixed(1)} s${error}\n`);
  };
  try {
    const work = { notebook, source: file, output, timeout };
    if (cluster === undefined) {
      await runHere(work, missing, jobs, {
        // Where several points run at a time, a point is told when it has ended.
        begun: (point) => jobs === 1 && say(begin(point)),
        ended(record) {
          if (jobs > 1) say(begin(record.point));
          take(record);
        },
      });
    } else {
      await runOnRay(work, missing, cluster, (record) => {
        say(`${begin(record.point)}  on ${record.node}`);
        take(record);
      });
    }
  } catch (error) {
    if (!(error instanceof UnfinishedRun) && !(error instanceof RayError)) throw error;
    const why = error instanceof RayError ? `${error.message}\n` : "";
    say(
      `\n${why}${why === "" ? "Interrupted" : "Ended"} with ${records.length} of ${points.length} points done: the same command goes on from here.\n`,
    );
    return error instanceof RayError ? 1 : error.exitStatus;
  }
  const table = writeTable(output, points, records);
  const failed = records.filter(({ status }) => status !== "ok").length;
  say(
    `\n${table}\n${points.length - failed} of ${points.length} points succeeded; notebooks and table: ${output}\n`,
  );
  // Papermill and test runners also exit with a failure here: a job that reads only the status must not take a missing
  // point for a result.
  const isAllowed = allowErrors === true && failed < points.length;
  return failed > 0 && !isAllowed ? 1 : 0;
}

/** @throws CommandError for a name that the notebook does not have, or that no variable can have */
function requireParameters(file: string, notebook: Notebook, grid: Grid): void {
  const names = Object.keys(grid);
  if (names.length === 0)
    throw new CommandError(
      "papermill takes values of parameters: mpslab papermill a.ipynb -p batchSize 32,64,128",
    );
  if (!notebook.cells.some((cell) => hasTag(cell, PARAMETERS_TAG))) {
    throw new CommandError(
      `${basename(file)} has no cell tagged ${PARAMETERS_TAG}: tag the one that declares them, as let batchSize = 32;`,
    );
  }
  const refused = names.find((name) => !isVariableName(name));
  if (refused !== undefined)
    throw new CommandError(`${refused} is no name for a TypeScript variable: rename the parameter.`);
  const known = declaredParameters(notebook);
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const has = [...known.keys()].join(", ") || "none";
  throw new CommandError(`${unknown} is no parameter of ${basename(file)}: it has ${has}.`);
}

/** Hashes the cells' sources and tags. Outputs and times do not make a different notebook. */
function sourceHash(notebook: Notebook): string {
  const list = (texts: readonly string[]) => `[${texts.join(", ")}]`;
  const cells = notebook.cells.map(({ cell_type: type, source, metadata: { tags = [] } }) =>
    list([asciiText(type), asciiText(source), list(tags.map(asciiText))]),
  );
  return createHash("sha256").update(list(cells)).digest("hex");
}

/** Encodes a text as Python's json does, so that journals of earlier versions keep their checksums. */
function asciiText(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, escaped);
}

function writeTable(folder: string, points: readonly Point[], records: readonly PointRecord[]): string {
  const table = tableOf(points, records);
  const text = markdown(table);
  writeOutput(join(folder, "table.md"), [text]);
  writeOutput(join(folder, "table.csv"), [commaSeparated(table)]);
  return text;
}
