// Inserts calls around parts of a text, and maps offsets between the two texts.

export interface Surrounded {
  readonly text: string;
  /** Where an offset of the original is in it. */
  offset(original: number): number;
  /** Where one of its offsets is in the original; of what was put in, where that stands. */
  original(offset: number): number;
}

/** `before` differs from part to part: `(node) => "call("`; behind each stands a closing bracket. */
export function surround<Part extends { readonly start: number; readonly end: number }>(
  text: string,
  parts: readonly Part[],
  before: (part: Part) => string,
): Surrounded {
  const insertions = parts
    .flatMap((part) => [
      { at: part.start, text: before(part) },
      { at: part.end, text: ")" },
    ])
    .sort((a, b) => a.at - b.at);
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
