// Makes the folder in which a run is repeated: the commit where its repository is here, the patch, the kept files. A
// logbook may come from a stranger: nothing is run here, and nothing is written outside of the folder. The folder is new, and
// no link is made in it, so that no write can be led away.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { isInside } from "../../../lib/records/logbook/is_inside.ts";
import { keptBytes } from "../../../lib/records/logbook/kept_files.ts";
import { sha256Of } from "../../../lib/records/logbook/origin.ts";
import type { Program, ProgramFile } from "../../../lib/records/logbook/program.ts";
import { git } from "../../../lib/records/logbook/working_tree.ts";
import { formatBytes } from "../../../lib/units.ts";
import { makeFolder } from "../output_files.ts";
import { filesOfLock, type NotebookLock } from "../notebook/lock.ts";
import { CommandError } from "../project.ts";
import { gitFailure, refuseFileOfGit } from "./guarded_programs.ts";

/** What the user can do if the system refuses. */
const NAME_FOLDER = "name another folder with --folder FOLDER";

export interface FolderOptions {
  readonly logbook: string;
  readonly commit: string | null;
  /** An empty or new folder. Default: a new one among the system's temporary files. */
  readonly folder: string | undefined;
  /** A clone that may have the commit. Default: the one in which the logbook lies. */
  readonly repository: string | undefined;
  /** The lock of the notebook's metadata, for a run whose logbook keeps none. */
  readonly notebookLock: NotebookLock | null;
}

export interface CleanFolder {
  readonly root: string;
  /** The notebook's folder within `root`. */
  readonly folder: string;
  /** The commit that was checked out; null where none was. */
  readonly commit: string | null;
  /** The patch that was applied. */
  readonly patch: string | null;
  /** Files from the logbook, from beside it, and of the lock, as paths in the folder. */
  readonly files: readonly string[];
  /** Sentences about what is in it, and what is not. */
  readonly notes: readonly string[];
}

/** @throws CommandError where the folder is not empty or cannot be written, and where packages cannot be installed */
export function cleanFolder(program: Program, options: FolderOptions): CleanFolder {
  const root = emptyFolder(options.folder);
  try {
    return filledFolder(root, program, options);
  } catch (error) {
    if (options.folder === undefined) rmSync(root, { recursive: true, force: true });
    throw error;
  }
}

function filledFolder(root: string, program: Program, options: FolderOptions): CleanFolder {
  const notes: string[] = [];
  const hasCommit = checkOut(root, options, notes);
  const patch = appliedPatch(root, program, options, hasCommit, notes);
  const put = program.files.map((file) => [file, putFile(root, file, options.logbook, notes)] as const);
  const kept = put.filter(([file, isThere]) => isThere && file.kept !== null).length;
  if (kept > 0) notes.push(`${kept === 1 ? "1 file" : `${kept} files`} of the logbook`);
  const files = [
    ...put.flatMap(([file, isThere]) => (isThere ? file.path : [])),
    ...putLock(root, program, options, hasCommit),
  ];
  const folder = placeIn(root, program.folder) ?? root;
  makeFolder(folder, NAME_FOLDER);
  return {
    root,
    folder,
    commit: hasCommit ? options.commit : null,
    patch,
    files: files.map((file) => normalize(file)),
    notes: [...notes, ...program.notes],
  };
}

function emptyFolder(asked: string | undefined): string {
  if (asked === undefined) return realpathSync(mkdtempSync(join(tmpdir(), "mpslab-rerun-")));
  const folder = resolve(asked);
  makeFolder(folder, NAME_FOLDER);
  requireEmptyFolder(folder);
  return realpathSync(folder);
}

/** @throws CommandError for a folder that is not empty */
export function requireEmptyFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(
      `${resolve(folder)} is not empty: name a new folder, so that the rerun sees nothing but the run's own files.`,
    );
}

