// Converts a run drafted on another machine to this version's schema. A field that the remote does not report is null
// with a reason. A field that this schema lacks is left out and named in a note.
import { type RunEntry, SCHEMA_VERSION } from "../../records/logbook/entry.ts";
import { FIELD_NAMES, type FieldName, type FieldValue } from "../../records/logbook/fields.ts";
import { RefusedError } from "./errors.ts";

/** @throws RefusedError if it is not a run of this schema */
export function migratedRun(drafted: unknown): { readonly run: RunEntry; readonly notes: readonly string[] } {
  const entry = drafted as Partial<RunEntry> | null;
  if (entry?.type !== "run" || typeof entry.fields !== "object" || entry.fields === null)
    throw new RefusedError("its logbook drafts no run");
  if (entry.schema !== SCHEMA_VERSION)
    throw new RefusedError(
      `its logbook has schema ${String(entry.schema)}, this version reads ${SCHEMA_VERSION}: install one version on both machines`,
    );
  const fields = {} as Record<FieldName, FieldValue>;
  const missing: Partial<Record<FieldName, string>> = {};
  const filledBy: Partial<Record<FieldName, "machine" | "user">> = {};
  for (const field of FIELD_NAMES) {
    fields[field] = entry.fields[field] ?? null;
    if (fields[field] === null)
      missing[field] = entry.missing?.[field] ?? "The remote's version does not tell it.";
    else filledBy[field] = entry.filledBy?.[field] ?? "machine";
  }
  const unknown = Object.keys(entry.fields).filter((name) => !(FIELD_NAMES as string[]).includes(name));
  const notes =
    unknown.length === 0
      ? []
      : [`Fields that this version does not know were left out: ${unknown.join(", ")}.`];
  return { run: { ...(entry as RunEntry), fields, missing, filledBy }, notes };
}
