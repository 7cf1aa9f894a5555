// Writes and reads the journal of a sweep: JSON lines in a file, so that an interrupt or a crash costs one point. A
// line that a crash left incomplete is skipped when the journal is read.
import { existsSync, readFileSync } from "node:fs";
import { appendLine, readLines } from "../../records/json_lines.ts";
import { type Point, type PointRecord, unmeasured } from "../../records/batch_sweeps/point.ts";
import { canonicalText, pointText } from "../../records/parameters.ts";

/** The values that two sweeps must share so that one can resume with the other's points. */
export type SweepIdentity = Readonly<Record<string, unknown>>;

type Line =
  | {
      readonly type: "sweep";
      readonly schema: 1;
      readonly startedAt: string;
      readonly identity: SweepIdentity;
    }
  | { readonly type: "begin" | "interrupted"; readonly point: Point }
  | { readonly type: "point"; readonly record: PointRecord }
  | { readonly type: "end"; readonly reasons: readonly string[] };

export interface OpenedJournal {
  readonly journal: SweepJournal | null;
  /** Records of the resumed sweep; empty for a new one. */
  readonly records: readonly PointRecord[];
  /** Points to measure again, because the session ended while they ran. */
  readonly cutOff: readonly Point[];
}

/**
 * Opens the journal and resumes the sweep in it if that sweep did not end.
 *
 * @throws Error with the code `SWEEP_JOURNAL` if the file holds something else; Error that names the differences if it
 *   holds an unfinished sweep of another model or with other options
 */
export function openJournal(
  call: string,
  file: string,
  identity: SweepIdentity,
  restart: boolean,
): OpenedJournal {
  const lines = readLines<Line>(file);
  if (lines.length === 0 && existsSync(file) && readFileSync(file, "utf8").trim() !== "")
    throw Object.assign(
      new Error(
        `${call}: ${file} exists but is not a sweep journal; it was left unchanged. Pass another file as journal, or journal: null for none.`,
      ),
      { code: "SWEEP_JOURNAL" },
    );
  const begun = lines.findLastIndex((line) => line.type === "sweep");
  const current = begun < 0 ? [] : lines.slice(begun + 1);
  const unfinished = begun >= 0 && !current.some((line) => line.type === "end");

  const journal = new SweepJournal(file);
  if (unfinished && !restart) {
    const header = lines[begun] as Line & { type: "sweep" };
    requireSame(file, header.identity, identity);
    return { journal, ...readPoints(current) };
  }
  journal.write({ type: "sweep", schema: 1, startedAt: new Date().toISOString(), identity });
  return { journal, records: [], cutOff: [] };
}

export class SweepJournal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  begin(point: Point): void {
    this.write({ type: "begin", point });
  }

  record(record: PointRecord): void {
    this.write({ type: "point", record });
  }

  interrupted(point: Point): void {
    this.write({ type: "interrupted", point });
  }

  end(reasons: readonly string[]): void {
    this.write({ type: "end", reasons });
  }

  /** The line is on the disk when this returns: what follows may take the machine down. */
  write(line: Line): void {
    appendLine(
      { file: this.#file, name: "journal", remedy: "give journal: null to do without" },
      JSON.stringify(line),
    );
  }
}

/** A point that has crashed the session this often is not run again. */
const MAX_CUT_OFF = 2;

/**
 * A point that began and never ended was cut off: it crashed the session, or the user restarted the kernel. The journal
 * cannot distinguish the two, so the point gets a second try.
 */
function readPoints(lines: readonly Line[]): Pick<OpenedJournal, "records" | "cutOff"> {
  const records: PointRecord[] = [];
  const begun = new Map<string, { readonly point: Point; readonly times: number }>();
  for (const line of lines) {
    if (line.type === "begin") {
      const key = canonicalText(line.point);
      begun.set(key, { point: line.point, times: (begun.get(key)?.times ?? 0) + 1 });
    }
    if (line.type === "interrupted") begun.delete(canonicalText(line.point));
    if (line.type === "point") {
      records.push(line.record);
      begun.delete(canonicalText(line.record.point));
    }
  }
  const open = [...begun.values()];
  const crashes = open.filter(({ times }) => times >= MAX_CUT_OFF);
  return {
    records: [...records, ...crashes.map(({ point, times }) => crashed(point, times))],
    cutOff: open.filter(({ times }) => times < MAX_CUT_OFF).map(({ point }) => point),
  };
}

function crashed(point: Point, times: number): PointRecord {
  const often = times === 2 ? "twice" : `${times} times`;
  return unmeasured(point, "crashed", `The session ended ${often} while ${pointText(point)} ran.`);
}

function requireSame(file: string, stored: SweepIdentity, asked: SweepIdentity): void {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(asked)])];
  const differences = names
    .filter((name) => JSON.stringify(stored[name]) !== JSON.stringify(asked[name]))
    // The setup is left out of the message: the journal has only its checksum, which would tell the reader nothing.
    .map((name) =>
      name === "setup"
        ? "its setup has another text"
        : `${name} was ${JSON.stringify(stored[name])} and is ${JSON.stringify(asked[name])}`,
    );
  if (differences.length === 0) return;
  throw new Error(
    `${file} holds an unfinished sweep that differs: ${differences.join("; ")}. Give restart: true to leave it, or another name.`,
  );
}

/** Returns the journal's record of a point. */
export function recordFor(records: readonly PointRecord[], point: Point): PointRecord | undefined {
  const key = canonicalText(point);
  return records.find((record) => canonicalText(record.point) === key);
}
