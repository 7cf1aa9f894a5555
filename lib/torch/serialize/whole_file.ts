// Files that are there whole or not at all. Knows bytes alone. A leaf: it loads no libtorch.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/** One write call takes less than 2^31 bytes. */
const CHUNK_BYTES = 2 ** 30;

/** Beside its place first: a reader never sees half a file, and an older one stays until the new one is on the disk. */
export function writeWhole(file: string, body: (write: (bytes: Uint8Array) => void) => void): void {
  const partial = `${file}.${process.pid}.partial`;
  const descriptor = openSync(partial, "w");
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
