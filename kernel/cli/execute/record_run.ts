// Records a run in a logbook after its cells have run, from a cell that the notebook does not keep. A notebook that records
// itself does so in that logbook too, and is not recorded again.
import type { NotebookRun } from "../client/notebook_run.ts";
import { read } from "../../../lib/records/logbook/file.ts";
import type { CodeCell } from "../notebook/format.ts";
import { complain, say } from "../terminal.ts";

export class RunRecorder {
  readonly #logbook: string;
  readonly #earlier: ReadonlySet<string>;

  constructor(logbook: string) {
    this.#logbook = logbook;
    this.#earlier = new Set(this.#ids());
  }

  #ids(): string[] {
    return read(this.#logbook).entries.flatMap(({ type, id }) => (type === "run" ? [id] : []));
  }

  /** Before the cells run. */
  async choose(run: NotebookRun): Promise<void> {
    await runUnkept(run, `lab.logbook.use(${JSON.stringify(this.#logbook)});`);
  }

  /** After they have. Resolves with the exit status: 1 where the run cannot be recorded. */
  async record(run: NotebookRun, name: string): Promise<number> {
    const logbook = this.#logbook;
    if (this.#recorded() === undefined) {
      const program = `lab.logbook.use(${JSON.stringify(logbook)});\n  lab.logbook.record({ name: ${JSON.stringify(name)} });`;
      const reply = await runUnkept(run, program);
      if (reply?.status !== "ok") {
        complain(`The run was not recorded: ${reply?.evalue ?? "the session gave no reason"}\n`);
        return 1;
      }
    }
    say(`recorded in ${logbook}: mpslab rerun ${this.#recorded()!.slice(0, 8)}\n`);
    return 0;
  }

  /** The last of the runs that were recorded since the start. */
  #recorded(): string | undefined {
    return this.#ids().findLast((id) => !this.#earlier.has(id));
  }
}

/** Runs a cell that the notebook does not keep. */
function runUnkept(run: NotebookRun, statements: string): ReturnType<NotebookRun["runCell"]> {
  const source = `await (async () => {
  const { lab } = await import("mpslab");
  ${statements}
})();`;
  const cell: CodeCell = { cell_type: "code", source, metadata: {}, outputs: [], execution_count: null };
  return run.runCell(cell, { storesHistory: false });
}
