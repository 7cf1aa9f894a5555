// Orders the rows of a table by the values of its columns.
import { checkBoolean } from "../../vocabulary/arguments.ts";
import type { OpenRules } from "../../vocabulary/options.ts";
import type { Column } from "./column.ts";
import { type ColumnData, isMissingAt, valueAt } from "./column_data.ts";

export interface SortOptions {
  /** The largest first; of several names for all, or for each. Default: false. */
  readonly descending?: boolean | readonly boolean[];
}

export const SORT_RULES = {
  descending: {
    fallback: false,
    check: (call, name, value) =>
      Array.isArray(value)
        ? value.map((one) => checkBoolean(call, name, one))
        : checkBoolean(call, name, value),
  },
} satisfies OpenRules<SortOptions>;

/**
 * The numbers of the rows in the order of the first column, equal ones in that of the next; equal ones in all stay as they
 * were.
 *
 * @param isDown whether the largest of that column come first; missing values come last in any case
 */
export function sortedRows(
  length: number,
  columns: readonly Column[],
  isDown: (at: number) => boolean,
): number[] {
  const orders = columns.map(({ data }, at) => orderOf(data, isDown(at)));
  return Array.from({ length }, (_, row) => row).toSorted((a, b) => {
    for (const order of orders) {
      const found = order(a, b);
      if (found !== 0) return found;
    }
    return 0;
  });
}

function orderOf(data: ColumnData, isDown: boolean): (a: number, b: number) => number {
  const sign = isDown ? -1 : 1;
  return (a, b) => {
    const missing = Number(isMissingAt(data, a)) - Number(isMissingAt(data, b));
    if (missing !== 0 || isMissingAt(data, a)) return missing;
    const [x, y] = [valueAt(data, a)!, valueAt(data, b)!];
    return x < y ? -sign : x > y ? sign : 0;
  };
}
