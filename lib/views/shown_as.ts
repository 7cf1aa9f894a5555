// Lets plain data show itself as a table.
import { inspect, types } from "node:util";
import { DISPLAY, type MimeBundle } from "../display.ts";
import { folded } from "./fold.ts";
import { type Table, tableText } from "./table.ts";
import { tableHtml } from "./table_html.ts";

export function tableBundle(table: Table): MimeBundle {
  const shown = folded(table);
  return { "text/html": tableHtml(shown), "text/plain": tableText(shown) };
}

/** The function that makes one table of a list of data like this. */
const LISTED = Symbol("listed");

/**
 * Plain data that shows itself as a table, in a notebook and in `console.log`. The view is not a property that JSON,
 * `Object.keys` or a test would see.
 *
 * @param listed makes one table of a list of such data: of what `filter` or `slice` gives of a list that showed itself
 */
export function shownAs<Data extends object>(
  data: Data,
  table: (data: Data) => Table,
  listed?: (list: readonly Data[]) => Table,
): Data {
  return Object.defineProperties(data, {
    [DISPLAY]: { value: () => tableBundle(table(data)) },
    [inspect.custom]: { value: () => tableText(folded(table(data))) },
    ...(listed && { [LISTED]: { value: listed } }),
  });
}

/** One table of a list whose elements name the same one; null for every other value. */
export function listBundle(value: unknown): MimeBundle | null {
  if (types.isProxy(value) || !Array.isArray(value) || value.length === 0) return null;
  const listed = listedOf(value[0]);
  if (listed === undefined || !(value as unknown[]).every((element) => listedOf(element) === listed))
    return null;
  return tableBundle(listed(value));
}

type List = (list: readonly unknown[]) => Table;

function listedOf(element: unknown): List | undefined {
  if (typeof element !== "object" || element === null || types.isProxy(element)) return undefined;
  return Object.getOwnPropertyDescriptor(element, LISTED)?.value as List | undefined;
}
