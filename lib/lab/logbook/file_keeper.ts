// Keeps the files of a run beside the logbook, within limits: the content of small files, the checksum of larger ones,
// and only the name of those that hold secrets.
import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { counted, listed } from "../../words.ts";
import { isInside } from "../../records/logbook/is_inside.ts";
import { keepBytes, sha256OfBytes } from "../../records/logbook/kept_files.ts";
import { sha256Of } from "../../records/logbook/origin.ts";
import type { ProgramFile } from "../../records/logbook/program.ts";
import { isSecretFile, type WorkingTree } from "../../records/logbook/working_tree.ts";
import type { LeftOutParts } from "../../secrets/left_out.ts";
import { type Language, languageOf, redact } from "../../secrets/redact.ts";

/** A larger file is not kept; the logbook has its checksum only. */
const MAX_FILE_BYTES = 256 * 1024;
/** Limits of one run, so that a folder of data does not become part of the logbook. */
const MAX_FILES = 200;
const MAX_KEPT_BYTES = 4 * 2 ** 20;
/** A lock file may be larger than other files: in a large project it has a few MiB, and it seldom changes. */
const MAX_LOCK_BYTES = 8 * 2 ** 20;
/** Hashing more would make the cell wait for the disk. */
const MAX_HASHED_BYTES = 256 * 2 ** 20;

/** Notes name at most this many files, and count the others. */
const MAX_NAMED = 5;

/**
 * Removes secrets from text. Bytes that contain a NUL are not text and are returned as they are. A patch mixes the
 * encodings of its files, so bytes that are not UTF-8 are read as Latin-1, which preserves every byte.
 */
export function bytesWithoutSecrets(
  bytes: Buffer,
  place: string,
  language: Language,
  parts: LeftOutParts,
): { readonly bytes: Buffer; readonly leftOut?: true } {
  if (bytes.includes(0)) return { bytes };
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const text = bytes.toString(encoding);
  const rest = parts.of(place, redact(text, language));
  return rest === text ? { bytes } : { bytes: Buffer.from(rest, encoding), leftOut: true };
}

export class FileKeeper {
  readonly #call: string;
  readonly #logbook: string;
  readonly #root: string;
  readonly #notes: string[];
  readonly #leftOut: LeftOutParts;
  readonly #rootName: string;
  #leftBytes = MAX_KEPT_BYTES;
  #leftToHash = MAX_HASHED_BYTES;

  constructor(
    call: string,
    logbook: string,
    { root, isRepository }: WorkingTree,
    notes: string[],
    leftOut: LeftOutParts,
  ) {
    [this.#call, this.#logbook, this.#root, this.#notes] = [call, logbook, root, notes];
    this.#leftOut = leftOut;
    this.#rootName = isRepository ? "the repository" : "the notebook's folder";
  }

  /**
   * Adds a note about files that changed after the session began: the run may have written them, so they may not be
   * what it read.
   */
  noteChanged(files: readonly string[]): void {
    const changed = [...new Set(files)]
      .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > performance.timeOrigin)
      .map((file) => slashes(path.relative(this.#root, file)));
    if (changed.length === 0) return;
    const others = changed.length - MAX_NAMED;
    const names = others > 0 ? [...changed.slice(0, MAX_NAMED), counted(others, "other file")] : changed;
    const [are, them] = changed.length === 1 ? ["is", "it"] : ["are", "them"];
    this.#notes.push(
      `${listed(names)} changed while the session ran, and ${are} kept as the run left ${them}: cells that read ${them} first may differ.`,
    );
  }

  keepAll(files: readonly string[]): ProgramFile[] {
    const there = [...new Set(files)].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    const all = there.filter((file) => isInside(this.#root, file));
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
    // A symbolic link would show another file's content under its own name.
    if (isSecretFile(place) || isSecretFile(slashes(realpathSync(file)))) return without;
    const isLock = mostBytes === MAX_LOCK_BYTES;
    if (size > mostBytes || (!isLock && size > this.#leftBytes)) {
      if (size > this.#leftToHash) return without;
      this.#leftToHash -= size;
      return { ...without, sha256: sha256Of(file) };
    }
    if (!isLock) this.#leftBytes -= size;
    const content = readFileSync(file);
    const { bytes, leftOut } = bytesWithoutSecrets(content, place, languageOf(place), this.#leftOut);
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
