// Holds the values of a column: numbers in a typed array, words as numbers of a dictionary, so that a word that occurs
// a million times is kept once.
import type { CellValue, ColumnKind } from "./kinds.ts";

/** NaN is missing. A boolean is 1 or 0, a date its milliseconds since 1970. */
export interface NumericData {
  readonly kind: Exclude<ColumnKind, "string">;
  readonly values: Float64Array;
}

/** Value i is `words[codes[i]]`; the code -1 is missing. */
export interface WordData {
  readonly kind: "string";
  readonly codes: Int32Array;
  readonly words: readonly string[];
}

export type ColumnData = NumericData | WordData;

export function lengthOf(data: ColumnData): number {
  return data.kind === "string" ? data.codes.length : data.values.length;
}

export function valueAt(data: ColumnData, index: number): CellValue {
  if (data.kind === "string") return data.words[data.codes[index]!] ?? null;
  const value = data.values[index]!;
  if (data.kind === "number") return value;
  if (Number.isNaN(value)) return null;
  return data.kind === "boolean" ? value === 1 : new Date(value);
}

export function isMissingAt(data: ColumnData, index: number): boolean {
  return data.kind === "string" ? data.codes[index] === -1 : Number.isNaN(data.values[index]);
}

/** The values at those rows, in that order; a row that there is not, -1, is missing. */
export function takeRows(data: ColumnData, rows: ArrayLike<number>): ColumnData {
  const length = rows.length;
  if (data.kind === "string") {
    const codes = new Int32Array(length);
    for (let at = 0; at < length; at++) codes[at] = data.codes[rows[at]!] ?? -1;
    return { ...data, codes };
  }
  const values = new Float64Array(length);
  for (let at = 0; at < length; at++) values[at] = data.values[rows[at]!] ?? NaN;
  return { ...data, values };
}

/** A text of some kilobytes may have a hundred thousand columns. */
const FIRST_CAPACITY = 16;

/** Collects numbers of a column whose length is not known yet. */
export class NumberBuilder {
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  add(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  finish(kind: NumericData["kind"]): NumericData {
    return { kind, values: this.#values.slice(0, this.#length) };
  }
}

/** Collects words. */
export class WordBuilder {
  #codes = new Int32Array(FIRST_CAPACITY);
  #length = 0;
  readonly #words: string[] = [];
  readonly #codeOf = new Map<string, number>();

  /** @param word null where it is missing */
  add(word: string | null): void {
    if (this.#length === this.#codes.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#codes);
      this.#codes = larger;
    }
    this.#codes[this.#length++] = word === null ? -1 : (this.#codeOf.get(word) ?? this.#newCode(word));
  }

  #newCode(word: string): number {
    // A part of a text keeps the whole of it alive, 100 MB of a file, until it is copied.
    const copy = Buffer.from(word, "utf16le").toString("utf16le");
    const code = this.#words.push(copy) - 1;
    this.#codeOf.set(copy, code);
    return code;
  }

  finish(): WordData {
    return { kind: "string", codes: this.#codes.slice(0, this.#length), words: this.#words };
  }
}
