// Finds where a run's code and data come from: commit, lock file, checksums. It reads files and asks git; it
// changes nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";

const LOCK_FILES = [
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "uv.lock",
  "conda-lock.yml",
];
const CHUNK_BYTES = 4 * 2 ** 20;

/** `2.15.0` and `2.15.0+cpu` are stable; `2.16.0.dev20261101`, `2.16.0a0+git1f0c` are nightly. */
export function torchBuildOf(version: string): "stable" | "nightly" {
  return /^\d+\.\d+\.\d+(\.post\d+)?(\+(cpu|cu\d+|rocm[\d.]+))?$/.test(version) ? "stable" : "nightly";
}

export function commitOf(folder: string): {
  readonly commit: string | null;
  readonly uncommittedChanges: boolean | null;
} {
  const commit = git(folder, "rev-parse", "HEAD");
  const status = commit === null ? null : git(folder, "status", "--porcelain", "--untracked-files=no");
  return { commit, uncommittedChanges: status === null ? null : status !== "" };
}

function git(folder: string, ...args: string[]): string | null {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      timeout: 2_000,
      stdio: [...stdio],
    }).trim();
  } catch {
    return null;
  }
}

/** The nearest lock file in a folder or above it. */
export function lockFileAbove(folder: string): { readonly file: string; readonly sha256: string } | null {
  const file = above(folder, LOCK_FILES);
  return file === null ? null : { file, sha256: sha256Of(file)! };
}

/** Checksum of a file's bytes; null if there is no such file. */
export function sha256Of(file: string): string | null {
  if (!existsSync(file) || !statSync(file).isFile()) return null;
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(file, "r");
  try {
    for (;;) {
      const count = readSync(descriptor, chunk, 0, chunk.length, null);
      if (count === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

function above(folder: string, names: readonly string[]): string | null {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const found = names.map((name) => path.join(at, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (at === path.dirname(at)) return null;
  }
}
