// Writes files atomically: a file is there completely or not at all. The library and the kernel write all files
// through here, except journals, to which they append lines. Reads those that are JSON. Loads no libtorch.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { threadId } from "node:worker_threads";
import { isRunning } from "./running_process.ts";
import { visibleLine } from "./visible.ts";

/** The meaning of a system error: `there is no file /data/a.pt`. */
export function fileFailure(call: string, file: string, cause: unknown): Error {
  return new Error(`${call}: ${failureReason(file, cause)}.`, { cause });
}

/** `there is no room left on the disk of /data/a.pt` */
export function failureReason(named: string, cause: unknown): string {
  return visibleLine(reasonOf(named, cause));
}

function reasonOf(file: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  const folder = path.dirname(path.resolve(file));
  switch (code) {
    case "ENOENT":
      return existsSync(folder) ? `there is no file ${file}` : `there is no folder ${folder}`;
    case "EISDIR":
      return `${file} is a folder, not a file`;
    case "ENOTDIR":
      return `${nearestThatExists(folder)} is a file, not a folder`;
    // A folder was to be made at the path of a file.
    case "EEXIST":
      return `${file} is a file, not a folder`;
    case "EACCES":
    case "EPERM":
      return existsSync(file)
        ? `${file}, or its folder, may not be written or read by this user`
        : `the folder ${folder} may not be written by this user`;
    case "EROFS":
      return `the folder ${folder} is on a disk that can only be read`;
    case "ELOOP":
      return `${file} is a link, and nothing is written through it: name the file itself`;
    case "ENOSPC":
    case "EDQUOT":
      return `there is no room left on the disk of ${file}`;
    default:
      return `${file} cannot be used (${message})`;
  }
}

/**
 * What a file holds that a user names.
 *
 * @param refusal makes the error for a file that is no JSON, with why: `is no JSON (Unexpected end of JSON input)`
 * @throws Error for a file that cannot be read
 */
export function readJsonFile(
  call: string,
  file: string,
  refusal: (why: string, cause: unknown) => Error,
): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw fileFailure(call, file, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refusal(`is no JSON (${(cause as Error).message})`, cause);
  }
}

/** The file or folder itself, or the nearest existing one above it: `/dev/null` for `/dev/null/home/me`. */
function nearestThatExists(folder: string): string {
  return existsSync(folder) ? folder : nearestThatExists(path.dirname(folder));
}

/**
 * Makes the folder and those above it, or sees whether files can be made in the one that is there.
 *
 * @throws Error of the system's. Of a disk that can only be read, `mkdir` alone would say that the folder is not there
 */
export function makeWritableFolder(folder: string): void {
  const nearest = nearestThatExists(folder);
  if (statSync(nearest).isDirectory()) accessSync(nearest, constants.W_OK);
  mkdirSync(folder, { recursive: true });
}

/**
 * Makes a folder of ours beside a user's file. A link in its place may be a stranger's, and lead anywhere.
 *
 * @throws Error of the system's
 */
export function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (lstatSync(folder).isSymbolicLink()) throw refusedLink();
}

/** The file that a user has named: if the name is a link, it is the user's own link, and is followed. */
export function namedFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/**
 * Opens a file to append to it, and to read its end.
 *
 * @throws Error of the system's, for a link too
 */
export function openToAppend(file: string): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  return openSync(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o666);
}

const refusedLink = () => Object.assign(new Error("it is a link"), { code: "ELOOP" });

/** One write call takes less than 2^31 bytes. */
const CHUNK_BYTES = 2 ** 30;

const PARTIAL = ".partial";
/** The permission bits of a file's mode, without its type. */
const PERMISSIONS = 0o7777;
/** Partial files carry the host's name, because process ids belong to one host, and several hosts may share a disk. */
const HOST = os.hostname().replaceAll(/[^\w-]/g, "_");
let written = 0;

/**
 * What becomes of a link at a file's place. `followed`: the user has named the file, and the one that the link names is
 * replaced; `replaced`: the name is ours, the link may be a stranger's, and the new file takes its place.
 */
export type Links = "followed" | "replaced";

/**
 * Writes beside the file's place first: a reader never sees half a file, and an older one stays until the new one is on the
 * disk. Two threads that write one file each have a partial file of their own; the one that ends last stays.
 *
 * @throws Error in words for what the system refuses, its own error as the cause
 */
export function writeWhole(
  call: string,
  file: string,
  body: (write: (bytes: Uint8Array) => void) => void,
  links: Links = "followed",
): void {
  const write = (run: () => unknown) => inWords(call, file, run);
  let present: Stats | undefined;
  write(() => {
    const isReplaced =
      links === "replaced" && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    present = isReplaced ? undefined : statSync(file, { throwIfNoEntry: false });
    refuseNoFile(present);
  });
  // A user's link stays a link. Nothing is written through a link that leads nowhere: the new file replaces it.
  const target = present === undefined ? file : realpathSync(file);
  removeAbandoned(target);
  const partial = `${target}.${HOST}.${process.pid}-${threadId}-${++written}${PARTIAL}`;
  let descriptor = -1;
  write(() => (descriptor = openSync(partial, "wx")));
  try {
    try {
      // The permissions stay as they were.
      if (present !== undefined) write(() => fchmodSync(descriptor, present!.mode & PERMISSIONS));
      body((bytes) => write(() => writeAll(descriptor, bytes)));
      write(() => fsyncSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
    write(() => renameSync(partial, target));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** The same for a string. */
export function writeWholeText(call: string, file: string, text: string, links: Links = "followed"): void {
  writeWhole(call, file, (write) => write(Buffer.from(text)), links);
}

function inWords(call: string, file: string, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    throw fileFailure(call, file, error);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(descriptor, bytes, done, Math.min(CHUNK_BYTES, bytes.length - done));
}

/**
 * Refused early: a rename would refuse a folder with another error, after everything was written, and would replace a
 * device such as /dev/null.
 */
function refuseNoFile(present: Stats | undefined): void {
  if (present?.isDirectory() === true) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  if (present?.isFile() === false)
    throw new Error("it is a device or a pipe, and would be replaced by a file");
}

/** Partial files of this file that processes on this host left when they ended while writing. */
function removeAbandoned(file: string): void {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  let beside: string[];
  try {
    beside = readdirSync(folder);
  } catch {
    // If the folder cannot be listed, opening the file reports why.
    return;
  }
  for (const other of beside) {
    const begin = `${name}.${HOST}.`;
    if (!other.startsWith(begin) || !other.endsWith(PARTIAL)) continue;
    const pid = /^(\d+)-\d+-\d+$/.exec(other.slice(begin.length, -PARTIAL.length))?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(folder, other), { force: true });
  }
}
