// Decides from the frames of a paused stack how it may be stopped.
import { CELL_URL_SCHEME } from "../../cell/names.ts";

/** The kernel and the library: half a report, or half an optimizer's step, would outlive the interrupt. */
const OWN_FOLDER = new URL("../../../", import.meta.url).href;

/** Its functions run cells and requests, one after the other: unwound, they would never run the next one. */
const RUNNERS = new Set(
  ["../cell_runner.js", "../host.js"].map((file) => new URL(file, import.meta.url).href),
);

export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/**
 * Frames are innermost first, as the inspector gives them.
 *
 * - `resume`: a check of the cell comes next
 * - `wait for`: a function of ours or of Node's is to return to a package's first
 * - `stop`: a package's code
 */
export function decide(frames: readonly Frame[]): "stop" | "wait for" | "resume" {
  const inner = withinEvaluation(frames);
  const users = firstOfUser(inner);
  // Half a loaded module, or half a report, would outlive the interrupt: not before they are whole.
  if (users > 0 && !isCell(inner[users] as Frame)) return "wait for";
  return users === 0 && !isCell(inner[0] as Frame) ? "stop" : "resume";
}

/**
 * Whether the user's code is all that termination would unwind: an evaluation of ours is beneath it, and catches it.
 * Elsewhere Node's own frames beneath would be unwound too: in a timer, or in a cell after its first await.
 */
export function isContained(frames: readonly Frame[]): boolean {
  const inner = withinEvaluation(frames);
  return (
    inner.length < frames.length && !inner.some(({ functionName }) => functionName === "runInAsyncScope")
  );
}

/** Whether the user's code may be unwound here, and Node's beneath: nothing of ours is cut in two, or never goes on. */
export function mayUnwind(frames: readonly Frame[]): boolean {
  const inner = withinEvaluation(frames);
  const users = firstOfUser(inner);
  if (users < 0 || inner.slice(0, users).some(({ url }) => url.startsWith(OWN_FOLDER))) return false;
  return inner.length < frames.length || !inner.some(({ url }) => RUNNERS.has(url));
}

/** Index of the innermost frame that is neither ours nor Node's; negative where there is none. */
export function firstOfUser(frames: readonly Frame[]): number {
  return frames.findIndex(({ url }) => !isOurs(url));
}

function withinEvaluation(frames: readonly Frame[]): readonly Frame[] {
  const evaluation = frames.findIndex(
    ({ functionName, url }) => functionName === "post" && url === "node:inspector",
  );
  return evaluation < 0 ? frames : frames.slice(0, evaluation);
}

function isCell({ url }: Frame): boolean {
  return url.startsWith(CELL_URL_SCHEME);
}

function isOurs(url: string): boolean {
  return url.startsWith("node:") || url.startsWith(OWN_FOLDER);
}
