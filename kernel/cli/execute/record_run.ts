// Records a run in a logbook after its cells have run, from a cell that the notebook does not keep.
import type { NotebookRun } from "../client/notebook_run.ts";
import type { CodeCell } from "../notebook/format.ts";
import { complain, say } from "../terminal.ts";

/** Prints the id only. */
const program = (logbook: string, name: string): string =>
  `await (async () => {
  const { lab } = await import("mpslab");
  lab.logbook.use(${JSON.stringify(logbook)});
  console.log(lab.logbook.record({ name: ${JSON.stringify(name)} }).id);
})();`;

/** Resolves with the exit status: 1 where the run cannot be recorded. */
export async function recordRun(run: NotebookRun, logbook: string, name: string): Promise<number> {
  const source = program(logbook, name);
  const cell: CodeCell = { cell_type: "code", source, metadata: {}, outputs: [], execution_count: null };
  const reply = await run.runCell(cell, { storesHistory: false });
  if (reply?.status !== "ok") {
    complain(`The run was not recorded: ${reply?.evalue ?? "the session gave no reason"}\n`);
    return 1;
  }
  const printed = cell.outputs.flatMap((output) => (output.output_type === "stream" ? [output.text] : []));
  const id = printed.join("").trim();
  say(`recorded in ${logbook}: mpslab rerun ${id.slice(0, 8)}\n`);
  return 0;
}
