// Prepares a run of a logbook to be repeated: what ran, the notebook that runs it, the clean folder, and the review of all of
// that. Runs nothing of it.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Program, readProgram } from "../../../lib/records/logbook/program.ts";
import { type FoundRun, notebookBeside, shortId } from "../logbook/runs.ts";
import { readNotebook } from "../notebook/file.ts";
import { isProgram, type Notebook } from "../notebook/format.ts";
import { CommandError } from "../project.ts";
import { ownMetadata } from "../replay/compared_cells.ts";
import { type CleanFolder, cleanFolder } from "./clean_folder.ts";
import { type ExecutedNotebook, executedNotebook } from "./executed_notebook.ts";
import { type Review, reviewOf } from "./review.ts";

export interface PrepareOptions {
  /** The notebook with the outputs. Default: the one beside the logbook. */
  readonly notebook?: string | undefined;
  /** An empty or new folder. Default: a new one among the system's temporary files. */
  readonly folder?: string | undefined;
  /** A clone that may have the commit. */
  readonly repository?: string | undefined;
}

export interface PreparedRun {
  readonly found: FoundRun;
  readonly program: Program;
  readonly executed: ExecutedNotebook;
  readonly folder: CleanFolder;
  /** Variables that are set for the cells, or taken away. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly review: Review;
  /** The file of the notebook with the outputs; null where there is none. */
  readonly file: string | null;
}

/** Variables that change results, and mean the same on every machine. */
const REPEATED_VARIABLE = /^(OMP|KMP|MKL|GOMP|OPENBLAS|VECLIB|PYTORCH|CUBLAS)_|^MPSLAB_METAL$/;

/** @throws CommandError for a logbook, a notebook or a folder that cannot be used, and for what is refused */
export function prepare(found: FoundRun, options: PrepareOptions): PreparedRun {
  const given = notebookOf(found, options.notebook);
  const program = programOf(found, given);
  const executed = executedNotebook(program, given?.notebook ?? null);
  const environment = repeatedVariables(program);
  const folder = cleanFolder(program, {
    logbook: found.logbook,
    commit: found.run.fields.commit as string | null,
    folder: options.folder,
    repository: options.repository,
    notebookLock: given === null ? null : (ownMetadata(given.notebook.metadata).lock ?? null),
  });
  const file = given?.file ?? null;
  try {
    const review = reviewOf(executed.notebook, folder, environment);
    return { found, program, executed, folder, environment, review, file };
  } catch (error) {
    removeFolder({ folder }, options.folder);
    throw error;
  }
}

/**
 * Whether somebody has read what would run.
 *
 * @param reviewed the checksum that was given
 * @throws CommandError for the checksum of something else
 */
export function isReviewed({ found, review }: PreparedRun, reviewed: string | undefined): boolean {
  const given = reviewed?.toLowerCase();
  if (given === undefined || given === review.checksum) return given !== undefined;
  throw new CommandError(
    `What would run is not what was reviewed (--reviewed ${given}, now ${review.checksum}): read mpslab report ${shortId(found.run)} again.`,
  );
}

/** A folder that the user named stays, empty as before. */
export function removeFolder(
  { folder: { root } }: Pick<PreparedRun, "folder">,
  asked: string | undefined,
): void {
  const made = asked === undefined ? [root] : readdirSync(root).map((name) => join(root, name));
  for (const path of made) rmSync(path, { recursive: true, force: true });
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

/** The variables of the run's session before its first cell; those that only this machine has are taken away. */
function repeatedVariables({ environment }: Program): Record<string, string | undefined> {
  const here = Object.keys(process.env).map((name) => [name, undefined] as const);
  const all = [...here, ...Object.entries(environment)];
  return Object.fromEntries(all.filter(([name]) => REPEATED_VARIABLE.test(name)));
}
