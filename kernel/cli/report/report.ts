// `mpslab report`: decides whether runs of a logbook or folders of sweeps are asked for, and hands over.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "../project.ts";
import { reportRuns } from "./report_runs.ts";
import { reportSweeps } from "./report_sweeps.ts";

export interface ReportOptions {
  /** Ids of runs, or folders of sweeps. */
  readonly names: readonly string[];
  readonly logbooks: readonly string[];
  readonly output?: string | undefined;
  /** Whether a sweep's page follows the sweep. */
  readonly live?: boolean | undefined;
  readonly notebook?: string | undefined;
  readonly repository?: string | undefined;
}

/** Resolves with the exit status. */
export async function report({
  names,
  logbooks,
  output,
  live,
  ...ofProgram
}: ReportOptions): Promise<number> {
  const folders = names.filter(isFolder);
  const missing = names.find((name) => /[/\\]/.test(name) && !isFolder(name));
  if (missing !== undefined)
    throw new CommandError(`There is no folder ${resolve(missing)}: check the path of the sweep.`);
  if (folders.length === 0 && live === true)
    throw new CommandError("--live follows a sweep: name its folder, as mpslab report output/train --live.");
  if (folders.length === 0) return await reportRuns({ ids: names, logbooks, output, ...ofProgram });
  if (folders.length < names.length)
    throw new CommandError(
      "A page is about runs or about folders of sweeps, not both: name ids alone, or folders alone.",
    );
  return await reportSweeps(folders, { output, live });
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}