/** Puts the commit's files into the folder; false where there is no commit, or no repository that has it. */
function checkOut(root: string, { commit, repository, logbook }: FolderOptions, notes: string[]): boolean {
  // A commit that is no checksum could be read as an option of git.
  if (commit === null || !/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const from = git(repository ?? dirname(logbook), "rev-parse", "--show-toplevel")
    ?.toString("utf8")
    .trimEnd();
  const short = commit.slice(0, 10);
  const has = from !== undefined && git(from, "cat-file", "-e", `${commit}^{commit}`) !== null;
  if (!has) {
    if (repository !== undefined)
      throw new CommandError(
        `${resolve(repository)} has no commit ${short}: fetch it there, or name another clone.`,
      );
    notes.push(`without the commit ${short}: no repository here has it; --repository FOLDER names a clone`);
    return false;
  }
  const cloned = gitFailure(["clone", "--quiet", "--shared", "--no-checkout", from, root]);
  const checked = cloned ?? gitFailure(["-C", root, "checkout", "--quiet", "--detach", commit]);
  if (checked !== null)
    throw new CommandError(`The commit ${short} of ${from} cannot be checked out: ${checked}`);
  notes.push(`the commit ${short} of ${from}`);
  return true;
}

/** Returns the text of the patch, or null where none was applied. */
function appliedPatch(
  root: string,
  { patch }: Program,
  { logbook }: FolderOptions,
  hasCommit: boolean,
  notes: string[],
): string | null {
  if (patch === null) return null;
  if (!hasCommit) {
    notes.push("without the patch, which changes files of that commit");
    return null;
  }
  const bytes = keptOrRefuse(logbook, patch.kept);
  const failure = gitFailure(["-C", root, "apply", "--whitespace=nowarn"], bytes);
  if (failure === null) {
    notes.push("its patch");
    return bytes.toString("utf8");
  }
  if (patch.leftOut !== true) throw new CommandError(`The patch of the run does not apply: ${failure}`);
  notes.push("without the patch: secrets were left out of it, and it does not apply");
  return null;
}

/** Returns whether the file could be written. */
function putFile(root: string, file: ProgramFile, logbook: string, notes: string[]): boolean {
  const place = placeIn(root, file.path);
  if (place === null) {
    notes.push(`without ${file.path}, which lies outside the run's folder`);
    return false;
  }
  refuseFileOfGit(file.path);
  if (file.kept !== null) {
    if (file.leftOut === true) notes.push(`${file.path} without its secrets`);
    makeFolder(dirname(place), NAME_FOLDER);
    writeFileSync(place, keptOrRefuse(logbook, file.kept));
    return true;
  }
  const here = besideLogbook(logbook, file.path);
  if (file.sha256 !== null && here !== null && sha256Of(here) === file.sha256) {
    makeFolder(dirname(place), NAME_FOLDER);
    copyFileSync(here, place);
    notes.push(`${file.path} from beside the logbook`);
    return true;
  }
  const why = file.sha256 === null ? "not even its checksum" : "its checksum alone";
  notes.push(`without ${file.path} (${formatBytes(file.bytes)}), of which the logbook keeps ${why}`);
  return false;
}

function besideLogbook(logbook: string, name: string): string | null {
  const top = git(dirname(logbook), "rev-parse", "--show-toplevel")?.toString("utf8").trimEnd();
  const found = [top, dirname(logbook)].flatMap((folder) => (folder ? [join(folder, name)] : []));
  return found.find((file) => existsSync(file)) ?? null;
}

/** Returns the path in the folder, or null for one that leads out of it. */
function placeIn(root: string, name: string): string | null {
  const place = join(root, normalize(name));
  return isAbsolute(name) || !isInside(root, place) ? null : place;
}

/** Writes the lock file and its package.json, where no commit has them; returns their paths in the folder. */
function putLock(
  root: string,
  { lock }: Program,
  { logbook, notebookLock }: FolderOptions,
  hasCommit: boolean,
): string[] {
  if (lock === null) {
    const texts = (notebookLock && filesOfLock(notebookLock)) ?? {};
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(root, name), text);
    return Object.keys(texts);
  }
  const folder = lockFolder(root, lock);
  makeFolder(folder, NAME_FOLDER);
  if (hasCommit && !lock.lockFile.path.startsWith("..")) return [];
  return [lock.lockFile, lock.manifest].flatMap((file) => {
    if (file === null || file.kept === null) return [];
    const place = join(folder, basename(file.path));
    refuseFileOfGit(file.path);
    writeFileSync(place, keptOrRefuse(logbook, file.kept));
    return [relative(root, place)];
  });
}

/** A lock file that lay above the notebook's folder is put at the top of the new one. */
export function lockFolder(root: string, { lockFile }: NonNullable<Program["lock"]>): string {
  return dirname(placeIn(root, lockFile.path) ?? join(root, basename(lockFile.path)));
}

export function keptOrRefuse(logbook: string, sha256: string): Buffer {
  try {
    return keptBytes(logbook, sha256);
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}
