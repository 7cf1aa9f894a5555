// Inserts text into a text, such as calls around its parts, and maps offsets between the two texts.

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export interface Surrounded {
  readonly text: string;
  /** Returns the offset in this text for an offset in the original. */
  offset(original: number): number;
  /**
   * Returns the offset in the original for an offset in this text. Inserted text maps to the place of its insertion.
   */
  original(offset: number): number;
}

/**
 * Surrounds each part with a call: `before` returns the text that opens it, such as `call(`, and a closing bracket
 * follows the part.
 */
export function surround<Part extends { readonly start: number; readonly end: number }>(
  text: string,
  parts: readonly Part[],
  before: (part: Part) => string,
): Surrounded {
  const insertions = parts.flatMap((part) => [
    { at: part.start, text: before(part) },
    { at: part.end, text: ")" },
  ]);
  return insert(text, insertions);
}

export function insert(text: string, unordered: readonly Insertion[]): Surrounded {
  const insertions = unordered.toSorted((a, b) => a.at - b.at);
  let result = "";
  let last = 0;
  for (const { at, text: inserted } of insertions) {
    result += text.slice(last, at) + inserted;
    last = at;
  }
  result += text.slice(last);
  return {
    text: result,
    offset: (original) =>
      insertions.reduce(
        (sum, { at, text: inserted }) => (at <= original ? sum + inserted.length : sum),
        original,
      ),
    original(offset) {
      let before = 0;
      for (const { at, text: inserted } of insertions) {
        if (at + before >= offset) break;
        before += Math.min(inserted.length, offset - before - at);
      }
      return offset - before;
    },
  };
}
