// Keeps each suite's report in one file a suite and machine, so that a run elsewhere replaces nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeMachine, type Machine, machineFolder } from "./machine.ts";

export const resultFile = (folder: string, suite: string, machine: Machine): string =>
  path.join(folder, machineFolder(machine), `${suite}.md`);

const MEDIANS = "Medians, with the least and the most in brackets";

/**
 * Writes the report, in place of an earlier one of the same machine, and returns it.
 *
 * @param figures a sentence that says how the tables are to be read
 */
export function keepResult(
  folder: string,
  suite: string,
  machine: Machine,
  tables: string,
  figures = MEDIANS,
): string {
  const report = `# ${suite}\n\n${describeMachine(machine)}, Node ${process.versions.node}. ${figures}.\n\n${tables}\n`;
  const file = resultFile(folder, suite, machine);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, report);
  return report;
}
