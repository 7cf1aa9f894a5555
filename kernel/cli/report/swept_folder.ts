// Reads the folder that `mpslab papermill` has written: the journal's points in the grid's order, and each one's notebook.
// A folder that was copied is read like one where it was made. Does not know how a point is shown.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { readNotebook } from "../notebook/file.ts";
import type { JsonObject, Notebook } from "../notebook/format.ts";
import { CommandError } from "../project.ts";
import {
  canonicalText,
  type Grid,
  type Point,
  pointsOf,
  valueText,
} from "../../../lib/records/parameters.ts";
import { JOURNAL, type PointRecord, readJournal } from "../sweep/journal.ts";
import { keptRunOf } from "../sweep/kept_run.ts";

export interface SweptPoint {
  /** From 1, in the grid's order, as the notebooks are numbered. */
  readonly number: number;
  readonly point: Point;
  /** Null where the point has not run. */
  readonly record: PointRecord | null;
  readonly notebook: Notebook | null;
  /**
   * The logbook's entry of its session, named by its number and the values that vary; null if the session ended before
   * it could give one.
   */
  readonly run: RunEntry | null;
  readonly peakBytes: number | null;
}

export interface SweptFolder {
  readonly folder: string;
  /** The name of the notebook that was swept. */
  readonly name: string;
  readonly grid: Grid;
  readonly seed: number;
  readonly points: readonly SweptPoint[];
}

/** @throws CommandError where the folder holds no sweep */
export function readSweptFolder(folder: string): SweptFolder {
  const journal = readJournal(join(folder, JOURNAL));
  if (journal === null)
    throw new CommandError(
      `${folder} holds no sweep, as it has no ${JOURNAL}: name the folder that mpslab papermill has written to.`,
    );
  const { grid = {}, seed = 0 } = journal.identity;
  const records = new Map(journal.records.map((record) => [canonicalText(record.point), record]));
  const varying = Object.keys(grid).filter((name) => grid[name]!.length > 1);
  const points = pointsOf(grid).map((point, at): SweptPoint => {
    const record = records.get(canonicalText(point)) ?? null;
    // A journal from a stranger must not name a file outside its folder.
    const file = record === null ? null : join(folder, basename(record.file));
    const notebook = file === null || !existsSync(file) ? null : readNotebook(file);
    const kept = notebook === null ? null : keptRunOf(notebook);
    return {
      number: at + 1,
      point,
      record,
      notebook,
      run: kept === null ? null : { ...kept.run, name: shortName(at + 1, point, varying) },
      // A session without tensors has no peak.
      peakBytes: kept?.peakBytes || null,
    };
  });
  return { folder, name: sourceName(points) ?? basename(folder), grid, seed, points };
}

/** `3: width 64, rate 0.1`: short enough for a legend. */
function shortName(number: number, point: Point, varying: readonly string[]): string {
  const values = varying.map((name) => `${name} ${valueText(point[name])}`).join(", ");
  return values === "" ? `point ${number}` : `${number}: ${values}`;
}

function sourceName(points: readonly SweptPoint[]): string | null {
  const noted = points.map(
    ({ notebook }) => (notebook?.metadata["papermill"] as JsonObject | undefined)?.["input_path"],
  );
  const source = noted.find((path) => typeof path === "string");
  return source === undefined ? null : basename(source as string, ".ipynb");
}
