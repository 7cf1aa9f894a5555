// Keeps the files of a run beside the logbook, within limits: contents of small ones, checksums of larger ones, of those
// that hold secrets nothing but the name.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { keepBytes, sha256OfBytes } from "./kept_files.ts";
import { sha256Of } from "./origin.ts";
import type { ProgramFile } from "./program.ts";
import { sourceWithoutSecrets } from "./secrets.ts";
import { isSecretFile, type WorkingTree } from "./working_tree.ts";

/** The content of a larger file is not kept; its checksum is. */
const MAX_FILE_BYTES = 256 * 1024;
/** Limits of one run, so that a folder of data does not become part of the logbook. */
const MAX_FILES = 200;
const MAX_KEPT_BYTES = 4 * 2 ** 20;
/** A lock file of a large project has a few MiB, and seldom changes. */
const MAX_LOCK_BYTES = 8 * 2 ** 20;
/** More would keep the cell waiting for the disk. */
const MAX_HASHED_BYTES = 256 * 2 ** 20;

/** Text without its secrets; other bytes as they are. */
export function withoutSecrets(bytes: Buffer): { readonly bytes: Buffer; readonly leftOut?: true } {
  const text = bytes.toString("utf8");
  if (text.includes("\0") || !Buffer.from(text).equals(bytes)) return { bytes };
  const clean = sourceWithoutSecrets(text);
  return clean === text ? { bytes } : { bytes: Buffer.from(clean), leftOut: true };
}

export class FileKeeper {
  readonly #call: string;
  readonly #logbook: string;
  readonly #root: string;
  readonly #notes: string[];
  readonly #rootName: string;
  #leftBytes = MAX_KEPT_BYTES;
  #leftToHash = MAX_HASHED_BYTES;

  constructor(call: string, logbook: string, { root, isRepository }: WorkingTree, notes: string[]) {
    [this.#call, this.#logbook, this.#root, this.#notes] = [call, logbook, root, notes];
    this.#rootName = isRepository ? "the repository" : "the notebook's folder";
  }

  keepAll(files: readonly string[]): ProgramFile[] {
    const there = [...new Set(files)].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    const all = there.filter((file) => !path.relative(this.#root, file).startsWith(".."));
    if (all.length < there.length) {
      const outside = there.length - all.length;
      this.#notes.push(
        `${outside === 1 ? "1 file" : `${outside} files`} that cells name or import, outside ${this.#rootName}, ${outside === 1 ? "is" : "are"} not kept.`,
      );
    }
    if (all.length > MAX_FILES)
      this.#notes.push(
        `Of ${all.length} files that cells name or no commit has, the first ${MAX_FILES} are listed.`,
      );
    return all.slice(0, MAX_FILES).map((file) => this.#keep(file, MAX_FILE_BYTES));
  }

  keepIfThere(file: string): ProgramFile | null {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? this.#keep(file, MAX_FILE_BYTES) : null;
  }

  keepLock(file: string): ProgramFile {
    return this.#keep(file, MAX_LOCK_BYTES);
  }

  #keep(file: string, mostBytes: number): ProgramFile {
    const place = slashes(path.relative(this.#root, file));
    const { size } = statSync(file);
    const without = { path: place, bytes: size, sha256: null, kept: null };
    if (isSecretFile(place)) return without;
    const isLock = mostBytes === MAX_LOCK_BYTES;
    if (size > mostBytes || (!isLock && size > this.#leftBytes)) {
      if (size > this.#leftToHash) return without;
      this.#leftToHash -= size;
      return { ...without, sha256: sha256Of(file) };
    }
    if (!isLock) this.#leftBytes -= size;
    const content = readFileSync(file);
    const { bytes, leftOut } = withoutSecrets(content);
    return {
      path: place,
      bytes: size,
      sha256: sha256OfBytes(content),
      kept: keepBytes(this.#call, this.#logbook, bytes),
      ...(leftOut && { leftOut }),
    };
  }
}

export function slashes(file: string): string {
  return file.split(path.sep).join("/");
}
