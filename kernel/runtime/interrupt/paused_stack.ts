// Decides from the frames of a paused stack how it may be stopped.
import { CELL_URL_SCHEME } from "../../cell/names.ts";

/**
 * The kernel and the library: code here must not be interrupted halfway, because half a report or half an optimizer's
 * step would remain.
 */
const OWN_FOLDER = new URL("../../../", import.meta.url).href;

/**
 * Files whose functions run cells and requests one after the other. If one were unwound, the next cell would never run.
 */
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
 * - `wait for`: wait until a function of ours or of Node's has returned to a package's
 * - `stop`: a package's code is running
 */
export function decide(frames: readonly Frame[]): "stop" | "wait for" | "resume" {
  const inner = withinEvaluation(frames);
  const users = firstOfUser(inner);
  // Loading a module or writing a report must be completed first: half of it would remain after the interrupt.
  if (users > 0 && !isCell(inner[users] as Frame)) return "wait for";
  return users === 0 && !isCell(inner[0] as Frame) ? "stop" : "resume";
}

/**
 * Whether the user's code is all that termination would unwind: an evaluation of ours is beneath it, and catches it. In
 * a timer, or in a cell after its first await, Node's own frames beneath it would be unwound too.
 */
export function isContained(frames: readonly Frame[]): boolean {
  const inner = withinEvaluation(frames);
  return (
    inner.length < frames.length && !inner.some(({ functionName }) => functionName === "runInAsyncScope")
  );
}

/**
 * Whether the user's code may be unwound here, with Node's frames beneath it: no code of ours is cut in two, and none
 * is kept from running later.
 */
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
