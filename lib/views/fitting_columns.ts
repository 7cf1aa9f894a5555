// Chooses which columns of a wide table stand side by side on a page: the first, which names the rows, the last, which is
// the newest or the one to predict, those that the caller names, and of the others as many as fit, from the front.

/**
 * How many characters a row of a page of 750 pixels can hold, including headings and gaps: a cell of HTML takes 8.1 pixels a
 * character and 4 more, so that a dozen columns fit.
 */
export const ROW_WIDTH = 87;
/** A column of dots, which stands for those that are left out: one may be before each that is always shown. */
const DOTS_WIDTH = 4;

/** Null stands for columns that are left out between two that are shown. */
export type Place = number | null;

/**
 * @param widths characters of each column with its gap
 * @param kept indices of columns that are never left out
 */
export function fittingColumns(widths: readonly number[], kept: readonly number[] = []): readonly Place[] {
  const all = widths.map((_, at) => at);
  const widthOf = (indices: Iterable<number>) => [...indices].reduce((sum, at) => sum + widths[at]!, 0);
  if (widthOf(all) <= ROW_WIDTH) return all;
  const shown = new Set([0, widths.length - 1, ...kept]);
  let used = widthOf(shown) + DOTS_WIDTH * (shown.size - 1);
  for (const at of all) {
    if (shown.has(at)) continue;
    used += widths[at]!;
    if (used > ROW_WIDTH) break;
    shown.add(at);
  }
  return all.flatMap((at): Place[] => {
    if (shown.has(at)) return [at];
    return shown.has(at - 1) ? [null] : [];
  });
}
