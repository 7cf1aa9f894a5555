// Formats a thrown value for the notebook: name, message, code frame, stack, causes. It never throws, and its output is
// bounded. Getters may throw, messages may have any length, and causes may form a cycle.
import { inspect, types } from "node:util";
import { codeFrame, STYLE, frameLine, placeText } from "../../errors/code_frame.ts";
import type { ErrorContent } from "../../session/channel.ts";
import { type Frame, framesOf } from "./frames.ts";
import { ownTextIn } from "./own_text.ts";
import { KeyboardInterrupt } from "../interrupt/interrupt.ts";
import { framesOfThrown, isError } from "./thrown.ts";

const MAX_FRAMES = 20;
/** Outermost frames that a shortened stack keeps. They show where the call began. */
const OUTERMOST_FRAMES = 3;
const MAX_CAUSES = 8;
const MAX_ERRORS = 5;
const MAX_MESSAGE = 10_000;
const MAX_MESSAGE_LINES = 100;
const MAX_DETAIL_LINES = 12;

const INSPECT = { depth: 2, maxArrayLength: 20, maxStringLength: 1_000, breakLength: 100 } as const;

export function describeError(thrown: unknown): ErrorContent {
  try {
    return describe(thrown);
  } catch {
    // A proxy's trap threw, or the stack is exhausted.
    const evalue = "What was thrown cannot be read.";
    return { ename: "Error", evalue, traceback: [`${STYLE.name}Error${STYLE.plain}: ${evalue}`] };
  }
}

function describe(thrown: unknown): ErrorContent {
  const seen = new Set<unknown>();
  const [first, ...disposals] = inOrder(thrown, seen);
  const beneath = () => whileDisposing(disposals, seen);
  if (!isError(first)) {
    const evalue = shortened(typeof first === "string" ? first : inspect(first, INSPECT));
    const lines = `${STYLE.name}Uncaught${STYLE.plain} ${evalue}`.split("\n");
    const traceback = [...lines, ...whereLines(framesOfThrown(first)), ...beneath()];
    return { ename: "Uncaught", evalue, traceback };
  }
  const traceback = [...tracebackOf(first, seen), ...beneath()];
  return { ename: nameOf(first), evalue: messageOf(first), traceback };
}

/**
 * Orders the errors of a `SuppressedError`, which `using` throws if a disposal fails while an error propagates. The
 * error that was thrown first is shown first, because the user looks for that one.
 */
function inOrder(thrown: unknown, seen: Set<unknown>): [first: unknown, ...disposals: unknown[]] {
  const disposals: unknown[] = [];
  let first = thrown;
  while (isSuppressed(first) && !seen.has(first)) {
    seen.add(first);
    disposals.unshift(first.error);
    first = first.suppressed;
  }
  return [first, ...disposals];
}

function whileDisposing(disposals: readonly unknown[], seen: Set<unknown>): string[] {
  return disposals.flatMap((each) => titled("While disposing: ", each, seen));
}

/** @param outer the place of the error whose cause this one is: the same place is not shown twice */
function tracebackOf(error: Error, seen: Set<unknown>, outer: readonly string[] = []): string[] {
  seen.add(error);
  const name = `${STYLE.name}${nameOf(error)}${STYLE.plain}`;
  const message = messageOf(error);
  const heading = message === "" ? name : `${name}: ${message}`;
  const frames = read(error, "stack").ok ? framesOf(error) : [];
  const where = whereLines(frames);
  const lines = [heading.split("\n"), detailsOf(error), where.join("\n") === outer.join("\n") ? [] : where];
  const cause = shownCause(error);
  if (cause !== undefined && !seen.has(cause) && seen.size < MAX_CAUSES) {
    lines.push(titled("Caused by: ", cause, seen, where));
  }
  const errors = read(error, "errors").value;
  if (nameOf(error) === "AggregateError" && Array.isArray(errors)) lines.push(members(errors, seen));
  return lines.flat();
}

/**
 * Returns the cause to show. libtorch's text is left out, because the message has it in plainer words. A failed
 * assertion is shown, because libtorch's text is all that is known of it.
 */
function shownCause(error: Error): unknown {
  const cause = read(error, "cause").value;
  const isTold =
    isError(cause) && cause.name === "libtorch" && read(error, "code").value !== "ERR_TORCH_INTERNAL";
  return isTold ? undefined : cause;
}

function members(errors: readonly unknown[], seen: Set<unknown>): string[] {
  const lines = errors
    .slice(0, MAX_ERRORS)
    .flatMap((each, index) =>
      seen.has(each) ? [] : titled(`[${index}] `, each, seen).map((line) => `  ${line}`),
    );
  const left = errors.length - MAX_ERRORS;
  return left > 0 ? [...lines, `  ... and ${left} more`] : lines;
}

