// Marks each new tensor with the line of user code that made it, while tracing is on. Otherwise a tensor is marked only
// with its cell, because reading a stack costs more than a small operator.
import { runningCell } from "../../session.ts";
import { type Native, native, replaceNative } from "../../torch/engine/native.ts";
import { callersPlace, lineOf } from "./user_call_site.ts";

/** Share of the time that stacks may take; beyond it calls go unmarked until enough time has passed. */
const TRACED_SHARE = 0.1;
const ALWAYS_MS = 5;

const CALLS = ["call", "call1", "call2", "call3", "backward", "gradients", "replay"] as const;
/** How many frames a stack has: those of an operator and of the user, and those of nested layers. */
const FEW_FRAMES = 10;
const MANY_FRAMES = 50;
const LIBRARY = new URL("../../", import.meta.url);

type Call = (...args: unknown[]) => unknown;

export interface TracedOrigins {
  /** The lines at which tensors were made so far, in the form of `native.originOf`: `Cell [3]:7`. */
  readonly lines: ReadonlySet<string>;
  stop(): void;
}

/** Marks tensors until `stop`, which must be called before another replacement of native calls ends. */
export function traceOrigins(): TracedOrigins {
  const lines = new Set<string>();
  const lineByFrame = new Map<string, string>();
  const cell = runningCell() ?? "";
  const beganMs = performance.now();
  let spentMs = 0;

  function markLine(): void {
    const nowMs = performance.now();
    if (spentMs > ALWAYS_MS + TRACED_SHARE * (nowMs - beganMs)) return native.setOrigin(cell);
    const frame = usersFrame();
    let line = lineByFrame.get(frame);
    if (line === undefined) {
      const place = callersPlace();
      line = place === null ? cell : lineOf(place);
      lineByFrame.set(frame, line);
    }
    lines.add(line);
    native.setOrigin(line);
    spentMs += performance.now() - nowMs;
  }

  const restore = replaceNative(
    (own) =>
      Object.fromEntries(
        CALLS.map((name) => {
          const run = own[name] as Call;
          const marked: Call = (...args) => {
            markLine();
            return run(...args);
          };
          return [name, marked];
        }),
      ) as Partial<Native>,
  );
  return {
    lines,
    stop() {
      restore();
      native.setOrigin(cell);
    },
  };
}

/**
 * Returns a key of the innermost frame that is neither Node's nor this library's. The frame is not mapped to its
 * source, which takes longer.
 */
function usersFrame(): string {
  return usersFrameWithin(FEW_FRAMES) ?? usersFrameWithin(MANY_FRAMES) ?? "";
}

function usersFrameWithin(frames: number): string | null {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = frames;
  Error.prepareStackTrace = (_, sites) => sites;
  const { stack } = new Error() as unknown as { readonly stack: readonly NodeJS.CallSite[] };
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  for (const site of stack) {
    const file = site.getScriptNameOrSourceURL() ?? "";
    if (file === "" || file.startsWith("node:")) continue;
    if (file.startsWith(LIBRARY.href) || file.startsWith(LIBRARY.pathname)) continue;
    return `${file}:${site.getPosition()}`;
  }
  return null;
}
