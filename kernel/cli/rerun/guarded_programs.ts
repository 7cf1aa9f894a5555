// Runs programs on files that a stranger wrote. For git, no hook, filter, monitor or external program from a
// configuration runs, and no link is made. Knows nothing of logbooks.
import { spawnSync } from "node:child_process";
import { CommandError } from "../project.ts";

/**
 * Settings on the command line override those of a repository. With `core.symlinks=false` git writes a link as a file
 * that holds its target.
 */
const GUARDS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "protocol.ext.allow=never",
];

/**
 * The files that name filters and diff programs for every repository are not read, so that an attribute in the commit
 * finds none.
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

/** Null if the program succeeded, else the last thing that it printed. */
export function failureOf(program: string, args: readonly string[], options: ProgramOptions): string | null {
  const { status, stderr, error } = spawnSync(program, args, { ...options, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
}

/**
 * Null if git succeeded, else its message. `safe.directory=*`: a clone may belong to another user, as in a container.
 */
export function gitFailure(args: readonly string[], input?: Buffer): string | null {
  const settings = [...GUARDS, "safe.directory=*"].flatMap((setting) => ["-c", setting]);
  return failureOf("git", [...settings, ...args], { input, env: { ...process.env, ...ENVIRONMENT } });
}

/** @throws CommandError for a file that git would obey */
export function refuseFileOfGit(file: string): void {
  if (isOfGit(file))
    throw new CommandError(`The logbook keeps ${file}, which git would obey: it is refused.`);
}

/**
 * Whether git would read a file as part of its own folder: `.git/config`, in any case, since some disks ignore case,
 * and `git~1`, the short name on Windows.
 */
function isOfGit(file: string): boolean {
  return file
    .split(/[\\/]/)
    .some((part) =>
      /^(\.git|git~\d+)[ .]*$/i.test(part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")),
    );
}
