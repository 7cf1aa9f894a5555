// Makes the session keep its state at an error for `%debug`: for each frame its place, the text of its line and its
// variables.
import type { Runtime } from "node:inspector";
import type { ShownFrame } from "./frames.ts";
import type { Sources } from "./sources.ts";
import type { Variables } from "./variables.ts";

/** Only the innermost frames are kept: a recursion may have thousands. */
const MAX_FRAMES = 20;

/** Called while V8 is paused at the throw. */
export async function keepThrow(
  frames: readonly ShownFrame[],
  { description, value, type }: Runtime.RemoteObject,
  sources: Sources,
  variables: Variables,
): Promise<void> {
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    const { path, title, line } = frame.location;
    const text = (await sources.textAt(path))?.split("\n")[line - 1]?.trim() ?? "";
    await variables.keep(frame, { name: frame.name, place: `${title}:${line}`, text });
  }
  await variables.keepThrow(description?.split("\n")[0] ?? String(value ?? type));
}
