// Writes reports to the kernel process, and marks to the session's own stdout and stderr. The writes block, so that
// output of an endless loop arrives. What a cell printed is written before the cell is reported done.
import { writeSync } from "node:fs";
import { OutputBuffer, type SharedText, type TextReport } from "./output_buffer.ts";
import { encodeFrame, type FromSession, REPORT_FD } from "../../session/channel.ts";

const STDOUT_FD = 1;
const STDERR_FD = 2;
const RETRY_MS = 1;
const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

let buffer: OutputBuffer | null = null;

/** Buffers text that is printed fast from now on. `awaken` makes the worker look for it. */
export function gatherText(shared: SharedText, awaken: () => void): void {
  buffer = new OutputBuffer(shared, writeReport, awaken);
  process.once("exit", () => buffer?.flush());
}

/** @throws TypeError if the message holds something that JSON cannot, such as a cycle or a bigint */
export function report(message: FromSession): void {
  buffer?.flush();
  writeReport(message);
}

export function reportText(cell: string, name: TextReport["name"], text: string): void {
  if (buffer?.tryAppendFast(cell, name, text)) return;
  if (!buffer?.tryAppend(cell, name, text)) report({ type: "stream", cell, name, text });
}

function writeReport(message: FromSession): void {
  const frame = encodeFrame(message);
  try {
    writeAll(REPORT_FD, frame);
  } catch (error) {
    // The kernel process is gone, so this process ends.
    if ((error as NodeJS.ErrnoException).code === "EPIPE") process.exit(1);
    throw error;
  }
}

/** A cell may have closed the session's stdout. The supervisor then sees its end, and does not wait for a mark. */
export function writeFence(mark: string): void {
  for (const fd of [STDOUT_FD, STDERR_FD]) {
    try {
      writeAll(fd, Buffer.from(mark, "utf8"));
    } catch (error) {
      if (!["EBADF", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      // A child process that shares the descriptor may have made it non-blocking.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(sleeper, 0, 0, RETRY_MS);
    }
  }
}
