// Makes the folder in which a run is repeated: the commit where its repository is here, the patch, the kept files, the
// packages. Writes into that folder alone: a logbook may come from a stranger.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { isInside } from "../../../lib/lab/logbook/is_inside.ts";
import { keptBytes } from "../../../lib/lab/logbook/kept_files.ts";
import { lockFileAbove, sha256Of } from "../../../lib/lab/logbook/origin.ts";
import type { Program, ProgramFile } from "../../../lib/lab/logbook/program.ts";
import { git } from "../../../lib/lab/logbook/working_tree.ts";
import { formatBytes } from "../../../lib/units.ts";
import { makeFolder } from "../output_files.ts";
import { filesOfLock, importedPackages, type NotebookLock } from "../notebook/lock.ts";
import { CommandError } from "../project.ts";

/** The way out where the system refuses. */
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
  /** Whether packages are installed as the lock file says. */
  readonly install: boolean;
}

export interface CleanFolder {
  readonly root: string;
  /** The notebook's folder in it. */
  readonly folder: string;
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
  applyPatch(root, program, options, hasCommit, notes);
  const kept = program.files.filter((file) => putFile(root, file, options.logbook, notes)).length;
  if (kept > 0) notes.push(`${kept === 1 ? "1 file" : `${kept} files`} of the logbook`);
  providePackages(root, program, options, hasCommit, notes);
  const folder = placeIn(root, program.folder) ?? root;
  makeFolder(folder, NAME_FOLDER);
  return { root, folder, notes: [...notes, ...program.notes] };
}

function emptyFolder(asked: string | undefined): string {
  if (asked === undefined) return realpathSync(mkdtempSync(join(tmpdir(), "mpslab-rerun-")));
  const folder = resolve(asked);
  makeFolder(folder, NAME_FOLDER);
  if (readdirSync(folder).length > 0)
    throw new CommandError(
      `${folder} is not empty: name a new folder, so that the rerun sees nothing but the run's own files.`,
    );
  return realpathSync(folder);
}

/** Puts the commit's files into the folder; false where there is no commit, or no repository that has it. */
function checkOut(root: string, { commit, repository, logbook }: FolderOptions, notes: string[]): boolean {
  if (commit === null) return false;
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
  const options = ["-c", "core.hooksPath=/dev/null"];
  const cloned = run("git", [...options, "clone", "--quiet", "--shared", "--no-checkout", from, root]);
  const checked = cloned ?? run("git", [...options, "-C", root, "checkout", "--quiet", "--detach", commit]);
  if (checked !== null)
    throw new CommandError(`The commit ${short} of ${from} cannot be checked out: ${checked}`);
  notes.push(`the commit ${short} of ${from}`);
  return true;
}

function applyPatch(
  root: string,
  { patch }: Program,
  { logbook }: FolderOptions,
  hasCommit: boolean,
  notes: string[],
): void {
  if (patch === null) return;
  if (!hasCommit) {
    notes.push("without the patch, which changes files of that commit");
    return;
  }
  const failure = run("git", ["-C", root, "apply", "--whitespace=nowarn"], keptOrRefuse(logbook, patch.kept));
  if (failure === null) notes.push("its patch");
  else if (patch.leftOut === true)
    notes.push("without the patch: secrets were left out of it, and it does not apply");
  else throw new CommandError(`The patch of the run does not apply: ${failure}`);
}

