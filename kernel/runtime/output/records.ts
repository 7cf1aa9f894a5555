// Adds the HTML of a table to what a cell shows of an array of records. Its text stays as `inspect` writes it.
import { areRecords, recordsTable } from "../../../lib/views/records.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import type { MimeBundle } from "../../session/channel.ts";

export function recordsHtml(value: unknown): MimeBundle {
  return areRecords(value) ? { "text/html": tableHtml(recordsTable(value)) } : {};
}
