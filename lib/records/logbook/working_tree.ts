// Asks git what a working tree holds beyond its commit: the patch of tracked files, and the names of untracked ones.
// Without git the files beside the notebook count as untracked.
import { execFileSync } from "node:child_process";
import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";

export interface WorkingTree {
  /** The repository's root, or the notebook's folder where there is no repository. */
  readonly root: string;
  readonly isRepository: boolean;
}

/**
 * Outputs make a notebook another file at each run, and its cells are kept by themselves. `output/` is what commands write
 * unless told otherwise: what a run makes is no part of what it needs.
 */
const LEFT_OUT = ["*.ipynb", "*.logbook.jsonl", "*.logbook.files/*", "output/*", "*/output/*"];
/** `git diff` of more than this is not read. */
const MAX_PATCH_BYTES = 16 * 2 ** 20;
const GIT_MS = 5_000;
/** A patch that `git apply` takes, whatever the user's configuration of `git diff` says, as `diff.noprefix`. */
const APPLICABLE = [
  ...["--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=3"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--no-relative"],
  // A submodule's own changes are no patch of this repository.
  ...["--submodule=short", "--ignore-submodules=dirty"],
];

/** Files that hold secrets by custom: `.env`, private keys, credentials of package registries. */
const SECRET_FILE =
  /(^|\/)(\.env($|\.)|\.git-credentials$|\.npmrc$|\.netrc$|\.pypirc$|id_(rsa|dsa|ecdsa|ed25519)$|credentials?(\.|$)|secrets?(\.|$))|\.(env|pem|key|p12|pfx|keystore)$/i;

export function isSecretFile(file: string): boolean {
  return SECRET_FILE.test(file);
}

export function workingTreeOf(folder: string): WorkingTree {
  const root = git(folder, "rev-parse", "--show-toplevel")?.toString("utf8").trimEnd();
  return root ? { root, isRepository: true } : { root: realpathSync(folder), isRepository: false };
}

/** Returns the patch of tracked files against the commit: null if it cannot be read, empty if nothing changed. */
export function patchOf({ root, isRepository }: WorkingTree): Buffer | null {
  if (!isRepository) return Buffer.alloc(0);
  const changed = names(git(root, "diff", "HEAD", "--name-only", "-z"));
  if (changed === null) return null;
  const secret = changed.filter(isSecretFile).map((file) => `:(exclude,top,literal)${file}`);
  const others = LEFT_OUT.map((pattern) => `:(exclude,top)${pattern}`);
  return git(root, "diff", "HEAD", ...APPLICABLE, "--", ":(top)", ...others, ...secret);
}

/** Returns the paths from the root; ignored files are left out. */
export function untrackedFiles({ root, isRepository }: WorkingTree): string[] {
  const others = LEFT_OUT.map((pattern) => `:(exclude,top)${pattern}`);
  const found = isRepository
    ? names(git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", ":(top)", ...others))
    : filesOfFolder(root);
  return (found ?? []).toSorted();
}

function filesOfFolder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .filter((name) => !/\.ipynb$|\.logbook\.jsonl$/.test(name));
}

function names(listed: Buffer | null): string[] | null {
  return listed === null
    ? null
    : listed
        .toString("utf8")
        .split("\0")
        .filter((name) => name !== "");
}

/** Null where git is not there, or refuses. */
export function git(folder: string, ...args: readonly string[]): Buffer | null {
  try {
    return execFileSync("git", ["-C", path.resolve(folder), ...args], {
      maxBuffer: MAX_PATCH_BYTES,
      timeout: GIT_MS,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return null;
  }
}
