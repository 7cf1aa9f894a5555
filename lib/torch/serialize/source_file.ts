// Reads parts of a file at positions that the file itself names. The readers of each format decide what the bytes
// mean and what to refuse.
import { fileFailure } from "../../whole_file.ts";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** One read call takes less than 2^31 bytes. */
const CHUNK_BYTES = 2 ** 30;

export class SourceFile {
  readonly path: string;
  readonly bytes: number;
  readonly #descriptor: number;

  constructor(call: string, path: string) {
    this.path = path;
    try {
      this.#descriptor = openSync(path, "r");
    } catch (error) {
      throw fileFailure(call, path, error);
    }
    this.bytes = fstatSync(this.#descriptor).size;
  }

  /** Fills `target` from `position` on. Returns false if the file has become too short. */
  fill(target: Uint8Array, position: number): boolean {
    for (let done = 0; done < target.length;) {
      const wanted = Math.min(CHUNK_BYTES, target.length - done);
      const read = readSync(this.#descriptor, target, done, wanted, position + done);
      if (read === 0) return false;
      done += read;
    }
    return true;
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}
