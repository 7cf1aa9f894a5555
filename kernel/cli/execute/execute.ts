// `mpslab execute`: runs a notebook headless with progress a cell, then writes it and an HTML page into a folder, and says
// where.
import { basename, dirname, extname, join } from "node:path";
import { NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import { clearOutputs, isProgram, type Notebook } from "../notebook/format.ts";
import { makeFolder, NAME_ANOTHER } from "../output_files.ts";
import { writePage } from "./page.ts";
import { Progress } from "./progress.ts";

export interface ExecuteOptions {
  /** The notebook's file. */
  readonly file: string;
  /** The folder for what comes of it. */
  readonly output: string;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Whether cells after a failed one run as well. */
  readonly allowErrors?: boolean | undefined;
}

/** Resolves with the exit status: 1 where a cell failed. */
export async function execute({ file, output, ...options }: ExecuteOptions): Promise<number> {
  const notebook = readNotebook(file);
  // The folder is made before the cells run, so that a failure is reported at once.
  makeFolder(output, NAME_ANOTHER);
  clearOutputs(notebook);
  const status = await run(notebook, dirname(file), options);
  // The notebook is also written after an error, with the outputs before it.
  const executed = join(output, basename(file));
  writeNotebook(notebook, executed);
  const page = join(output, `${basename(file, extname(file))}.html`);
  await writePage(executed, page);
  process.stdout.write(`executed notebook: ${executed}\nHTML page: ${page}\n`);
  return status;
}

type RunOptions = Pick<ExecuteOptions, "timeout" | "allowErrors">;

async function run(
  notebook: Notebook,
  folder: string,
  { timeout, allowErrors }: RunOptions,
): Promise<number> {
  const cells = notebook.cells.filter(isProgram);
  const progress = new Progress(cells.length);
  let started: NotebookRun | null = null;
  try {
    started = await NotebookRun.start(folder);
    for (const cell of cells) {
      progress.starts(cell);
      const reply = await started.runCell(cell, { timeout });
      if (progress.ended(cell, reply) && !allowErrors) return 1;
    }
    progress.tellFailures();
    return 0;
  } catch (error) {
    if (!(error instanceof UnfinishedRun)) throw error;
    // The line of its cell has no end yet.
    process.stderr.write(`\n${error.sentence(timeout, progress.number || null)}\n`);
    return error.exitStatus;
  } finally {
    await started?.describe(notebook).catch(() => {});
    await started?.stop();
  }
}
