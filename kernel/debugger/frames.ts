// The call stack of a pause as a client sees it: frames of cells, local files and packages. Frames of this program and of
// Node are left out.
import type { Runtime } from "node:inspector";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { CallFrame, Paused } from "./inspector.ts";
import type { SourceLocation, Sources } from "./sources.ts";

/** A frame that a client may inspect. A frame that is suspended at an `await` has no variables. */
export interface ShownFrame {
  readonly id: number;
  readonly callFrame: CallFrame | null;
  readonly location: SourceLocation;
  readonly name: string;
  readonly url: string;
}

/** The most suspended callers that are shown; an endless chain of awaits is cut. */
const MAX_ASYNC_FRAMES = 50;

/**
 * V8's name for a function without a name. A frame that has no name and no function either is the top level of a cell
 * or a module.
 */
const ANONYMOUS = "(anonymous)";

let frameCount = 0;

export async function framesOf(
  paused: Paused,
  sources: Sources,
  isUsers: (url: string) => boolean,
): Promise<ShownFrame[]> {
  const shown: ShownFrame[] = [];
  for (const callFrame of paused.callFrames) {
    const { url, functionName, location } = callFrame;
    if (!isUsers(url)) continue;
    const place = await sources.locate(url, location.lineNumber, location.columnNumber ?? 0);
    if (place === null) continue;
    const isFunction = callFrame.scopeChain.some(({ type }) => type === "local");
    const name = functionName === "" && isFunction ? ANONYMOUS : nameOf(functionName, url, place, sources);
    shown.push({ id: ++frameCount, callFrame, location: place, name, url });
  }
  for (const { functionName, url, lineNumber, columnNumber } of awaiting(paused.asyncStackTrace)) {
    if (!isUsers(url)) continue;
    const place = await sources.locate(url, lineNumber, columnNumber);
    if (place === null) continue;
    const name = `async ${nameOf(functionName, url, place, sources)}`;
    shown.push({ id: ++frameCount, callFrame: null, location: place, name, url });
  }
  return shown;
}

export function stackFrame({ id, name, location }: ShownFrame): DebugProtocol.StackFrame {
  const { path, title, line, column } = location;
  return { id, name, source: { name: title, path }, line, column };
}

function nameOf(functionName: string, url: string, place: SourceLocation, sources: Sources): string {
  if (functionName !== "") return functionName;
  return sources.cell(url)?.title ?? `(module) ${place.title}`;
}

function* awaiting(trace: Runtime.StackTrace | undefined): Generator<Runtime.CallFrame> {
  let left = MAX_ASYNC_FRAMES;
  for (let at = trace; at !== undefined; at = at.parent) {
    for (const frame of at.callFrames) {
      if (left-- === 0) return;
      yield frame;
    }
  }
}
