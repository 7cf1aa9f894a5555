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

/** The innermost first, as a stack has them: `    at train (Cell [3]:4:12)`. */
function callSite(): string {
  return usersLines(new Error());
}

/** The same with as many frames, in which the user's are looked for, as `max`. */
export function userStack(max: number): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = max;
  const stack = callSite();
  Error.stackTraceLimit = before;
  return stack;
}

/** Layers stand between an operator and the user's line: more of them than a stack has otherwise. */
const MAX_CAPTURED = 30;

/** A stack is formatted when it is first read, so that keeping one costs little. */
function capture(): Error {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = MAX_CAPTURED;
  const captured = new Error();
  Error.stackTraceLimit = before;
  return captured;
}

/** `    at train (Cell [3]:4:12)` -> `Cell [3]:4:12`; null for a stack without a line. */
export function placeOf(stack: string): string | null {
  const [line = ""] = stack.split("\n");
  return /\((.*)\)$/.exec(line)?.[1] ?? /^ +at (?:async )?(.+)$/.exec(line)?.[1] ?? null;
}

whenLoaded((loaded) =>
  loaded.setCallSite(callSite, capture, (captured) => placeOf(usersLines(captured)) ?? ""),
);
