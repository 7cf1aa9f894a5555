// Converts positions in the code that V8 runs to positions in a source and back, using the script's source map. Knows
// which code the compiler has inserted: the user never steps there.
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { RUNTIME, RESERVED_PREFIX } from "../cell/names.ts";
import type { ScriptPosition } from "./inspector.ts";
import { stepStarts } from "./statements.ts";

/** 1-based, as clients count. */
export interface SourcePosition {
  /** The source's name in the map. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

export interface BreakablePlace {
  /** The first line with code at or below the requested one. */
  readonly line: number;
  readonly at: ScriptPosition;
}

const LOOP = `${RESERVED_PREFIX}loop`;
const CHECK = `if \\(${RUNTIME.stop}\\[0\\]\\) ${RUNTIME.interrupted}\\(\\);`;
/** Matches what `checks.ts` and `transform.ts` insert between the user's code. */
const INSERTED = new RegExp(
  [
    `${CHECK}(?: ${LOOP}\\.begin\\(\\); try \\{)?`,
    `${RUNTIME.cleanup}\\(1\\); try \\{`,
    `\\} finally \\{ ${RUNTIME.cleanup}\\(-1\\); \\}`,
    `\\{ const ${LOOP} = [^\\n]*\\n`,
    `\\} catch \\(${RESERVED_PREFIX}error\\)[^\\n]*?${LOOP}\\.end\\(\\); \\}`,
    `\\n\\} finally \\{ ${LOOP}\\.close\\(\\); \\} \\}`,
    `^"use strict";[^\\n]*\\n`,
    `void 0;(?=\\s*//# sourceURL=[^\\n]*$)`,
  ].join("|"),
  "g",
);
/** The check in an arrow function whose body is an expression. The function's only step begins at this check. */
const ARROW_CHECK = new RegExp(`\\(${RUNTIME.stop}\\[0\\] && ${RUNTIME.interrupted}\\(\\), `, "g");

interface Range {
  readonly start: number;
  readonly end: number;
}

export class ScriptMap {
  readonly #code: string;
  readonly #trace: TraceMap;
  readonly #lineStarts: readonly number[];
  readonly #inserted: readonly Range[];
  readonly #arrowChecks: readonly Range[];
  /** By source and line, the first position of the code that came from there. */
  readonly #places = new Map<string, Map<number, ScriptPosition>>();

  /** @param url resolves the map's sources; without it they stay as the map names them */
  constructor(code: string, map: string, url?: string) {
    this.#code = code;
    this.#trace = new TraceMap(map, url);
    this.#lineStarts = [...code.matchAll(/^/gm)].map(({ index }) => index);
    this.#inserted = rangesOf(code, INSERTED);
    this.#arrowChecks = rangesOf(code, ARROW_CHECK);
  }

  get sources(): readonly string[] {
    return this.#trace.resolvedSources.map((source) => source ?? "");
  }

  /** The text of a source, if the map holds it. */
  textOf(source: string): string | null {
    return this.#trace.sourcesContent?.[this.sources.indexOf(source)] ?? null;
  }

  get code(): string {
    return this.#code;
  }

  /** Whether the compiler has inserted the code. */
  isInserted(position: ScriptPosition): boolean {
    const offset = this.offsetOf(position);
    return this.#inserted.some(({ start, end }) => start <= offset && offset < end);
  }

  /** Null for code that comes from no source. */
  original(position: ScriptPosition): SourcePosition | null {
    const offset = this.offsetOf(position);
    const check = this.#arrowChecks.find(({ start, end }) => start <= offset && offset < end);
    const { lineNumber, columnNumber } = check === undefined ? position : this.#positionOf(check.end);
    const found = originalPositionFor(this.#trace, { line: lineNumber + 1, column: columnNumber });
    if (found.line === null) return null;
    return { source: found.source ?? "", line: found.line, column: found.column + 1 };
  }

  /** The first code at the line or below it; null if there is none. */
  breakable(source: string, line: number): BreakablePlace | null {
    const places = this.#placesOf(source);
    const found = [...places.keys()].filter((one) => one >= line).reduce((a, b) => Math.min(a, b), Infinity);
    const at = places.get(found);
    return at === undefined ? null : { line: found, at };
  }

  #placesOf(source: string): Map<number, ScriptPosition> {
    const known = this.#places.get(source);
    if (known !== undefined) return known;
    const places = new Map<number, ScriptPosition>();
    for (const offset of stepStarts(this.#code)) {
      const at = this.#positionOf(offset);
      const original = this.isInserted(at) ? null : this.original(at);
      if (original?.source === source && !places.has(original.line)) places.set(original.line, at);
    }
    this.#places.set(source, places);
    return places;
  }

  offsetOf({ lineNumber, columnNumber }: ScriptPosition): number {
    return (this.#lineStarts[lineNumber] ?? this.#code.length) + columnNumber;
  }

  #positionOf(offset: number): ScriptPosition {
    const lineNumber = this.#lineStarts.findLastIndex((start) => start <= offset);
    return { lineNumber, columnNumber: offset - (this.#lineStarts[lineNumber] as number) };
  }
}

function rangesOf(code: string, pattern: RegExp): Range[] {
  return [...code.matchAll(pattern)].map(({ index, 0: text }) => ({
    start: index,
    end: index + text.length,
  }));
}
