// Runs each cell from its request to its `done`, one after the other in each subshell. It evaluates, then reports the
// result and the user expressions in that order.
import { RUNTIME } from "../cell/names.ts";
import { metadataOf } from "../../lib/display.ts";
import { cellEnded, cellStarted, switchEpochFlush } from "../../lib/session.ts";
import {
  type ErrorContent,
  fence,
  type MimeBundle,
  type RunRequest,
  type Script,
  type UserExpressionResult,
} from "../session/channel.ts";
import { interruptible } from "./interrupt/awaits.ts";
import { beginCell, Cell, endCell, inCell, runningCells } from "./cells.ts";
import { DeclaredNames } from "./declared.ts";
import { bundleOf } from "./output/display.ts";
import { watchEnvironment } from "./environment.ts";
import type { Evaluator } from "./evaluate.ts";
import { defineGlobal, isDisplayHandle } from "./globals.ts";
import type { CellHistory } from "./history.ts";
import { openResources, untilWorkEnds } from "./left_work.ts";
import type { Notebook } from "./modules/imports.ts";
import type { Interrupts } from "./interrupt/interrupt.ts";
import type { Magics } from "./magics.ts";
import { isObject } from "./objects.ts";
import type { Program } from "./program.ts";
import { restoreBuiltins } from "./replaced_builtins.ts";
import { report, reportText, writeFence } from "./output/report.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import { addScript } from "./errors/sources.ts";
import { describeError } from "./errors/stack.ts";

export interface CellRunnerParts {
  readonly evaluator: Evaluator;
  readonly interrupts: Interrupts;
  readonly history: CellHistory;
  readonly notebook: Notebook;
  readonly magics: Magics;
  readonly snapshots: Snapshots;
  /** The program, if `mpslab run` runs a file. */
  readonly program: Program | null;
  readonly fenceToken: string;
}

export class CellRunner {
  readonly #parts: CellRunnerParts;
  readonly #names: DeclaredNames;
  /** Cells that wait behind the running one, for each subshell that runs a cell. */
  readonly #waiting = new Map<string | null, RunRequest[]>();
  #labLoaded = false;

  constructor(parts: CellRunnerParts) {
    this.#parts = parts;
    this.#names = new DeclaredNames(parts.evaluator);
  }

  run(request: RunRequest): void {
    const { subshell } = request;
    const waiting = this.#waiting.get(subshell);
    if (waiting !== undefined) return void waiting.push(request);
    const cells = [request];
    this.#waiting.set(subshell, cells);
    void this.#runEach(subshell, cells);
  }

