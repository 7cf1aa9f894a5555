// `mpslab execute`: runs a notebook headless with progress a cell, then writes it and an HTML page into a folder, and says
// where.
import { basename, dirname, extname, join } from "node:path";
import { NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import { clearOutputs, isProgram, type JsonObject, type Notebook } from "../notebook/format.ts";
import { notebookLock } from "../notebook/lock.ts";
import { makeFolder, NAME_ANOTHER, requireNoLink } from "../output_files.ts";
import { writePage } from "./page.ts";
import { Progress } from "./progress.ts";
import { RunRecorder } from "./record_run.ts";
import { complain, say } from "../terminal.ts";

export interface ExecuteOptions {
  /** The notebook's file. */
  readonly file: string;
  /** The folder for the executed notebook, its page and its logbook. */
  readonly output: string;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Whether cells after a failed one run as well. */
  readonly allowErrors?: boolean | undefined;
  /** Whether the run is recorded in a logbook beside the executed notebook, for `mpslab rerun`. */
  readonly record?: boolean | undefined;
}

/** Resolves with the exit status: 1 where a cell failed. */
export async function execute({ file, output, record, ...options }: ExecuteOptions): Promise<number> {
  const notebook = readNotebook(file);
  // The folder is made before the cells run, so that a failure is reported at once.
  makeFolder(output, NAME_ANOTHER);
  clearOutputs(notebook);
  const logbook = record ? join(output, `${basename(file, extname(file))}.logbook.jsonl`) : null;
  if (logbook !== null) requireNoLink(logbook);
  const status = await run(notebook, file, { ...options, logbook });
  notebook.metadata["mpslab"] = {
    ...(notebook.metadata["mpslab"] as JsonObject | undefined),
    lock: notebookLock(notebook, dirname(file)),
  };
  // The notebook is also written after an error, with the outputs before it.
  const executed = join(output, basename(file));
  writeNotebook(notebook, executed);
  const page = join(output, `${basename(file, extname(file))}.html`);
  await writePage(executed, page);
  say(`executed notebook: ${executed}\nHTML page: ${page}\n`);
  return status;
}

interface RunOptions extends Pick<ExecuteOptions, "timeout" | "allowErrors"> {
  /** Null where the run is not recorded. */
  readonly logbook: string | null;
}

async function run(
  notebook: Notebook,
  file: string,
  { timeout, allowErrors, logbook }: RunOptions,
): Promise<number> {
  const cells = notebook.cells.filter(isProgram);
  const progress = new Progress(cells.length);
  const recorder = logbook === null ? null : new RunRecorder(logbook);
  let started: NotebookRun | null = null;
  try {
    // The logbook names the notebook as the session knows it.
    started = await NotebookRun.start(dirname(file), logbook === null ? {} : { JPY_SESSION_NAME: file });
    await recorder?.choose(started);
    for (const cell of cells) {
      progress.starts(cell);
      const reply = await started.runCell(cell, { timeout });
      if (progress.ended(cell, reply) && !allowErrors) return 1;
    }
    progress.tellFailures();
    return recorder === null ? 0 : await recorder.record(started, basename(file, extname(file)));
  } catch (error) {
    if (!(error instanceof UnfinishedRun)) throw error;
    // The progress line of the running cell has no line end yet.
    complain(`\n${error.sentence(timeout, progress.number || null)}\n`);
    return error.exitStatus;
  } finally {
    await started?.describe(notebook).catch(() => {});
    await started?.stop();
  }
}
