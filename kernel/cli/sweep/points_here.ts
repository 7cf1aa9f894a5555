// Runs a point of a sweep on this machine, and writes its notebook into the sweep's folder after each cell.
import { dirname, join } from "node:path";
import { writeNotebook } from "../notebook/file.ts";
import type { Notebook } from "../notebook/format.ts";
import type { Point } from "../../../lib/records/parameters.ts";
import type { PointRecord } from "./journal.ts";
import { noteOf, parameterized, resultsOf, runPoint } from "./point_run.ts";

/** What the points of a sweep have in common. */
export interface SweepWork {
  readonly notebook: Notebook;
  /** The file of that notebook. */
  readonly source: string;
  /** The folder for the notebooks of the points. */
  readonly output: string;
  /** Seconds that a cell may take. */
  readonly timeout: number | undefined;
}

/** @throws UnfinishedRun after a signal */
export async function runHere(
  { notebook: swept, source, output, timeout }: SweepWork,
  point: Point,
  name: string,
): Promise<PointRecord> {
  const file = join(output, `${name}.ipynb`);
  const notebook = parameterized(swept, point);
  // All points write to the logbook that the notebook has in JupyterLab.
  const place = { folder: dirname(source), session: source };
  const save = () => writeNotebook(notebook, file);
  const outcome = await runPoint(notebook, noteOf(point, source, file), { ...place, timeout, save });
  return { point, ...outcome, file: `${name}.ipynb`, results: resultsOf(notebook) };
}
