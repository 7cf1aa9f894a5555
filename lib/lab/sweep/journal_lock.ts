// Lets one sweep at a time write a journal. A second one, from a subshell, a missing await or another kernel, would
// take the first one's points for those of an earlier session. This file covers the sweeps of this session; lock.ts
// covers other processes.
import path from "node:path";
import { installedSession } from "../../session.ts";
import { lockFile } from "./lock.ts";

/** The journals that are being written, each with the abort signal of the cell that writes it. */
const written = new Map<string, AbortSignal | undefined>();

/**
 * @param file null for a sweep without a journal
 * @throws Error if a sweep is writing it, of this session or of another process
 */
export async function withJournalLock<Result>(
  file: string | null,
  sweep: () => Promise<Result>,
): Promise<Result> {
  if (file === null) return await sweep();
  const place = path.resolve(file);
  // An interrupt may have unwound the sweep, which then never ends and keeps its lock.
  if (written.has(place) && written.get(place)?.aborted !== true)
    throw new Error(
      `${file} is being written by a sweep that runs: give this one another name, or wait for that one.`,
    );
  const lock = lockFile(place);
  const signal = installedSession()?.cellSignal();
  written.set(place, signal);
  try {
    return await sweep();
  } finally {
    if (written.get(place) === signal) written.delete(place);
    lock.release();
  }
}
