// Keeps texts and files beside a logbook under the checksum of their bytes: `tour.logbook.jsonl` has its files in
// `tour.logbook.files/`. What two runs share is kept once.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { makeOwnFolder, writeWhole } from "../../whole_file.ts";
import { visibleLine } from "../../visible.ts";
import { isInside } from "./is_inside.ts";

/** `tour.logbook.jsonl` -> `tour.logbook.files` */
function keptFolder(logbook: string): string {
  return `${logbook.replace(/\.jsonl$/, "")}.files`;
}

/** Whether a file is the logbook, or kept beside it: a record does not keep those before it. */
export function isOfLogbook(logbook: string, file: string): boolean {
  return file === logbook || isInside(keptFolder(logbook), file);
}

export function sha256OfBytes(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Keeps the bytes and returns their checksum.
 *
 * @throws Error if the file cannot be written, saying where it is
 */
export function keepBytes(call: string, logbook: string, bytes: Uint8Array): string {
  const sha256 = sha256OfBytes(bytes);
  const folder = keptFolder(logbook);
  const file = path.join(folder, sha256);
  if (existsSync(file)) return sha256;
  try {
    makeOwnFolder(folder);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      `${call}: the folder ${folder} for what ran cannot be made (${message}): choose another file with lab.logbook.use(file).`,
      { cause },
    );
  }
  writeWhole(call, file, (write) => write(bytes), "replaced");
  return sha256;
}

/**
 * Returns the bytes that were kept under a checksum.
 *
 * @throws Error with a sentence where the file is not there, or holds other bytes
 */
export function keptBytes(logbook: string, sha256: string): Buffer {
  const folder = keptFolder(logbook);
  // A stranger's entry may name any file.
  const file = path.join(folder, path.basename(String(sha256)));
  if (!existsSync(file))
    throw new Error(
      `${visibleLine(file)} is missing: a logbook is its file and the folder ${path.basename(folder)} beside it; copy both.`,
    );
  const bytes = readFileSync(file);
  if (sha256OfBytes(bytes) === sha256) return bytes;
  throw new Error(
    `${visibleLine(file)} is damaged: its bytes are not those that were kept. Take it from another copy.`,
  );
}