  /**
   * A loop, and no `then` that returns a promise: if a cell is unwound from outside, the job of such a `then` would be
   * lost (see pause.ts).
   */
  async #runEach(subshell: string | null, cells: RunRequest[]): Promise<void> {
    for (let next = cells.shift(); next !== undefined; next = cells.shift()) await this.#run(next);
    this.#waiting.delete(subshell);
  }

  /** Reading what was thrown may run code of the user's: getters, `inspect` methods. */
  describe(thrown: unknown): ErrorContent {
    try {
      return this.#parts.evaluator.contain(() => describeError(thrown));
    } catch (unwound) {
      return describeError(unwound);
    }
  }

  async #run(request: RunRequest): Promise<void> {
    const { interrupts, notebook, history, magics, snapshots } = this.#parts;
    const cell = new Cell(request.cell, request.count);
    if (request.storeHistory) history.addInput(request.count, request.text);
    const initialised = this.#names.watch(request.declares);
    beginCell(cell, request);
    cellStarted(cell.name);
    switchEpochFlush(request.flush);
    magics.cellStarts(cell, request.names);
    snapshots.cellStarts(request.variables, request.importedNames);
    notebook.configure(request.typescript);
    const changedVariables = watchEnvironment();
    const resources = openResources();
    const endsWithItsWork = request.endsWithItsWork === true && this.#parts.program === null;
    if (endsWithItsWork) cell.leftErrors = [];
    let error: ErrorContent | undefined;
    let userExpressions: Record<string, UserExpressionResult> = {};
    try {
      if (request.group !== undefined)
        await interrupts.race(
          cell,
          inCell(cell, () => joinRanks(request.group!)),
        );
      if (request.epochLoops > 0) await interrupts.race(cell, this.#loadLab());
      if (request.imports.length > 0) {
        const load = async () => await interruptible(notebook.load(request.imports));
        await interrupts.race(cell, inCell(cell, load));
      }
      const { value } = await this.#evaluate(cell, request, cell.name, this.#parts.program);
      await this.#showResult(cell, request, value);
      userExpressions = await this.#evaluateEach(cell, request.userExpressions);
      if (endsWithItsWork) await interrupts.race(cell, untilWorkEnds(resources), { unwinds: false });
      const left = cell.leftErrors?.shift();
      if (left !== undefined) throw left.error;
    } catch (thrown) {
      error = this.describe(thrown);
      // The other ranks wait for something that will not come. They are told first, before anything that takes time.
      if (request.group !== undefined) await leaveRanks();
    }
    for (const left of cell.leftErrors ?? [])
      report({ type: "lateError", cell: cell.id, error: this.describe(left.error) });
    cell.leftErrors = null;
    inCell(cell, () => {
      magics.cellEnds(cell);
      for (const note of changedVariables()) reportText(cell.id, "stderr", `${note}\n`);
    });
    // This comes before the output is complete, because an epoch loop that was cut off draws its last chart now.
    this.#leaveLibrary(cell);
    try {
      await this.#finishOutput(cell);
    } catch (thrown) {
      error ??= this.describe(thrown);
    }
    endCell(cell);
    writeFence(fence(this.#parts.fenceToken, cell.id));
    const names = initialised(error === undefined);
    const rowTypes = this.#names.rowTypes(request.variables.filter((name) => names.includes(name)));
    const ended = { initialised: names, rowTypes, userExpressions };
    report({ type: "done", cell: cell.id, ...ended, ...(error && { error }) });
    await snapshots.cellEnded();
  }

  /** The session's cells share the library's state, so it is reset only when no cell of any subshell is using it. */
  #leaveLibrary(cell: Cell): void {
    const other = runningCells().find((candidate) => candidate !== cell);
    if (other === undefined) inCell(cell, cellEnded);
    else cellStarted(other.name);
  }

  /** Throws what the cell threw. The value is boxed, because a cell may end in a promise that must not be awaited. */
  async #evaluate(
    cell: Cell,
    script: Script,
    place: string,
    program: Program | null = null,
  ): Promise<{ readonly value: unknown }> {
    const { evaluator, interrupts } = this.#parts;
    addScript(script, place);
    cell.code = "runs";
    const evaluation = inCell(cell, () => evaluator.evaluate(script.code));
    try {
      const code = program === null ? evaluation.outcome : program.toItsEnd(evaluation.outcome);
      const outcome = await interrupts.race(cell, code);
      inCell(cell, interrupts.throwAfterPause);
      // Code caught the interrupt, and no check came after that.
      if (outcome.ok && cell.isInterrupted) throw cell.signal.reason;
      if (outcome.ok) return outcome;
      throw outcome.error;
    } catch (error) {
      evaluation.abandon();
      throw error;
    } finally {
      const restored = restoreBuiltins();
      // What an interrupted cell's last promise jobs print stands before its end, and nothing after it.
      const left = interrupts.codeEnded(cell);
      if (left !== null) await left;
      if (restored !== null && program === null) reportText(cell.id, "stderr", `${restored}\n`);
    }
  }

  async #showResult(cell: Cell, request: RunRequest, value: unknown): Promise<void> {
    const { count, silent, storeHistory } = request;
    if (value === undefined || silent || isDisplayHandle(value)) return;
    const data = await this.#bundleOf(cell, value);
    if (storeHistory) {
      const text = data["text/plain"];
      const preview = typeof text === "string" ? text : Object.keys(data).join(", ");
      this.#parts.history.addOutput(count, value, preview);
    }
    if (isObject(value) && cell.shown.has(value)) return;
    report({ type: "result", cell: cell.id, data, metadata: metadataOf(data) });
  }

  async #evaluateEach(
    cell: Cell,
    expressions: RunRequest["userExpressions"],
  ): Promise<Record<string, UserExpressionResult>> {
    const results: Record<string, UserExpressionResult> = {};
    for (const [key, script] of Object.entries(expressions)) {
      try {
        const { value } = await this.#evaluate(cell, script, `user expression ${JSON.stringify(key)}`);
        const data = await this.#bundleOf(cell, value);
        results[key] = { status: "ok", data, metadata: metadataOf(data) };
      } catch (thrown) {
        results[key] = { status: "error", ...this.describe(thrown) };
      }
    }
    return results;
  }

  /** A value may show itself by code of the user's, which may wait for ever. */
  #bundleOf(cell: Cell, value: unknown): Promise<MimeBundle> {
    const { evaluator, interrupts } = this.#parts;
    return interrupts.race(
      cell,
      inCell(cell, () => evaluator.contain(() => bundleOf(value))),
    );
  }

  /**
   * Waits for pending output; while one picture is made, another one may be announced. Throws if making output failed,
   * or if an interrupt ends the wait.
   */
  async #finishOutput(cell: Cell): Promise<void> {
    const { pendingOutput } = cell;
    while (pendingOutput.size > 0) {
      await this.#parts.interrupts.race(cell, Promise.allSettled(pendingOutput), { unwinds: false });
    }
    if (cell.outputFailure !== null) throw cell.outputFailure.thrown;
  }

  /**
   * Loads the lab before the first epoch loop, and not earlier: it is part of the library, which takes 0.1 s to load.
   */
  async #loadLab(): Promise<void> {
    if (this.#labLoaded) return;
    const { openEpochLoop } = await import("../../lib/lab/epochs/epochs.ts");
    defineGlobal(RUNTIME.epochs, openEpochLoop);
    this.#labLoaded = true;
  }
}

/** Loads libtorch: a cell of `%%ranks` begins inside its group. */
async function joinRanks(name: string): Promise<void> {
  const { joinRanks: join } = await import("../../lib/torch/distributed/ranks_group.ts");
  join(name);
}

async function leaveRanks(): Promise<void> {
  const { abandonProcessGroups } = await import("../../lib/torch/distributed/init.ts");
  abandonProcessGroups();
}
