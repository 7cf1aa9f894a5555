// Runs programs on what a stranger wrote. Of git no hook, filter, monitor or external program of a configuration runs, and no
// link is made. Knows nothing of logbooks.
import { spawnSync } from "node:child_process";
import { CommandError } from "../project.ts";

/** Settings of the command line stand above those of a repository. A link is written as a file that holds its target. */
const GUARDS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "protocol.ext.allow=never",
];

/**
 * The files that name filters and diff programs for every repository are not read, so that an attribute of the commit finds
 * none. A clone may belong to another user than this one, as in a container.
 */
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

interface ProgramOptions {
  readonly input?: Buffer | undefined;
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Null where the program ended well, else what it said last. */
export function failureOf(program: string, args: readonly string[], options: ProgramOptions): string | null {
  const { status, stderr, error } = spawnSync(program, args, { ...options, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
}

/** Null where git ended well, else what it said. */
export function gitFailure(args: readonly string[], input?: Buffer): string | null {
  const settings = [...GUARDS, "safe.directory=*"].flatMap((setting) => ["-c", setting]);
  return failureOf("git", [...settings, ...args], { input, env: { ...process.env, ...ENVIRONMENT } });
}

/** @throws CommandError for a file that git would obey */
export function refuseFileOfGit(file: string): void {
  if (isOfGit(file))
    throw new CommandError(`The logbook keeps ${file}, which git would obey: it is refused.`);
}

/** Whether git would read a file as its own: `.git/config`, also where the disk tells no case apart, and `git~1` of Windows. */
function isOfGit(file: string): boolean {
  return file
    .split(/[\\/]/)
    .some((part) =>
      /^(\.git|git~\d+)[ .]*$/i.test(part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")),
    );
}