function titled(title: string, thrown: unknown, seen: Set<unknown>, outer: readonly string[] = []): string[] {
  const [error, ...disposals] = inOrder(thrown, seen);
  const [first = "", ...rest] = isError(error)
    ? tracebackOf(error, seen, outer)
    : shortened(inspect(error, INSPECT)).split("\n");
  return [title + first, ...rest, ...whileDisposing(disposals, seen)];
}

/** The lines around the innermost frame with user code, and the list of frames. */
function whereLines(frames: readonly Frame[]): string[] {
  const innermost = frames.find(({ original }) => original !== null)?.original;
  return [...(innermost ? codeFrame(innermost.text, innermost) : []), ...frameLines(frames)];
}

/** Frames of a recursive function are shown once, and the middle of a deep stack is left out. */
function frameLines(frames: readonly Frame[]): string[] {
  const lines: string[] = [];
  let repeated = 0;
  const finishRun = (): void => {
    if (repeated > 0) lines.push(`    ${STYLE.quiet}... the same line ${repeated} more times${STYLE.plain}`);
    repeated = 0;
  };
  let last = "";
  for (const { place, position, name } of frames) {
    const where = placeText(place, position);
    const line = name === "async" ? frameLine(`async ${where}`) : frameLine(where, name);
    if (line === last) {
      repeated += 1;
      continue;
    }
    finishRun();
    lines.push(line);
    last = line;
  }
  finishRun();
  if (lines.length <= MAX_FRAMES) return lines;
  const head = lines.slice(0, MAX_FRAMES - OUTERMOST_FRAMES);
  const tail = lines.slice(-OUTERMOST_FRAMES);
  const left = lines.length - MAX_FRAMES;
  return [...head, `    ${STYLE.quiet}... ${left} more frames${STYLE.plain}`, ...tail];
}

const SHOWN_ELSEWHERE = new Set(["name", "message", "stack", "cause", "errors"]);

/**
 * Returns the error's properties other than its message: `{ code: 'ENOENT', path: '/data' }`. Runs none of the user's
 * methods.
 */
function detailsOf(error: Error): string[] {
  if (types.isProxy(error)) return [];
  // Reads no other descriptors: reading that of `stack` would run the user's `Error.prepareStackTrace`.
  const own = Object.keys(error)
    .filter((key) => !SHOWN_ELSEWHERE.has(key))
    .map((key) => [key, Object.getOwnPropertyDescriptor(error, key)?.value as unknown] as const)
    .filter(([, value]) => value !== undefined);
  if (own.length === 0) return [];
  const details = Object.fromEntries(own);
  const lines = inspect(details, { ...INSPECT, depth: 1, customInspect: false }).split("\n");
  const shown = lines.length > MAX_DETAIL_LINES ? [...lines.slice(0, MAX_DETAIL_LINES), "..."] : lines;
  return shown.map((line) => `${STYLE.quiet}${line}${STYLE.plain}`);
}

/**
 * The error's name. A class that sets no name inherits the name of a built-in, which says less than the class's own
 * name.
 */
function nameOf(error: Error): string {
  let holder: object | null = error;
  while (holder !== null && !Object.hasOwn(holder, "name"))
    holder = Object.getPrototypeOf(holder) as object | null;
  const isInherited = holder !== null && isBuiltIn(holder);
  const name = isInherited ? error.constructor.name : read(error, "name").value;
  return typeof name === "string" && name !== "" ? shortened(name) : "Error";
}

/** Whether it is the prototype of `Error`, `TypeError` or another built-in, of this realm or another. */
function isBuiltIn(prototype: object): boolean {
  if (!Object.hasOwn(prototype, "constructor")) return false;
  return Function.prototype.toString.call(prototype.constructor).includes("[native code]");
}

function messageOf(error: Error): string {
  const { ok, value } = read(error, "message");
  if (!ok) return "(its message cannot be read: reading it throws)";
  return shortened(typeof value === "string" ? ownTextIn(value) : inspect(value, INSPECT));
}

/** A message may have a megabyte or ten thousand lines: returns its beginning, and says how many characters are left out. */
function shortened(text: string): string {
  const lines = text.slice(0, MAX_MESSAGE).split("\n");
  const kept = lines.slice(0, MAX_MESSAGE_LINES).join("\n");
  const left = text.length - kept.length;
  return left === 0 ? text : `${kept}\n... ${left.toLocaleString("en-US")} more characters`;
}

function read(error: Error, key: string): { readonly ok: boolean; readonly value: unknown } {
  try {
    return { ok: true, value: (error as unknown as Record<string, unknown>)[key] };
  } catch (thrown) {
    // An interrupt ended a getter that does not end. Reading goes no further, because the next getter may not end
    // either.
    if (thrown instanceof KeyboardInterrupt) throw thrown;
    return { ok: false, value: undefined };
  }
}

function isSuppressed(thrown: unknown): thrown is Error & { error: unknown; suppressed: unknown } {
  return isError(thrown) && thrown.name === "SuppressedError" && "error" in thrown && "suppressed" in thrown;
}
