// Finds where a position in running code comes from, through the source maps of cells and of local TypeScript files.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Script } from "../../session/channel.ts";
import { isCode, isTypeScript } from "../modules/file_kinds.ts";
import { liveScripts } from "../interrupt/live_scripts.ts";
import { compileFile } from "../modules/local_source.ts";

/** 1-based, as editors count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface OriginalPosition extends Position {
  /** `Cell [3]`, a user expression's key, or a path. */
  readonly place: string;
  /** The text of the source that contains the position. */
  readonly text: string;
}

interface Source {
  readonly place: string;
  readonly text: string;
  readonly map: string | null;
  readonly code: string;
  /** The decoded map. It takes several times the text's memory, so the collector may drop it. */
  trace?: WeakRef<TraceMap>;
}

/**
 * A sweep for dropped scripts takes some 50 ms, and 150 ms the first time, so there is at most one for this many
 * scripts.
 */
const SCRIPTS_BEFORE_SWEEP = 1000;

const scripts = new Map<string, Source>();
let sweepAt = SCRIPTS_BEFORE_SWEEP;

/** A script is kept as long as V8 keeps it: until then one of its functions may still throw. */
export function addScript({ url, text, map, code }: Script, place: string): void {
  if (scripts.size >= sweepAt) {
    const live = liveScripts();
    for (const known of scripts.keys()) if (!live.has(known)) scripts.delete(known);
    sweepAt = 2 * Math.max(scripts.size, SCRIPTS_BEFORE_SWEEP / 2);
  }
  scripts.set(url, { place, text, map, code });
}

/**
 * The user's text of each script and the text that V8 runs, latest first. The same script is always the same object.
 */
export function latestScripts(): readonly Readonly<Pick<Script, "text" | "code">>[] {
  return [...scripts.values()].reverse();
}

/** Null for code that is not the user's: packages, Node, this program, and what the compiler inserted. */
export function originalPosition(url: string, position: Position): OriginalPosition | null {
  const source = scripts.get(url) ?? localFile(url);
  if (source === null) return null;
  const { place, text, map } = source;
  if (map === null) return { place, text, ...position };
  const trace = source.trace?.deref() ?? new TraceMap(map);
  source.trace = new WeakRef(trace);
  const found = originalPositionFor(trace, { line: position.line, column: position.column - 1 });
  return found.line === null ? null : { place, text, line: found.line, column: found.column + 1 };
}

/** The position for a place that is already in the user's terms, as in the copied text of a stack. */
export function sourceAt(place: string, position: Position): OriginalPosition | null {
  // Several scripts have the same place if silent cells ran, which do not raise the count; the latest is the likeliest.
  const source = [...scripts.values()].findLast((one) => one.place === place);
  return source === undefined ? null : { place, text: source.text, ...position };
}

/** A TypeScript file is compiled again for its map: errors are rare, and maps of all files would stay in memory. */
function localFile(url: string): Source | null {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return null;
  const file = fileURLToPath(url);
  if (!isCode(file) || !existsSync(file)) return null;
  if (!isTypeScript(file)) return plainFile(file);
  try {
    return { place: file, ...compileFile(file) };
  } catch {
    // A file that does not parse has never run, so the position is one in its text.
    return plainFile(file);
  }
}

function plainFile(file: string): Source {
  const text = readFileSync(file, "utf8");
  return { place: file, text, code: text, map: null };
}
