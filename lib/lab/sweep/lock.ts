// Locks a journal for one process: a lock file beside it names the process that writes. A lock left by a dead process
// is recognized and taken over. Node has no flock, and proper-lockfile refreshes its lock by a timer: a step that
// blocks the event loop would lose it.
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { beganAt } from "../../platform/processes.ts";
import { thisSystem } from "../../platform/system.ts";
import { isRunning } from "../../running_process.ts";

interface LockOwner {
  /** Identifies this hold, so that no process removes another's lock. */
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** When the process began, as its system reports it, because pids are reused. Null if unknown. */
  readonly began: string | null;
  readonly since: string;
}

export interface Lock {
  release(): void;
}

/** A lock file that has named no owner for longer than this was left by a process that died while writing it. */
const UNWRITTEN_MS = 10_000;

/**
 * Locks a file against other processes. A lock that this process already holds is taken over.
 *
 * @throws Error if another process holds it, saying which; Error if the folder cannot be written
 */
export function lockFile(file: string): Lock {
  const lock = `${file}.lock`;
  const mine: LockOwner = {
    token: randomUUID(),
    host: hostname(),
    pid: process.pid,
    began: beganAt(process.pid),
    since: new Date().toISOString(),
  };
  for (;;) {
    if (create(lock, file, mine)) return { release: () => release(lock, mine.token) };
    const owner = read(lock);
    if (owner === "gone") continue;
    if (!isAbandoned(owner, lock)) throw new Error(refusal(file, lock, owner));
    remove(lock, owner?.token ?? null);
  }
}

function create(lock: string, file: string, owner: LockOwner): boolean {
  try {
    writeFileSync(lock, JSON.stringify(owner), { flag: "wx" });
    return true;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new Error(`The journal ${file} cannot be written (${message}): give journal: null to do without.`, {
      cause,
    });
  }
}

/** Returns null if the file names no owner. */
function read(lock: string): LockOwner | null | "gone" {
  let text: string;
  try {
    text = readFileSync(lock, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : null;
  }
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null;
    return typeof owner?.token === "string" && typeof owner.pid === "number" ? (owner as LockOwner) : null;
  } catch {
    return null;
  }
}

/**
 * Whether the lock's owner no longer writes. For a process of another machine this is unknown, and the answer is false.
 */
function isAbandoned(owner: LockOwner | null, lock: string): boolean {
  if (owner === null)
    return Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > UNWRITTEN_MS;
  if (owner.host !== hostname()) return false;
  if (owner.pid === process.pid) return true;
  const began = beganAt(owner.pid);
  if (began !== null) return began !== owner.began;
  // If /proc does not list a process, it has ended; on a Mac, `ps` may merely have failed.
  return thisSystem.name === "linux" || !isRunning(owner.pid);
}

/**
 * Moves the lock away first, and puts it back if its token differs: another process may have taken over between reading
 * and removing.
 */
function remove(lock: string, token: string | null): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = read(aside);
  try {
    if (moved !== "gone" && (moved?.token ?? null) !== token) linkSync(aside, lock);
  } catch {
    // A third process has locked meanwhile, so two hold the lock. The journal then loses the order of lines, but no
    // line.
  }
  rmSync(aside, { force: true });
}

/**
 * A lock that cannot be removed must not cost the sweep its results: others can take it over once this process has
 * ended.
 */
function release(lock: string, token: string): void {
  try {
    remove(lock, token);
  } catch {}
}

function refusal(file: string, lock: string, owner: LockOwner | null): string {
  const who =
    owner === null
      ? "another session"
      : `another session (process ${owner.pid} on ${owner.host}, since ${owner.since})`;
  const way = "give this sweep another name, or wait for that one";
  const elsewhere =
    owner !== null && owner.host !== hostname() ? `; if that one has ended, delete ${lock}` : "";
  return `${file} is being written by a sweep of ${who}: ${way}${elsewhere}.`;
}
