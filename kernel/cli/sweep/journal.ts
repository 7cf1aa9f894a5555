// The journal of a sweep: JSON lines, each on the disk before the next point begins, so that a crash costs one point.
// Knows points and their records, not how they are run.
import { appendLine, readLines } from "../../../lib/records/json_lines.ts";
import { writeOutput } from "../output_files.ts";
import { CommandError } from "../project.ts";
import { canonicalText, type Grid, jsonValue, type Point } from "../../../lib/records/parameters.ts";

/** The file of a sweep's folder to which each point that has ended adds a line. */
export const JOURNAL = "sweep.jsonl";

/** The result of one point. */
export interface PointRecord {
  readonly point: Point;
  readonly status: "ok" | "failed" | "timeout" | "died";
  readonly error: string | null;
  readonly wallSeconds: number;
  /** The notebook's name in the sweep's folder. */
  readonly file: string;
  readonly results: Readonly<Record<string, unknown>>;
  /** The node of a Ray cluster that ran the point; absent if this machine did. */
  readonly node?: string;
}

/** The values that two sweeps must share so that one can go on with the other's points. */
export interface SweepIdentity {
  /** A checksum. */
  readonly notebook: string;
  readonly grid: Grid;
  readonly seed: number;
}

type Line =
  | { readonly type: "sweep"; readonly schema: 1; readonly identity: Partial<SweepIdentity> }
  | ({ readonly type: "point" } & PointRecord);

export class Journal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The records of an earlier run of the same sweep; none where it begins.
   *
   * @throws CommandError where the journal is of another sweep
   */
  open(identity: SweepIdentity, restart: boolean): PointRecord[] {
    const lines = restart ? [] : readLines<Line>(this.#file);
    const header = lines.find((line) => line.type === "sweep");
    if (header === undefined) {
      writeOutput(this.#file, [`${lineText({ type: "sweep", schema: 1, identity })}\n`]);
      return [];
    }
    this.#requireSame(header.identity, identity);
    return lines.filter((line) => line.type === "point");
  }

  append(record: PointRecord): void {
    appendLine(
      { file: this.#file, name: "journal", remedy: "make room for it, or give another --output" },
      lineText({ type: "point", ...record }),
    );
  }

  #requireSame(stored: Partial<SweepIdentity>, now: SweepIdentity): void {
    for (const part of ["notebook", "grid", "seed"] as const) {
      const [before, after] = [canonicalText(stored[part]), canonicalText(now[part])];
      if (before === after) continue;
      const what = part === "notebook" ? "another notebook" : `the ${part} ${before}, not ${after}`;
      throw new CommandError(
        `${this.#file} holds a sweep of ${what}: give --restart to leave it, or another --output.`,
      );
    }
  }
}

/** What a journal holds; null where the file holds none. */
export function readJournal(
  file: string,
): { readonly identity: Partial<SweepIdentity>; readonly records: readonly PointRecord[] } | null {
  const lines = readLines<Line>(file);
  const header = lines.find((line) => line.type === "sweep");
  return header === undefined
    ? null
    : { identity: header.identity, records: lines.filter((line) => line.type === "point") };
}

function lineText(line: Line): string {
  return JSON.stringify(line, (_key, value: unknown) => jsonValue(value));
}
