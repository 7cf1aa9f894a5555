// Files that are there whole or not at all. Knows bytes alone. A leaf: it loads no libtorch.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";

/** What a failure of the system means: `there is no file /data/a.pt`. */
export function fileFailure(call: string, file: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why: Record<string, string> = {
    ENOENT: existsSync(path.dirname(file))
      ? `there is no file ${file}`
      : `there is no folder ${path.dirname(file)}`,
    EISDIR: `${file} is a folder, not a file`,
    EACCES: `${file} may not be opened by this user`,
    ENOSPC: `there is no room left on the disk of ${file}`,
  };
  return new Error(`${call}: ${why[code ?? ""] ?? `${file} cannot be used (${message})`}.`, { cause });
}

/** One write call takes less than 2^31 bytes. */
const CHUNK_BYTES = 2 ** 30;

/** Beside its place first: a reader never sees half a file, and an older one stays until the new one is on the disk. */
export function writeWhole(
  call: string,
  file: string,
  body: (write: (bytes: Uint8Array) => void) => void,
): void {
  const partial = `${file}.${process.pid}.partial`;
  let descriptor: number;
  try {
    descriptor = openSync(partial, "w");
  } catch (error) {
    throw fileFailure(call, file, error);
  }
  try {
    try {
      body((bytes) => writeAll(descriptor, bytes));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(descriptor, bytes, done, Math.min(CHUNK_BYTES, bytes.length - done));
}
