// Gathers what a session has run when it records a run, and keeps it beside the logbook: cells, patch, files, lock.
import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { formatBytes } from "../../units.ts";
import { installedSession, runningCell, sessionEnvironment } from "../../session.ts";
import { keepBytes, sha256OfBytes } from "./kept_files.ts";
import { lockFileAbove, sha256Of } from "./origin.ts";
import type { KeptProgram, Program, ProgramFile } from "./program.ts";
import { machine } from "./replay_record.ts";
import { jsonWithoutSecrets, sourceWithoutSecrets } from "./secrets.ts";
import { tellingVariables } from "./variables.ts";
import { isSecretFile, patchOf, untrackedFiles, workingTreeOf } from "./working_tree.ts";

/** The content of a larger file is not kept; its checksum is. */
const MAX_FILE_BYTES = 256 * 1024;
/** Limits of one run, so that a folder of data does not become part of the logbook. */
const MAX_FILES = 200;
const MAX_KEPT_BYTES = 4 * 2 ** 20;
/** A lock file of a large project has a few MiB, and seldom changes. */
const MAX_LOCK_BYTES = 8 * 2 ** 20;
/** More would keep the cell waiting for the disk. */
const MAX_HASHED_BYTES = 256 * 2 ** 20;

/**
 * Keeps what ran; null outside a session, where nothing is known of cells.
 *
 * @throws Error if a file cannot be written, saying where it is
 */
export function keepProgram(call: string, logbook: string): KeptProgram | null {
  const session = installedSession();
  if (session === null) return null;
  const folder = realpathSync(process.cwd());
  const tree = workingTreeOf(folder);
  const notes: string[] = [];
  const keeper = new FileKeeper(call, logbook, tree.root, notes);

  const cells = [...session.cells()].map(([count, written]) => {
    const text = sourceWithoutSecrets(written);
    return { count, text, ...(text === written ? {} : { leftOut: true as const }) };
  });
  if ((cells[0]?.count ?? 1) > 1)
    notes.push(
      `Cells before [${cells[0]!.count}] are not known: an earlier session ran them, or the session keeps the latest thousand.`,
    );
  const name = path.basename(process.env["JPY_SESSION_NAME"] ?? "");
  const lock = lockFileAbove(folder);
  const program: Program = {
    notebook: name.endsWith(".ipynb") ? name : null,
    folder: slashes(path.relative(tree.root, folder)),
    cells,
    recordedBy: numberOf(runningCell(), cells),
    machine: machine(),
    environment: withoutSecretValues(tellingVariables(sessionEnvironment())),
    patch: keptPatch(call, logbook, patchOf(tree), notes),
    files: keeper.keepAll([
      ...session.importedFiles(),
      ...untrackedFiles(tree).map((file) => path.join(tree.root, file)),
    ]),
    lock:
      lock === null
        ? null
        : {
            lockFile: keeper.keep(lock.file, MAX_LOCK_BYTES),
            manifest: keeper.keepIfThere(path.join(path.dirname(lock.file), "package.json")),
          },
    notes,
  };
  const text = `${JSON.stringify(program, null, 1)}\n`;
  return {
    sha256: keepBytes(call, logbook, Buffer.from(text)),
    cells: cells.length,
    notebook: program.notebook,
  };
}

/** The value of a harmless name may hold a password too, as an address does. */
function withoutSecretValues(variables: Record<string, string>): Record<string, string> {
  return JSON.parse(jsonWithoutSecrets(variables)) as Record<string, string>;
}

/** `Cell [3]` -> 3, where that cell is among those that are kept: a cell without a number shares its predecessor's. */
function numberOf(cell: string | null, cells: Program["cells"]): number | null {
  const count = Number(/\[(\d+)\]/.exec(cell ?? "")?.[1] ?? Number.NaN);
  const found = cells.find((one) => one.count === count);
  return found?.text.includes("logbook") === true ? count : null;
}

function keptPatch(call: string, logbook: string, patch: Buffer | null, notes: string[]): Program["patch"] {
  if (patch === null) {
    notes.push("The patch against the commit is not kept: git did not answer, or the patch is too large.");
    return null;
  }
  if (patch.length === 0) return null;
  if (patch.length > MAX_KEPT_BYTES) {
    notes.push(
      `The patch against the commit has ${formatBytes(patch.length)}, and is not kept: commit first.`,
    );
    return null;
  }
  const { bytes, leftOut } = cleaned(patch);
  return { kept: keepBytes(call, logbook, bytes), bytes: bytes.length, ...(leftOut && { leftOut }) };
}

/** Text without its secrets; other bytes as they are. */
function cleaned(bytes: Buffer): { readonly bytes: Buffer; readonly leftOut?: true } {
  const text = bytes.toString("utf8");
  if (text.includes("\0") || !Buffer.from(text).equals(bytes)) return { bytes };
  const clean = sourceWithoutSecrets(text);
  return clean === text ? { bytes } : { bytes: Buffer.from(clean), leftOut: true };
}

class FileKeeper {
  readonly #call: string;
  readonly #logbook: string;
  readonly #root: string;
  readonly #notes: string[];
  #leftBytes = MAX_KEPT_BYTES;
  #leftToHash = MAX_HASHED_BYTES;

  constructor(call: string, logbook: string, root: string, notes: string[]) {
    [this.#call, this.#logbook, this.#root, this.#notes] = [call, logbook, root, notes];
  }

  keepAll(files: readonly string[]): ProgramFile[] {
    const all = [...new Set(files)].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    if (all.length > MAX_FILES)
      this.#notes.push(`Of ${all.length} files that no commit has, the first ${MAX_FILES} are listed.`);
    return all.slice(0, MAX_FILES).map((file) => this.keep(file, MAX_FILE_BYTES));
  }

  keepIfThere(file: string): ProgramFile | null {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? this.keep(file, MAX_FILE_BYTES) : null;
  }

  keep(file: string, mostBytes: number): ProgramFile {
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
    const { bytes, leftOut } = cleaned(content);
    return {
      path: place,
      bytes: size,
      sha256: sha256OfBytes(content),
      kept: keepBytes(this.#call, this.#logbook, bytes),
      ...(leftOut && { leftOut }),
    };
  }
}

function slashes(file: string): string {
  return file.split(path.sep).join("/");
}
