// From positions in what V8 runs back to the cell's text, through the two steps between them. Knows positions only.
import { GenMapping, maybeAddSegment, toEncodedMap } from "@jridgewell/gen-mapping";
import { originalPositionFor, traceSegment, TraceMap } from "@jridgewell/trace-mapping";
import type { MagicString } from "magic-string";
import type { MagicLine } from "./magics.ts";

/** Positions in lowered JavaScript as positions in the cell. */
export class OriginalPositions {
  readonly #code: string;
  readonly #map: TraceMap;
  /** Lines whose text is not the user's, but for code that stands further right than the user wrote it. */
  readonly #magicLines: ReadonlyMap<number, MagicLine>;

  constructor(code: string, mappings: string, magics: readonly MagicLine[]) {
    this.#code = code;
    this.#map = new TraceMap({ version: 3, names: [], sources: ["cell.ts"], mappings });
    this.#magicLines = new Map(magics.map((magic) => [magic.line, magic]));
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
    const magic = this.#magicLines.get(originalLine);
    return [originalLine, magic === undefined ? originalColumn : columnOf(magic, originalColumn)];
  }
}

/** What was compiled in a magic's place points at the beginning of its line. */
function columnOf({ codeShift }: MagicLine, column: number): number {
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
