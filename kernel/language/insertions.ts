// A text with something put around some of its parts, and where its offsets are then. Knows no language.

export interface Surrounded {
  readonly text: string;
  /** Where an offset of the original is in it. */
  offset(original: number): number;
}

export function surround(
  text: string,
  parts: readonly { readonly start: number; readonly end: number }[],
  before: string,
  after: string,
): Surrounded {
  const insertions = parts
    .flatMap(({ start, end }) => [
      { at: start, text: before },
      { at: end, text: after },
    ])
    .sort((a, b) => a.at - b.at);
  let result = "";
  let last = 0;
  for (const { at, text: inserted } of insertions) {
    result += text.slice(last, at) + inserted;
    last = at;
  }
  result += text.slice(last);
  const offset = (original: number) =>
    insertions.reduce(
      (sum, { at, text: inserted }) => (at <= original ? sum + inserted.length : sum),
      original,
    );
  return { text: result, offset };
}
