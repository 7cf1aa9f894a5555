// A logbook's file: JSON lines that several kernels may append to at once. Each entry is one write to a file opened for
// appending, so lines never mix; a crash in the middle of a write costs that line, and the reader says so.
// Knows entries by their version alone.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { type LogbookEntry, SCHEMA_VERSION } from "./entry.ts";
import { jsonWithoutSecrets } from "./secrets.ts";

export interface LogbookContents {
  readonly file: string;
  readonly entries: readonly LogbookEntry[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Beside the notebook: `tour.ipynb` -> `tour.logbook.jsonl`; elsewhere in the working folder. */
export function defaultFile(): string {
  const notebook = process.env["JPY_SESSION_NAME"] ?? "";
  return path.resolve(`${path.basename(notebook, ".ipynb") || "mpslab"}.logbook.jsonl`);
}

/**
 * On the disk when it returns.
 *
 * @throws Error where the file cannot be written, saying where it is
 */
export function append(file: string, entry: LogbookEntry): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "a+");
  } catch (cause) {
    throw new Error(
      `The logbook ${file} cannot be written (${(cause as Error).message}): choose another file with lab.logbook.use(file).`,
      { cause },
    );
  }
  try {
    // A line that another process was writing when it died is closed off, so that this one stands alone. Where that
    // process lives and is in the middle of its write, this adds one empty line, which the reader passes over.
    const line = Buffer.from(`${endsInLine(descriptor) ? "" : "\n"}${jsonWithoutSecrets(entry)}\n`);
    const written = writeSync(descriptor, line);
    if (written < line.length)
      throw new Error(
        `Only ${written} of ${line.length} bytes went into the logbook ${file}: make room on the disk and record again.`,
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

export function read(file: string): LogbookContents {
  if (!existsSync(file)) return { file, entries: [], notes: [`${file} is not there yet.`] };
  const lines = readFileSync(file, "utf8").split("\n");
  const entries: LogbookEntry[] = [];
  const notes: string[] = [];
  lines.forEach((line, at) => {
    if (line.trim() === "") return;
    const entry = parse(line);
    if (entry === null) {
      notes.push(`Line ${at + 1} was torn by a crash in the middle of its write and is left out.`);
    } else if (entry.schema === SCHEMA_VERSION) {
      entries.push(entry);
    } else {
      notes.push(
        `Line ${at + 1} has schema ${String(entry.schema)}, this version reads ${SCHEMA_VERSION}: left out.`,
      );
    }
  });
  return { file, entries, notes };
}

function parse(line: string): LogbookEntry | null {
  try {
    const entry = JSON.parse(line) as LogbookEntry | null;
    return entry !== null && typeof entry === "object" && typeof entry.type === "string" ? entry : null;
  } catch {
    return null;
  }
}
