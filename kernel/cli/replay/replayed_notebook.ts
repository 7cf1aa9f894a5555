// One run of a notebook for a replay: its cells in order, and what the session then holds that a replay can repeat. Knows
// nothing of what was stored.
import { isDeepStrictEqual } from "node:util";
import { NotebookRun } from "../client/notebook_run.ts";
import { type CodeCell, hasTag, isProgram, type Notebook, type Output } from "../notebook/format.ts";
import type { Fingerprint, SessionFingerprint } from "./fingerprint.ts";
import { fingerprintProgram, NAMES, STEPS } from "./session_questions.ts";

/** A cell's tag: it cannot give the same, for the reason in its metadata, {"mpslab": {"replaySkip": "runs for two seconds"}}. */
export const SKIPPED_TAG = "replay-skip";

type Tensors = SessionFingerprint["tensors"];

/** The session cannot tell its tensors; the message is what it said instead. */
export class NoFingerprint extends Error {
  override readonly name = "NoFingerprint";
}

export class ReplayedNotebook {
  readonly #notebook: Notebook;
  readonly #folder: string;
  readonly #timeout: number | undefined;
  #run!: NotebookRun;
  #number: number | null = null;

  constructor(notebook: Notebook, folder: string, timeout: number | undefined) {
    this.#notebook = notebook;
    this.#folder = folder;
    this.#timeout = timeout;
  }

  /** The number of the running code cell, from 1. Null while none runs. */
  get number(): number | null {
    return this.#number;
  }

  /**
   * Runs the code cells; their outputs are in the notebook then.
   *
   * @throws UnfinishedRun, NoFingerprint
   */
  async fingerprint(): Promise<Fingerprint> {
    // The session keeps the first losses (lib/lab/replay_record.ts).
    this.#run = await NotebookRun.start(this.#folder, { MPSLAB_REPLAY: "1" });
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
    // There are none before the first cell, and the session is not asked: that cell may set what the library reads when
    // it is loaded.
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

  /** The text that a cell gives which the notebook does not keep, and which takes no number. */
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
