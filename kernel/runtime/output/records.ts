// What a cell shows of an array of records beside or in place of its text as `inspect` writes it.
import { areRecords, recordsTable } from "../../../lib/views/records.ts";
import { listBundle } from "../../../lib/views/shown_as.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import type { MimeBundle } from "../../session/channel.ts";

/** An HTML table for plain records. Records that show themselves give one table together, with its text. */
export function recordsBundle(value: unknown): MimeBundle {
  if (areRecords(value)) return { "text/html": tableHtml(recordsTable(value)) };
  return listBundle(value) ?? {};
}
