// `mpslab rerun`: repeats a run of a logbook in a clean folder, and prints the first difference from the notebook's outputs.
import { existsSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { RunEntry } from "../../../lib/lab/logbook/entry.ts";
import { type Program, readProgram } from "../../../lib/lab/logbook/program.ts";
import { packageManifest } from "../../../lib/installation/package.ts";
import { counted } from "../../../lib/words.ts";
import { runList } from "../logbook/list.ts";
import {
  findRun,
  type FoundRun,
  logbooks,
  notebookBeside,
  runsIn,
  shortId,
  shownPath,
} from "../logbook/runs.ts";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import { type CodeCell, isProgram, type Notebook } from "../notebook/format.ts";
import { CommandError } from "../project.ts";
import { type Agreement, compareRuns, EXIT_STATUS } from "../replay/agreement.ts";
import { comparedCells, notComparedCells, ownMetadata } from "../replay/compared_cells.ts";
import { fingerprintOf } from "../replay/replayed_notebook.ts";
import { cleanFolder } from "./clean_folder.ts";
import { executedNotebook } from "./executed_notebook.ts";

export interface RerunOptions {
  /** The id or its beginning; undefined lists the runs. */
  readonly id: string | undefined;
  /** Logbooks to look into. Default: those of this folder, and of the folders in it. */
  readonly logbooks: readonly string[];
  /** The notebook with the outputs. Default: the one beside the logbook. */
  readonly notebook?: string | undefined;
  readonly folder?: string | undefined;
  readonly repository?: string | undefined;
  readonly install?: boolean | undefined;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** How far numbers may be apart, as a share. */
  readonly tolerance?: number | undefined;
}

/** Variables that change results, and mean the same on every machine. */
const REPEATED_VARIABLE = /^(OMP|KMP|MKL|GOMP|OPENBLAS|VECLIB|PYTORCH|CUBLAS)_|^MPSLAB_METAL$/;

/** Resolves with the exit status. */
export async function rerun(options: RerunOptions): Promise<number> {
  const runs = runsIn(logbooks(options.logbooks));
  if (options.id === undefined) {
    process.stdout.write(runList(runs, "mpslab rerun ID repeats one; the beginning of its id is enough."));
    return 0;
  }
  const found = findRun(options.id, runs, "mpslab rerun");
  const given = notebookOf(found, options.notebook);
  const program = programOf(found, given);
  const { notebook: stored, known, matched } = executedNotebook(program, given?.notebook ?? null);
  const { run, logbook } = found;
  const { root, folder, notes } = cleanFolder(program, {
    logbook,
    commit: run.fields.commit as string | null,
    folder: options.folder,
    repository: options.repository,
    notebookLock: given === null ? null : (ownMetadata(given.notebook.metadata).lock ?? null),
    install: options.install === true,
  });
  process.stdout.write(`${headline(found, program)}\nin ${root}\n`);
  for (const note of [...notes, ...versionNotes(run)]) process.stdout.write(`  ${note}\n`);

  const now = structuredClone(stored);
  const name = program.notebook ?? basename(given?.file ?? "notebook.ipynb");
  const session = program.notebook === null ? undefined : join(folder, name);
  const environment = { ...repeatedVariables(program), JPY_SESSION_NAME: session };
  const fingerprint = await fingerprintOf(now, folder, { timeout: options.timeout, environment });
  if (typeof fingerprint === "number") return fingerprint;
  const { verdict, text } =
    matched === 0
      ? withoutOutputs(now)
      : (newFailure(stored, now) ??
        compareRuns(comparedCells(stored, now), known, fingerprint, options.tolerance));
  process.stdout.write(`${text}\n`);
  if (verdict === "same")
    process.stdout.write(
      [...notComparedCells(stored), ...cellsWithoutOutputs(stored), ""].join("\n").trimStart(),
    );
  endFolder(root, options.folder, verdict, () => {
    const file = join(folder, `${basename(name, ".ipynb")}.rerun.ipynb`);
    writeNotebook(now, file);
    return file;
  });
  return EXIT_STATUS[verdict];
}

interface GivenNotebook {
  readonly file: string;
  readonly notebook: Notebook;
}

function notebookOf({ logbook, run }: FoundRun, asked: string | undefined): GivenNotebook | null {
  const file = asked === undefined ? notebookBeside(logbook, run.program?.notebook ?? null) : resolve(asked);
  if (asked === undefined && !existsSync(file)) return null;
  return { file, notebook: readNotebook(file) };
}

/** What ran; of a run that an earlier version recorded, the notebook from top to bottom. */
function programOf({ logbook, run }: FoundRun, given: GivenNotebook | null): Program {
  if (run.program !== undefined) {
    try {
      return readProgram(logbook, run.program);
    } catch (error) {
      throw new CommandError((error as Error).message);
    }
  }
  if (given === null)
    throw new CommandError(
      `The run ${shortId(run)} has no cells, as an earlier version recorded it: give its notebook, --notebook FILE, which then runs from top to bottom.`,
    );
  const cells = given.notebook.cells.filter(isProgram);
  return {
    notebook: basename(given.file),
    folder: "",
    cells: cells.map(({ source, execution_count: count }, at) => ({ count: count ?? at + 1, text: source })),
    recordedBy: null,
    machine: {},
    environment: (run.fields.variables ?? {}) as Record<string, string>,
    patch: null,
    files: [],
    lock: null,
    notes: [`the cells of ${given.file} from top to bottom: the logbook of an earlier version kept none`],
  };
}

function headline({ logbook, run }: FoundRun, { cells, notebook }: Program): string {
  const of = notebook === null ? "" : ` of ${notebook}`;
  return `run ${shortId(run)} (${run.name}, ${run.at}) of ${shownPath(logbook)}: ${counted(cells.length, "cell")}${of} in the order in which they ran`;
}

/** What is another version here; that of libtorch is part of the comparison. */
function versionNotes({ fields }: RunEntry): string[] {
  const here = { mpslabVersion: packageManifest().version, nodeVersion: process.versions.node };
  return (["mpslabVersion", "nodeVersion"] as const)
    .filter((field) => fields[field] !== null && fields[field] !== here[field])
    .map((field) => `${field} was ${String(fields[field])}, here ${here[field]}`);
}

/** The variables of the run's session before its first cell; those that only this machine has are taken away. */
function repeatedVariables({ environment }: Program): Record<string, string | undefined> {
  const here = Object.keys(process.env).map((name) => [name, undefined] as const);
  const all = [...here, ...Object.entries(environment)];
  return Object.fromEntries(all.filter(([name]) => REPEATED_VARIABLE.test(name)));
}

/** A run whose outputs are not there: whether its cells still run is all that can be said. */
function withoutOutputs(now: Notebook): Agreement {
  const cells = now.cells.filter(isProgram);
  const failed = cells.findIndex((cell) => errorOf(cell) !== null);
  if (failed >= 0)
    return { verdict: "different", text: `cell ${failed + 1} failed: ${errorOf(cells[failed]!)}` };
  const text =
    `cannot tell: ${counted(cells.length, "cell")} ran without an error, and there are no outputs to compare with. ` +
    "Give the notebook that holds them: --notebook FILE.";
  return { verdict: "cannot tell", text };
}

/** A cell has failed that had not, compared or not: what the cells below show differs for that reason. */
function newFailure(stored: Notebook, now: Notebook): Agreement | null {
  const after = now.cells.filter(isProgram);
  for (const [at, cell] of stored.cells.filter(isProgram).entries()) {
    if (cell.execution_count === null || errorOf(cell) !== null) continue;
    const error = errorOf(after[at]!);
    if (error !== null)
      return {
        verdict: "different",
        text: `first difference: cell ${at + 1} failed, and had not\n  now     ${error}`,
      };
  }
  return null;
}

function errorOf({ outputs }: CodeCell): string | null {
  const error = outputs.find((output) => output.output_type === "error");
  return error === undefined ? null : `${error.ename}: ${error.evalue}`;
}

/** Cells that the notebook has no longer, or in which something else stands now. */
function cellsWithoutOutputs(stored: Notebook): string[] {
  return stored.cells
    .filter(isProgram)
    .flatMap(({ execution_count: count }, at) =>
      count === null ? [`not compared: cell ${at + 1}, of which the notebook has no outputs`] : [],
    );
}

/** A temporary folder of a run that agrees is of no more use. */
function endFolder(
  root: string,
  asked: string | undefined,
  verdict: Agreement["verdict"],
  keepOutputs: () => string,
): void {
  if (asked === undefined && verdict === "same") rmSync(root, { recursive: true, force: true });
  else process.stdout.write(`outputs of the rerun: ${keepOutputs()}\n`);
}
