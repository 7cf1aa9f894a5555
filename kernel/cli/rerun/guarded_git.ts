// Runs git on what a stranger wrote: no hook, filter, monitor or external program of a configuration runs, no link is made.
// Knows nothing of logbooks.
import { spawnSync } from "node:child_process";

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

/** Null where git ended well, else what it said. */
export function gitFailure(args: readonly string[], input?: Buffer): string | null {
  const settings = [...GUARDS, "safe.directory=*"].flatMap((setting) => ["-c", setting]);
  const { status, stderr, error } = spawnSync("git", [...settings, ...args], {
    input,
    encoding: "utf8",
    env: { ...process.env, ...ENVIRONMENT },
  });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
}

/** Whether git would read a file as its own: `.git/config`, also where the disk tells no case apart, and `git~1` of Windows. */
export function isOfGit(file: string): boolean {
  return file
    .split(/[\\/]/)
    .some((part) =>
      /^(\.git|git~\d+)[ .]*$/i.test(part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")),
    );
}
