// One run of a notebook for a replay: runs its cells in order, and collects from the session at the end what another
// run can reproduce. Knows nothing of what was stored.
import { isDeepStrictEqual } from "node:util";
import { NotebookRun, SKIP_TAG } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import {
  clearOutputs,
  type CodeCell,
  hasTag,
  isProgram,
  type Notebook,
  type Output,
} from "../notebook/format.ts";
import { SKIPPED_TAG } from "./output_difference.ts";
import type { Fingerprint, SessionFingerprint } from "./fingerprint.ts";
import { fingerprintProgram, NAMES, STEPS } from "./session_questions.ts";
import { complain } from "../terminal.ts";

type Tensors = SessionFingerprint["tensors"];

/** The session could not list its tensors; the message is what it printed instead. */
class NoFingerprint extends Error {
  override readonly name = "NoFingerprint";
}

export interface ReplayRun {
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Environment variables of the kernel, beside this process's. */
  readonly environment?: Readonly<NodeJS.ProcessEnv>;
}

/**
 * Runs a notebook's cells in a fresh kernel and puts their outputs into the notebook. Resolves with what the session
 * holds at the end. If the run did not reach its end, prints why and resolves with the exit status.
 */
export async function fingerprintOf(
  notebook: Notebook,
  folder: string,
  options: ReplayRun,
): Promise<Fingerprint | number> {
  if (options.timeout === undefined) warnOfInterruptedCells(notebook);
  clearOutputs(notebook);
  const run = new ReplayedNotebook(notebook, folder, options);
  try {
    return await run.fingerprint();
  } catch (error) {
    if (error instanceof NoFingerprint) {
      complain(`${error.message}\nThe session could not tell its tensors: run mpslab doctor.\n`);
      return 1;
    }
    if (!(error instanceof UnfinishedRun)) throw error;
    complain(`${error.sentence(options.timeout, run.number)}\n`);
    return error.exitStatus;
  }
}

/** Warns, because in a replay nobody is there to interrupt these cells again. */
function warnOfInterruptedCells(notebook: Notebook): void {
  for (const [at, cell] of notebook.cells.filter(isProgram).entries()) {
    const interrupted = cell.outputs.some(
      (output) => output.output_type === "error" && output.ename === "KeyboardInterrupt",
    );
    if (interrupted && !hasTag(cell, SKIP_TAG))
      complain(
        `Cell ${at + 1} was interrupted when it ran, and may not end by itself: with --timeout SECONDS this run ends there.\n`,
      );
  }
}

class ReplayedNotebook {
  readonly #notebook: Notebook;
  readonly #folder: string;
  readonly #timeout: number | undefined;
  readonly #environment: Readonly<NodeJS.ProcessEnv>;
  #run!: NotebookRun;
  #number: number | null = null;

  constructor(notebook: Notebook, folder: string, { timeout, environment = {} }: ReplayRun) {
    this.#notebook = notebook;
    this.#folder = folder;
    this.#timeout = timeout;
    this.#environment = environment;
  }

  /** The number of the running code cell, from 1. Null while none runs. */
  get number(): number | null {
    return this.#number;
  }

  /**
   * Runs the code cells and puts their outputs into the notebook.
   *
   * @throws UnfinishedRun, NoFingerprint
   */
  async fingerprint(): Promise<Fingerprint> {
    // The session keeps the first losses (lib/lab/logbook/replay_record.ts).
    this.#run = await NotebookRun.start(this.#folder, { ...this.#environment, MPSLAB_REPLAY: "1" });
    try {
      return await this.#runCells();
    } finally {
      await this.#run.stop();
    }
  }

  async #runCells(): Promise<Fingerprint> {
    const steps: number[] = [];
    /** Tensors that a skipped cell changed, as they were before it; undefined for those that it made. */
    const changed = new Map<string, Tensors[string] | undefined>();
    // Before the first cell there are no tensors. The session is not asked for them, because asking loads the library,
    // and the first cell may set variables that the library reads when it is loaded.
    let before: Tensors | null = {};
    for (const [at, cell] of this.#notebook.cells.filter(isProgram).entries()) {
      const isSkipped = hasTag(cell, SKIPPED_TAG);
      if (isSkipped) before ??= (await this.#sessionFingerprint()).tensors;
      this.#number = at + 1;
      await this.#run.runCell(cell, { timeout: this.#timeout });
      this.#number = null;
      steps.push(Number(await this.#ask(STEPS)));
      if (!isSkipped) before = null;
      if (before === null) continue;
      const after: Tensors = (await this.#sessionFingerprint()).tensors;
      for (const [name, tensor] of Object.entries(after)) {
        if (!isDeepStrictEqual(tensor, before[name]) && !changed.has(name)) changed.set(name, before[name]);
      }
      before = after;
    }
    const end = await this.#sessionFingerprint();
    const kept = new Map<string, Tensors[string] | undefined>([...Object.entries(end.tensors), ...changed]);
    const names = [...kept.keys()].filter((name) => kept.get(name) !== undefined).sort();
    const tensors = Object.fromEntries(names.map((name) => [name, kept.get(name)])) as Tensors;
    return { ...end, steps, tensors };
  }

  async #sessionFingerprint(): Promise<SessionFingerprint> {
    const lines = (await this.#ask(NAMES)).split("\n").slice(1);
    const names = lines.flatMap((line) => line.trim().split(/\s+/, 1)).filter((name) => name !== "");
    const answer = await this.#ask(fingerprintProgram(names));
    try {
      return JSON.parse(answer) as SessionFingerprint;
    } catch {
      throw new NoFingerprint(answer);
    }
  }

  /** The text that a cell prints. The notebook does not keep this cell, and it takes no execution count. */
  async #ask(source: string): Promise<string> {
    const cell: CodeCell = { cell_type: "code", source, metadata: {}, outputs: [], execution_count: null };
    await this.#run.runCell(cell, { timeout: this.#timeout, storesHistory: false });
    return cell.outputs.map(textOf).join("");
  }
}

function textOf(output: Output): string {
  if (output.output_type === "stream") return output.text;
  return output.output_type === "error" ? output.evalue : String(output.data["text/plain"] ?? "");
}
