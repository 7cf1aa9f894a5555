// Formats stack frames with the lines of cells, local files and packages. Frames of this program and of Node are left
// out, because they are the same for every error. `error.stack` itself has this form, also when a cell prints it.
import { fileURLToPath, pathToFileURL } from "node:url";
import { CELL_URL_SCHEME, HELPER_PACKAGE } from "../../cell/names.ts";
import { ownTextIn } from "./own_text.ts";
import { KeyboardInterrupt } from "../interrupt/interrupt.ts";
import { type OriginalPosition, originalPosition, type Position, sourceAt } from "./sources.ts";

export interface Frame {
  /** Null for code that is not the user's, such as a package's. */
  readonly original: OriginalPosition | null;
  /** `Cell [3]`, or a path. */
  readonly place: string;
  readonly position: Position;
  /** `fit`, `async Model.fit`; empty at the top level of a cell. */
  readonly name: string;
}

const OWN_FOLDERS = [new URL("../../", import.meta.url).href, new URL("../../../lib/", import.meta.url).href];

/**
 * How many frames V8 captures. A package may call back through many of its own functions, and the cell's line must
 * still be among the frames.
 */
const CAPTURED_FRAMES = 50;

/** `    at async train (file:///a.js:1:2)`, `    at async mpslab-cell:3:1:7`, `    at Cell [3]:1:7` */
const FRAME =
  /^ +at (?:(?<name>.*?) \()?(?<url>(?:async |Cell \[|[\w-]+:|\/).*?):(?<line>\d+):(?<column>\d+)\)?$/;

/** Node's timers call a callback as a method of the timer. */
const TIMER_METHOD = /^(?:async )?(?:Timeout|Immediate)\.[\w<>]+$/;

const known = new WeakMap<object, { readonly stack: string; readonly frames: readonly Frame[] }>();

/** Makes `error.stack` in this realm show the user's sources. A package may still set a format of its own. */
export function formatStacks(): void {
  Error.stackTraceLimit = CAPTURED_FRAMES;
  const format = (error: Error, sites: readonly NodeJS.CallSite[]): string => {
    const frames = sites.map((site) => readFrame(`    at ${site}`)).filter((frame) => frame !== null);
    const stack = [heading(error), ...frames.map(plainFrame)].join("\n");
    known.set(error, { stack, frames });
    return stack;
  };
  Error.prepareStackTrace = format;
}

/** Frames are parsed from the stack's text if the error is from another realm or thread, or its stack was set. */
export function framesOf(error: Error): readonly Frame[] {
  const { stack } = error;
  if (typeof stack !== "string") return [];
  const formatted = known.get(error);
  if (formatted?.stack === stack) return formatted.frames;
  const frames = stack.split("\n").map(readFrame);
  return [brokenPlace(stack), ...frames].filter((frame) => frame !== null);
}

/**
 * Node writes where a syntax error is above the error's name:
 *
 *     /home/me/model.cjs:2
 *     let rate = = 3;
 *                ^
 */
const BROKEN_PLACE = /^(?<url>\S[^\n]*):(?<line>\d+)\n[^\n]*\n(?<margin>[ \t]*)\^/;

function brokenPlace(stack: string): Frame | null {
  const parts = BROKEN_PLACE.exec(stack)?.groups;
  if (!parts) return null;
  const { url = "", line, margin = "" } = parts;
  const position = { line: Number(line), column: margin.length + 1 };
  const original = originalPosition(url.startsWith("/") ? pathToFileURL(url).href : url, position);
  return { original, place: original?.place ?? pathOf(url), position, name: "" };
}

function readFrame(line: string): Frame | null {
  const parts = FRAME.exec(line)?.groups;
  if (!parts) return null;
  // In `at async mpslab-cell:3:1:7`, `async` is not part of the URL.
  const [, isAsync = "", url = ""] = /^(async )?(.*)$/.exec(parts["url"] ?? "") ?? [];
  if (url.startsWith("node:") || isOwn(url)) return null;
  const position = { line: Number(parts["line"]), column: Number(parts["column"]) };
  const original = (isPlace(url) ? sourceAt : originalPosition)(url, position);
  if (original === null && url.startsWith(CELL_URL_SCHEME)) return null;
  const { name = "" } = parts;
  return {
    original,
    place: original?.place ?? pathOf(url),
    position: original ?? position,
    name: name === "" ? isAsync.trim() : TIMER_METHOD.test(name) ? "" : name,
  };
}

/** `Error: message`, and Node's own code, as in `TypeError [ERR_INVALID_ARG_TYPE]: ...`. */
function heading(error: Error): string {
  try {
    const { code } = error as NodeJS.ErrnoException;
    const isNodes = typeof code === "string" && code.startsWith("ERR_");
    const text = isNodes ? `${error.name} [${code}]: ${error.message}` : Error.prototype.toString.call(error);
    return ownTextIn(text);
  } catch (thrown) {
    if (thrown instanceof KeyboardInterrupt) throw thrown;
    return "Error"; // A getter throws.
  }
}

function plainFrame({ name, place, position }: Frame): string {
  const where = `${place}:${position.line}:${position.column}`;
  return `    at ${name === "" || name === "async" ? `${name} ${where}`.trim() : `${name} (${where})`}`;
}

/** Returns whether the text is a place as we show it, and not a URL. */
function isPlace(url: string): boolean {
  return url.startsWith("Cell [");
}

function pathOf(url: string): string {
  return url.startsWith("file:") ? fileURLToPath(url) : url;
}

function isOwn(url: string): boolean {
  return url.includes(`/${HELPER_PACKAGE}`) || OWN_FOLDERS.some((folder) => url.startsWith(folder));
}
