// What a cell shows for an array of records, in addition to its text from `inspect` or in place of it.
import { areRecords, recordsTable } from "../../../lib/views/records.ts";
import { listBundle } from "../../../lib/views/shown_as.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import type { MimeBundle } from "../../session/channel.ts";

/** An HTML table for plain records. Records that show themselves give one table together, with its text. */
export function recordsBundle(value: unknown): MimeBundle {
  if (areRecords(value)) return { "text/html": tableHtml(recordsTable(value)) };
  return listBundle(value) ?? {};
}
