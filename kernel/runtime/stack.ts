// From a thrown value to what the notebook shows: name, message, code frame, stack in lines of cells, causes. Frames of
// this program and of Node below the cell are left out: they are the same for every error and say nothing.
import { inspect, types } from "node:util";
import type { ErrorContent } from "../session/channel.ts";
import { CELL_URL_SCHEME, HELPER_PACKAGE } from "../cell/names.ts";
import { type OriginalPosition, originalPosition } from "./sources.ts";

const RED = "\x1b[31m";
const BOLD_RED = "\x1b[1;31m";
const GREY = "\x1b[90m";
const CYAN = "\x1b[36m";
const PLAIN = "\x1b[0m";
const CONTEXT_LINES = 2;
const MOST_FRAMES = 20;
const MOST_CAUSES = 8;
const MOST_ERRORS = 5;
const OWN_FOLDERS = [new URL("../", import.meta.url).href, new URL("../../lib/", import.meta.url).href];

/** `    at async train (file:///a.js:1:2)`, `    at async mpslab-cell:3:1:7` */
const FRAME = /^ +at (?:(?<name>.*?) \()?(?<url>(?:async |[\w-]+:|\/).*?):(?<line>\d+):(?<column>\d+)\)?$/;

interface Frame {
  readonly original: OriginalPosition | null;
  /** Ready to print: `async train (Cell [3]:2:5)`. */
  readonly text: string;
}

export function describeError(thrown: unknown): ErrorContent {
  try {
    return describe(thrown);
  } catch {
    // A getter of the error throws, or the error is a revoked proxy.
    const evalue = "The error that was thrown cannot be read.";
    return { ename: "Error", evalue, traceback: [evalue] };
  }
}

function describe(thrown: unknown): ErrorContent {
  const seen = new Set<unknown>();
  const [first, ...disposals] = inOrder(thrown, seen);
  const beneath = () => whileDisposing(disposals, seen);
  if (!isError(first)) {
    const evalue = typeof first === "string" ? first : inspect(first, { depth: 2 });
    const line = `${BOLD_RED}Uncaught${PLAIN} ${evalue}`;
    return { ename: "Uncaught", evalue, traceback: [...line.split("\n"), ...beneath()] };
  }
  const traceback = [...tracebackOf(first, seen), ...beneath()];
  return { ename: nameOf(first), evalue: messageOf(first), traceback };
}

/**
 * Where a disposal fails while an error is on its way out, `using` throws a `SuppressedError` of both. What happened
 * first is what the user looks for.
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

function tracebackOf(error: Error, seen: Set<unknown>): string[] {
  seen.add(error);
  const frames = framesOf(error);
  const lines = [`${BOLD_RED}${nameOf(error)}${PLAIN}: ${messageOf(error)}`.split("\n"), codeFrame(frames)];
  lines.push(frames.slice(0, MOST_FRAMES).map(({ text }) => `    ${GREY}at${PLAIN} ${text}`));
  const { cause } = error;
  if (cause !== undefined && !seen.has(cause) && seen.size < MOST_CAUSES) {
    lines.push(titled("Caused by: ", cause, seen));
  }
  if (error instanceof AggregateError) {
    const shown = error.errors.slice(0, MOST_ERRORS) as unknown[];
    shown.forEach((each, index) => lines.push(titled(`[${index}] `, each, seen).map((line) => `  ${line}`)));
    const left = error.errors.length - shown.length;
    if (left > 0) lines.push([`  ... and ${left} more`]);
  }
  return lines.flat();
}

function titled(title: string, thrown: unknown, seen: Set<unknown>): string[] {
  const [error, ...disposals] = inOrder(thrown, seen);
  const [first = "", ...rest] = isError(error) ? tracebackOf(error, seen) : inspect(error).split("\n");
  return [title + first, ...rest, ...whileDisposing(disposals, seen)];
}

/** Frames in the user's terms, down to the cell's own top level. */
function framesOf(error: Error): Frame[] {
  const stack = typeof error.stack === "string" ? error.stack : "";
  const frames: Frame[] = [];
  for (const line of stack.split("\n")) {
    const frame = parseFrame(line);
    if (frame !== null) frames.push(frame);
  }
  return frames;
}

function parseFrame(line: string): Frame | null {
  const parts = FRAME.exec(line)?.groups;
  if (!parts) return null;
  // `at async mpslab-cell:3:1:7`: the word belongs to the frame, not to the address.
  const [, isAsync, url = ""] = /^(async )?(.*)$/.exec(parts["url"] ?? "") ?? [];
  if (url.startsWith("node:") || isOwn(url)) return null;
  const position = { line: Number(parts["line"]), column: Number(parts["column"]) };
  const original = originalPosition(url, position);
  if (original === null && url.startsWith(CELL_URL_SCHEME)) return null;
  const { place, line: row, column } = original ?? { place: url.replace(/^file:\/\//, ""), ...position };
  const where = `${CYAN}${place}:${row}:${column}${PLAIN}`;
  const { name } = parts;
  return { original, text: name ? `${name} (${where})` : `${isAsync ?? ""}${where}` };
}

/** The lines around the innermost frame that has text of the user's. */
function codeFrame(frames: readonly Frame[]): string[] {
  const original = frames.find((frame) => frame.original !== null)?.original;
  if (!original) return [];
  const source = original.text.split("\n");
  const first = Math.max(1, original.line - CONTEXT_LINES);
  const last = Math.min(source.length, original.line + CONTEXT_LINES);
  const width = String(last).length;
  const lines: string[] = [];
  for (let number = first; number <= last; number++) {
    const here = number === original.line;
    const label = String(number).padStart(width);
    lines.push(`${here ? `${RED}>${PLAIN}` : " "} ${GREY}${label} |${PLAIN} ${source[number - 1] ?? ""}`);
    if (here)
      lines.push(`  ${" ".repeat(width)} ${GREY}|${PLAIN} ${" ".repeat(original.column - 1)}${RED}^${PLAIN}`);
  }
  return lines;
}

function isOwn(url: string): boolean {
  return url.includes(`/${HELPER_PACKAGE}`) || OWN_FOLDERS.some((folder) => url.startsWith(folder));
}

/** A class that sets no name inherits that of the built-in it extends, which says less than its own. */
function nameOf(error: Error): string {
  let holder: object | null = error;
  while (holder !== null && !Object.hasOwn(holder, "name"))
    holder = Object.getPrototypeOf(holder) as object | null;
  const name = holder !== null && isBuiltIn(holder) ? error.constructor.name : error.name;
  return String(name || "Error");
}

/** The prototype of `Error`, `TypeError`, ..., of this realm or another. */
function isBuiltIn(prototype: object): boolean {
  if (!Object.hasOwn(prototype, "constructor")) return false;
  return Function.prototype.toString.call(prototype.constructor).includes("[native code]");
}

function messageOf(error: Error): string {
  return typeof error.message === "string" ? error.message : inspect(error.message);
}

function isSuppressed(thrown: unknown): thrown is Error & { error: unknown; suppressed: unknown } {
  return isError(thrown) && thrown.name === "SuppressedError" && "error" in thrown && "suppressed" in thrown;
}

/** Errors of another realm, as of `node:vm`, too. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
