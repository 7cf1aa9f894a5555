// Lets plain data show itself as a table.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../display.ts";
import { folded } from "./fold.ts";
import { type Table, tableText } from "./table.ts";
import { tableHtml } from "./table_html.ts";

export function tableBundle(table: Table): MimeBundle {
  const shown = folded(table);
  return { "text/html": tableHtml(shown), "text/plain": tableText(shown) };
}

/**
 * Plain data that shows itself as a table, in a notebook and in `console.log`. How is no property that JSON,
 * `Object.keys` or a test would see.
 */
export function shownAs<Data extends object>(data: Data, table: (data: Data) => Table): Data {
  return Object.defineProperties(data, {
    [DISPLAY]: { value: () => tableBundle(table(data)) },
    [inspect.custom]: { value: () => tableText(folded(table(data))) },
  });
}
