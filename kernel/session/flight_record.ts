// Reads the session's last operations after a crash, from a file that the addon writes and both processes hold open.
// The file has no name, so it disappears with both processes. `native/errors/flight_recorder.h` describes the layout.
import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { randomUUID } from "node:crypto";
import os from "node:os";
import path from "node:path";

export interface LastOperator {
  readonly name: string;
  /** Whether the process ended inside the operator. */
  readonly running: boolean;
  /** Bytes that tensors held when the operator began. */
  readonly allocatedBytes: number;
  /** Bytes that the host allocator held from the system at the end. */
  readonly heldBytes: number;
}

const VERSION = 0x6d706c31;
const HEADER_BYTES = 24;
/** The addon maps this many bytes. */
const FILE_BYTES = 256 * 1024;

export class FlightRecord {
  /**
   * The file descriptor that the session inherits. Null if the file could not be made, or the disk is full; then a
   * crash is reported without details.
   */
  readonly file: number | null;

  constructor() {
    this.file = openNameless();
  }

  /** Null if no operator has run. */
  read(): LastOperator | null {
    if (this.file === null || fstatSync(this.file).size < HEADER_BYTES) return null;
    const header = this.#bytes(0, HEADER_BYTES);
    const last = header.readUInt32LE(4);
    if (header.readUInt32LE(0) !== VERSION || last < 2) return null;
    const start = last >>> 1;
    const length = this.#bytes(start, 1).readUInt8(0);
    return {
      name: this.#bytes(start + 1, length).toString("utf8"),
      running: (last & 1) === 1,
      allocatedBytes: Number(header.readBigInt64LE(8)),
      heldBytes: Number(header.readBigInt64LE(16)),
    };
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
  }

  #bytes(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.file as number, bytes, 0, length, start);
    return bytes;
  }
}

/**
 * The file is filled with zeros now. The addon writes through a memory mapping, and if the disk had no room for a page
 * then, the session would end with SIGBUS.
 */
function openNameless(): number | null {
  const name = path.join(os.tmpdir(), `mpslab-${randomUUID()}`);
  let file: number | null = null;
  try {
    file = openSync(name, "wx+", 0o600);
    unlinkSync(name);
    for (let written = 0; written < FILE_BYTES;)
      written += writeSync(file, Buffer.alloc(FILE_BYTES - written));
    return file;
  } catch {
    if (file !== null) closeSync(file);
    return null;
  }
}