/** Whether the file is in the folder then. */
function putFile(root: string, file: ProgramFile, logbook: string, notes: string[]): boolean {
  const place = placeIn(root, file.path);
  if (place === null) {
    notes.push(`without ${file.path}, which lies outside the run's folder`);
    return false;
  }
  if (file.kept !== null) {
    if (file.leftOut === true) notes.push(`${file.path} without its secrets`);
    makeFolder(dirname(place), NAME_FOLDER);
    // A link of the commit or the patch would have the file written to where it leads.
    rmSync(place, { force: true });
    writeFileSync(place, keptOrRefuse(logbook, file.kept));
    return true;
  }
  const here = besideLogbook(logbook, file.path);
  if (file.sha256 !== null && here !== null && sha256Of(here) === file.sha256) {
    makeFolder(dirname(place), NAME_FOLDER);
    rmSync(place, { force: true });
    copyFileSync(here, place);
    notes.push(`${file.path} from beside the logbook`);
    return false;
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

/** Returns the path in the folder, or null for one that leads out of it, by itself or through a link in the folder. */
function placeIn(root: string, name: string): string | null {
  const place = join(root, normalize(name));
  if (isAbsolute(name) || !isInside(root, place)) return null;
  let folder = dirname(place);
  while (!existsSync(folder)) folder = dirname(folder);
  const real = realpathSync(folder);
  return real === root || isInside(root, real) ? place : null;
}

function providePackages(
  root: string,
  program: Program,
  { logbook, install, notebookLock }: FolderOptions,
  hasCommit: boolean,
  notes: string[],
): void {
  const { lock } = program;
  if (lock === null) {
    const files = notebookLock === null ? null : filesOfLock(notebookLock);
    if (files === null) return;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    if (install) installPackages(root, "package-lock.json");
    notes.push(
      install
        ? "packages installed as the notebook's lock says"
        : "without packages: the notebook's lock names them; --install installs them",
    );
    return;
  }
  // A lock file above the notebook's folder belongs to the top of this one.
  const inside = placeIn(root, lock.lockFile.path) ?? join(root, basename(lock.lockFile.path));
  const folder = dirname(inside);
  makeFolder(folder, NAME_FOLDER);
  if (!hasCommit || lock.lockFile.path.startsWith("..")) {
    for (const file of [lock.lockFile, lock.manifest])
      if (file !== null && file.kept !== null)
        writeFileSync(join(folder, basename(file.path)), keptOrRefuse(logbook, file.kept));
  }
  if (install) {
    installPackages(folder, basename(inside));
    notes.push(`packages installed as ${basename(inside)} says`);
    return;
  }
  const here = lockFileAbove(dirname(logbook));
  const packages = here === null ? null : join(dirname(here.file), "node_modules");
  if (here !== null && here.sha256 === lock.lockFile.sha256 && existsSync(packages!)) {
    if (!existsSync(join(folder, "node_modules"))) symlinkSync(packages!, join(folder, "node_modules"));
    notes.push(`the packages of ${dirname(here.file)}, which has the same lock file`);
  } else if (importsPackages(program, logbook)) {
    notes.push(
      `without packages: no folder above the logbook has the run's ${basename(inside)}; --install installs them`,
    );
  }
}

function importsPackages({ cells, files }: Program, logbook: string): boolean {
  const modules = files
    .filter(({ path, kept }) => kept !== null && /\.[cm]?[jt]sx?$/.test(path))
    .map(({ kept }) => keptOrRefuse(logbook, kept!).toString("utf8"));
  return importedPackages([...cells.map(({ text }) => text), ...modules]).length > 0;
}

const INSTALL: Readonly<Record<string, readonly string[]>> = {
  "package-lock.json": ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
  "pnpm-lock.yaml": ["pnpm", "install", "--frozen-lockfile", "--ignore-scripts"],
  "yarn.lock": ["yarn", "install", "--frozen-lockfile", "--ignore-scripts"],
  "bun.lock": ["bun", "install", "--frozen-lockfile", "--ignore-scripts"],
};

function installPackages(folder: string, lockFile: string): void {
  const command = INSTALL[lockFile];
  if (command === undefined)
    throw new CommandError(
      `--install knows no program for ${lockFile}: install its packages in ${folder} by hand.`,
    );
  const [program, ...args] = command as [string, ...string[]];
  const failure = run(program, args, undefined, folder);
  if (failure !== null) throw new CommandError(`${command.join(" ")} in ${folder} failed: ${failure}`);
}

/** Null where the program ended well, else what it said. */
function run(program: string, args: readonly string[], input?: Buffer, folder?: string): string | null {
  const { status, stderr, error } = spawnSync(program, args, { input, cwd: folder, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
}

function keptOrRefuse(logbook: string, sha256: string): Buffer {
  try {
    return keptBytes(logbook, sha256);
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}
