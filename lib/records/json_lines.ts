// Appends to and reads files of JSON lines that a crash leaves readable. Each line is one write to a file opened for
// appending, so lines of several processes never mix. A crash during a write costs only that line.
import { closeSync, existsSync, fstatSync, fsyncSync, readFileSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { visibleLine } from "../visible.ts";
import { openToAppend } from "../whole_file.ts";
import { withCurrentSpreadKeys } from "../statistics/spread.ts";

/** A file, its name in errors, and what the user can do if it cannot be written. */
export interface LinesFile {
  readonly file: string;
  readonly name: string;
  readonly remedy: string;
}

/**
 * The line is on the disk when this returns.
 *
 * @throws Error if the file cannot be written, saying where it is
 */
export function appendLine({ file, name, remedy }: LinesFile, json: string): void {
  const refused = (cause: unknown): Error =>
    new Error(
      (cause as NodeJS.ErrnoException).code === "ELOOP"
        ? `The ${name} ${visibleLine(path.resolve(file))} is a link, and nothing is written through it: ${remedy}.`
        : `The ${name} ${visibleLine(path.resolve(file))} cannot be written (${(cause as Error).message}): ${remedy}.`,
      { cause },
    );
  let descriptor: number;
  try {
    descriptor = openToAppend(file);
  } catch (cause) {
    throw refused(cause);
  }
  try {
    // Ends a line that a dead process left unfinished, so that this one stands alone. If that process is alive and
    // still writing, this adds one empty line, which the reader skips.
    const line = Buffer.from(`${endsInLine(descriptor) ? "" : "\n"}${json}\n`);
    let written: number;
    try {
      written = writeSync(descriptor, line);
    } catch (cause) {
      throw refused(cause);
    }
    if (written < line.length)
      throw new Error(
        `Only ${written} of ${line.length} bytes went into the ${name} ${file}: make room on the disk and record again.`,
      );
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function endsInLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

/** The lines of a file that are whole; none where there is no file. The last one may have been under way when the machine went down. */
export function readLines<Line extends { readonly type: string }>(file: string): Line[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.map((line) => readLine<Line>(line)).filter((line) => line !== null);
}

/** Returns null for a torn line and for JSON without a `type`. Spreads of earlier versions get today's keys. */
export function readLine<Line extends { readonly type: string }>(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line | null;
    const isTyped = line !== null && typeof line === "object" && typeof line.type === "string";
    return isTyped ? (withCurrentSpreadKeys(line) as Line) : null;
  } catch {
    return null;
  }
}
