// Declares a logbook's entries as plain data: runs, notes and rejected hypotheses. `logbook.schema.json` beside it says
// the same to other languages, and a test compares the two.
import type { FieldName, FieldValue } from "./fields.ts";
import type { KeptProgram } from "./program.ts";
import type { EpochSeries } from "./epoch_series.ts";

/** Incremented when a reader of older entries would misread newer ones. */
export const SCHEMA_VERSION = 1;

interface EntryHead {
  readonly schema: typeof SCHEMA_VERSION;
  /** A UUID: how other entries and gates cite this one. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Which secrets were left out of it, and where; absent where none were. */
  readonly leftOut?: string;
}

export interface RunEntry extends EntryHead {
  readonly type: "run";
  readonly name: string;
  /** Every field; null if unknown. */
  readonly fields: Readonly<Record<FieldName, FieldValue>>;
  /** Names who filled each field that is not null. */
  readonly filledBy: Readonly<Partial<Record<FieldName, "machine" | "user">>>;
  /** Why a field is null, and what would fill it. */
  readonly missing: Readonly<Partial<Record<FieldName, string>>>;
  /** Results of the lab by name, as given: `{ sweep, comparison }`. A profile is reduced to its hottest operators. */
  readonly results: Readonly<Record<string, unknown>>;
  /** The epochs of the session's last loop, for charts. Earlier versions, and runs without an epoch loop, have none. */
  readonly epochs?: EpochSeries;
  /** Words by which a person finds it again; absent where none were given. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Files that it made, as a checkpoint, by the paths that were given; absent where none were. */
  readonly artifacts?: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
  /** What ran, for `mpslab rerun`. Earlier versions, and runs outside a session, have none. */
  readonly program?: KeptProgram;
}

export interface NoteEntry extends EntryHead {
  readonly type: "note";
  readonly text: string;
}

/** The appendix that saves more time than another benchmark table: what was tried, and why it failed. */
export interface RejectedEntry extends EntryHead {
  readonly type: "rejected";
  readonly hypothesis: string;
  readonly why: string;
  /** Ids of entries, results, or a sentence. */
  readonly evidence: unknown;
}

export type LogbookEntry = RunEntry | NoteEntry | RejectedEntry;
