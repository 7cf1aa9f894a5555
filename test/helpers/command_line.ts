// Runs the built command line as a user does, and writes notebooks for it.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PROJECT_ROOT } from "../../kernel/cli/project.ts";

/** @param home a folder of the test, in which temporary files of the commands lie too */
export function commandLine(home: string) {
  const temporary = path.join(home, "temporary");
  mkdirSync(temporary, { recursive: true });
  return (folder: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}) => {
    const { OMP_NUM_THREADS: _, ...environment } = process.env;
    return spawnSync(process.execPath, [path.join(PROJECT_ROOT, "dist/kernel/cli.js"), ...args], {
      encoding: "utf8",
      cwd: folder,
      env: { ...environment, TMPDIR: temporary, ...variables },
    });
  };
}

/** `mpslab rerun` by somebody who has read what would run: asks for its checksum, and runs it. */
export function reviewedRerun(mpslab: ReturnType<typeof commandLine>) {
  return (folder: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}) => {
    const asked = mpslab(folder, ["rerun", ...args], variables);
    const checksum = /--reviewed (\w+)/.exec(asked.stdout)?.[1];
    return checksum === undefined
      ? asked
      : mpslab(folder, ["rerun", ...args, "--reviewed", checksum], variables);
  };
}

/** A notebook of code cells that have not run. */
export function writeNotebook(file: string, sources: readonly string[], metadata: object = {}): void {
  const cells = sources.map((source, at) => ({
    cell_type: "code",
    id: `cell-${at}`,
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
  }));
  writeFileSync(file, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
}
