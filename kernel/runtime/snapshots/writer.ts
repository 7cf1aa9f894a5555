// A thread that writes snapshots, so that a training loop does not wait for the disk.
import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type MessagePort, parentPort } from "node:worker_threads";
import { fileFailure, makeOwnFolder, writeWhole, writeWholeText } from "../../../lib/whole_file.ts";
import { claimSnapshots } from "../../snapshot/folder.ts";
import { MANIFEST, manifestText, removePartial, type SnapshotContent } from "../../snapshot/manifest.ts";

export interface SnapshotToWrite {
  readonly folder: string;
  /** The consecutive pieces of the safetensors file. */
  readonly pieces: readonly Uint8Array[];
  /** Is counted up when the snapshot has been written, or has failed. */
  readonly finished: Int32Array;
  readonly content: Omit<SnapshotContent, "tensors">;
}

/** The error is null if the snapshot was written. */
export type SnapshotWritten = { readonly error: string | null };

const CHUNK_BYTES = 2 ** 26;

const main = parentPort as MessagePort;
main.on("message", (snapshot: SnapshotToWrite) => {
  let error: string | null = null;
  try {
    write(snapshot);
  } catch (thrown) {
    // The message becomes the end of a sentence that already names the call.
    error = (thrown as Error).message.replace(/^%snapshot: |\.$/g, "");
  }
  Atomics.add(snapshot.finished, 0, 1);
  main.postMessage({ error } satisfies SnapshotWritten);
});

function write({ folder, pieces, content }: SnapshotToWrite): void {
  makeSnapshotFolder(folder);
  claimSnapshots(folder);
  removePartial(folder);
  const tensors = pieces.length === 0 ? null : writeTensors(folder, pieces);
  try {
    writeWholeText(
      "%snapshot",
      path.join(folder, MANIFEST),
      manifestText({ ...content, tensors }),
      "replaced",
    );
  } catch (error) {
    // No JSON refers to these tensors, and on a full disk they would take the space for the next attempt.
    if (tensors !== null) rmSync(path.join(folder, tensors.file), { force: true });
    throw error;
  }
  for (const name of readdirSync(folder)) {
    if (/^tensors-.*\.safetensors$/.test(name) && name !== tensors?.file)
      rmSync(path.join(folder, name), { force: true });
  }
}

function makeSnapshotFolder(folder: string): void {
  try {
    makeOwnFolder(folder);
  } catch (error) {
    throw fileFailure("%snapshot", folder, error);
  }
}

/** Writes the tensors to a file with a new name: the older snapshot stays valid until its JSON is replaced. */
function writeTensors(
  folder: string,
  pieces: readonly Uint8Array[],
): NonNullable<SnapshotContent["tensors"]> {
  const file = `tensors-${Date.now()}-${process.pid}.safetensors`;
  const hash = createHash("sha256");
  writeWhole("%snapshot", path.join(folder, file), (put) => {
    for (const piece of pieces) {
      for (const chunk of chunks(piece)) {
        hash.update(chunk);
        put(chunk);
      }
    }
  });
  return { file, sha256: hash.digest("hex") };
}

/** Yields the bytes in parts that the hash accepts in one call. */
function* chunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    yield bytes.subarray(start, start + CHUNK_BYTES);
}
