// Maps positions in the code that V8 runs back to the cell's text, through both compilation steps.
import { addSegment, GenMapping, maybeAddSegment, toEncodedMap } from "@jridgewell/gen-mapping";
import {
  decodedMappings,
  originalPositionFor,
  type SourceMapSegment,
  traceSegment,
  TraceMap,
} from "@jridgewell/trace-mapping";
import { MagicString } from "magic-string";
import type { ShiftedLine } from "../read_cell.ts";

/** Positions in lowered JavaScript as positions in the cell. */
export class OriginalPositions {
  readonly #code: string;
  readonly #map: TraceMap;
  /** Lines whose text is not the user's, but for code that stands further right than the user wrote it. */
  readonly #shiftedLines: ReadonlyMap<number, ShiftedLine>;

  constructor(code: string, mappings: string, lines: readonly ShiftedLine[]) {
    this.#code = code;
    this.#map = mapOf(mappings);
    this.#shiftedLines = new Map(lines.map((shifted) => [shifted.line, shifted]));
  }

  /** 1-based line in the cell of an offset in the JavaScript. */
  lineOf(offset: number): number {
    const before = this.#code.slice(0, offset);
    const column = offset - (before.lastIndexOf("\n") + 1);
    return originalPositionFor(this.#map, { line: before.split("\n").length, column }).line ?? 1;
  }

  /** 0-based line and column in the cell for such a pair in the JavaScript. */
  trace(line: number, column: number): [line: number, column: number] | null {
    const segment = traceSegment(this.#map, line, column);
    if (segment === null || segment.length === 1) return null;
    const [, , originalLine, originalColumn] = segment;
    const shifted = this.#shiftedLines.get(originalLine);
    return [originalLine, shifted === undefined ? originalColumn : columnOf(shifted, originalColumn)];
  }
}

/** Returns the column in the user's line. Code that was compiled in a magic's place points at the line's beginning. */
function columnOf({ codeShift }: ShiftedLine, column: number): number {
  return codeShift === null ? 0 : Math.max(0, column - codeShift);
}

/** The map from the edited JavaScript to the cell, version 3. */
export function encodeMap(output: MagicString, positions: OriginalPositions, file: string): string {
  const map = new GenMapping({ file });
  // Segments at every word: a call in the middle of a line is what a stack trace points at.
  const { mappings } = output.generateDecodedMap({ hires: "boundary" });
  for (const [line, segments] of mappings.entries()) {
    for (const segment of segments) {
      if (segment.length === 1) continue;
      const [column, , fromLine, fromColumn] = segment;
      const original = positions.trace(fromLine, fromColumn);
      if (original) maybeAddSegment(map, line, column, file, original[0], original[1]);
    }
  }
  return JSON.stringify(toEncodedMap(map));
}

/** Code, and where each position of it comes from. */
export interface Mapped {
  readonly code: string;
  /** VLQ mappings from `code` to its source. */
  readonly mappings: string;
}

/** A part of some code, and what another tool made of it. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** From `text` to the tool's input: VLQ mappings, or the segments of its lines. */
  readonly mappings: string | SourceMapSegment[][];
  /** The input of the tool, as an edit of the code. */
  readonly source: MagicString;
}

/** Puts replacements, in the order of the code, into it; every position still leads to its source. */
export function replaceMapped({ code, mappings }: Mapped, replacements: readonly Replacement[]): Mapped {
  const output = new MagicString(code);
  for (const { start, end, text } of replacements) output.overwrite(start, end, text);
  const joined = output.toString();
  const toSource = mapOf(mappings);
  const map = new GenMapping();
  const add = (line: number, column: number, fromLine: number, fromColumn: number): void => {
    const segment = traceSegment(toSource, fromLine, fromColumn);
    if (segment !== null && segment.length !== 1)
      addSegment(map, line, column, SOURCE, segment[2], segment[3]);
  };
  for (const [line, segments] of output.generateDecodedMap({ hires: "boundary" }).mappings.entries()) {
    for (const segment of segments) if (segment.length !== 1) add(line, segment[0], segment[2], segment[3]);
  }
  let shift = 0;
  for (const { start, end, text, mappings: own, source } of replacements) {
    const firstLine = joined.slice(0, start + shift).split("\n").length - 1;
    shift += text.length - (end - start);
    const given = new TraceMap({
      version: 3,
      names: [],
      sources: [SOURCE],
      mappings: source.generateDecodedMap({ hires: "boundary" }).mappings,
    });
    for (const [line, segments] of decodedMappings(mapOf(own)).entries()) {
      for (const segment of segments) {
        if (segment.length === 1) continue;
        const at = traceSegment(given, segment[2], segment[3]);
        if (at !== null && at.length !== 1) add(firstLine + line, segment[0], at[2], at[3]);
      }
    }
  }
  return { code: joined, mappings: toEncodedMap(map).mappings };
}

/** A text that nothing was done to yet. */
export function unchanged(code: string): Mapped {
  return { code, mappings: new MagicString(code).generateMap({ hires: "boundary" }).mappings };
}

/** The same code, which came from what `earlier` maps, as code that came from the source of that. */
export function throughMap({ code, mappings }: Mapped, earlier: string): Mapped {
  const toSource = mapOf(earlier);
  const map = new GenMapping();
  for (const [line, segments] of decodedMappings(mapOf(mappings)).entries()) {
    for (const segment of segments) {
      const at = segment.length === 1 ? null : traceSegment(toSource, segment[2], segment[3]);
      if (at !== null && at.length !== 1) addSegment(map, line, segment[0], SOURCE, at[2], at[3]);
    }
  }
  return { code, mappings: toEncodedMap(map).mappings };
}

/** Offset in `source` of an offset in code that was made of it. */
export function sourceOffset({ code, mappings }: Mapped, offset: number, source: string): number {
  const before = code.slice(0, offset).split("\n");
  const segment = traceSegment(mapOf(mappings), before.length - 1, (before.at(-1) as string).length);
  if (segment === null || segment.length === 1) return 0;
  const lines = source.split("\n").slice(0, segment[2]);
  return lines.reduce((sum, line) => sum + line.length + 1, segment[3]);
}

const SOURCE = "cell.ts";

export function mapOf(mappings: string | SourceMapSegment[][]): TraceMap {
  const map = { version: 3 as const, names: [], sources: [SOURCE] };
  // The two forms are types of their own to the package.
  return new TraceMap(typeof mappings === "string" ? { ...map, mappings } : { ...map, mappings });
}
