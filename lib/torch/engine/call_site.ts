// Finds the line of the user's code that is running: the stack without this library's lines. In a kernel a line reads
// `Cell [3]:4:12`.
import { fileURLToPath } from "node:url";
import { whenLoaded } from "./native.ts";

const OWN_FOLDER = new URL("../../", import.meta.url).href;
const OWN_PATH = fileURLToPath(OWN_FOLDER);
const MAX_LINES = 20;

const isUsers = (line: string): boolean =>
  line.startsWith("    at ") &&
  !line.includes(OWN_FOLDER) &&
  !line.includes(OWN_PATH) &&
  !line.includes("(node:") &&
  !line.includes("at node:");

const usersLines = ({ stack = "" }: Error): string =>
  stack.split("\n").filter(isUsers).slice(0, MAX_LINES).join("\n");

/** The user's lines of the stack, the innermost first: `    at train (Cell [3]:4:12)`. */
function callSite(): string {
  return usersLines(new Error());
}

/** The same from a stack of at most `max` frames. */
export function userStack(max: number): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = max;
  const stack = callSite();
  Error.stackTraceLimit = before;
  return stack;
}

/** More frames than V8's default, because there may be many layers between an operator and the user's line. */
const MAX_CAPTURED = 30;

/** Captures the stack. It is formatted only when it is first read, so keeping one costs little. */
function capture(): Error {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = MAX_CAPTURED;
  const captured = new Error();
  Error.stackTraceLimit = before;
  return captured;
}

/** `    at train (Cell [3]:4:12)` -> `Cell [3]:4:12`; null for a stack without lines. */
export function placeOf(stack: string): string | null {
  const [line = ""] = stack.split("\n");
  return /\((.*)\)$/.exec(line)?.[1] ?? /^ +at (?:async )?(.+)$/.exec(line)?.[1] ?? null;
}

whenLoaded((loaded) =>
  loaded.setCallSite(callSite, capture, (captured) => placeOf(usersLines(captured)) ?? ""),
);
