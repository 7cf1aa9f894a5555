// One sweep at a time on a journal: a second one of the same session, in a subshell or not awaited, would take the first
// one's points for those of an earlier session. Of other processes it knows nothing.
import path from "node:path";
import { installedSession } from "../../session.ts";

/** Journals that are written now, with the signal of the cell that does. */
const written = new Map<string, AbortSignal | undefined>();

/**
 * @param file null for a sweep without a journal
 * @throws Error where a sweep is writing it
 */
export async function alone<Result>(file: string | null, sweep: () => Promise<Result>): Promise<Result> {
  if (file === null) return await sweep();
  const place = path.resolve(file);
  // An interrupt may have unwound a sweep that then never ends.
  if (written.has(place) && written.get(place)?.aborted !== true)
    throw new Error(
      `${file} is being written by a sweep that runs: give this one another name, or wait for that one.`,
    );
  const signal = installedSession()?.cellSignal();
  written.set(place, signal);
  try {
    return await sweep();
  } finally {
    if (written.get(place) === signal) written.delete(place);
  }
}
