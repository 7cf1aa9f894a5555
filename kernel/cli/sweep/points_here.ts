// Runs the points of a sweep on this machine, one after the other or several at a time, and writes each one's notebook into the
// sweep's folder after each cell.
import { availableParallelism } from "node:os";
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

/**
 * Takes the points in their order, at most `jobs` at a time.
 *
 * @throws UnfinishedRun after a signal, when the kernels have ended
 */
export async function runHere(
  work: SweepWork,
  points: readonly { readonly point: Point; readonly name: string }[],
  jobs: number,
  tell: { begun(point: Point): void; ended(record: PointRecord): void },
): Promise<void> {
  const waiting = points[Symbol.iterator]();
  let isFailed = false;
  const worker = async (): Promise<void> => {
    for (const { point, name } of waiting) {
      if (isFailed) return;
      tell.begun(point);
      tell.ended(await runOne(work, point, name, threadsOf(jobs)));
    }
  };
  const workers = Array.from({ length: Math.min(jobs, points.length) }, () =>
    worker().catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Points beside each other share the cores: with all of them each, they would wait for one another. */
function threadsOf(jobs: number): Readonly<NodeJS.ProcessEnv> {
  if (jobs === 1 || process.env["OMP_NUM_THREADS"] !== undefined) return {};
  return { OMP_NUM_THREADS: String(Math.max(1, Math.floor(availableParallelism() / jobs))) };
}

async function runOne(
  { notebook: swept, source, output, timeout }: SweepWork,
  point: Point,
  name: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Promise<PointRecord> {
  const file = join(output, `${name}.ipynb`);
  const notebook = parameterized(swept, point);
  // All points write to the logbook that the notebook has in JupyterLab.
  const place = { folder: dirname(source), session: source };
  const save = () => writeNotebook(notebook, file);
  const outcome = await runPoint(notebook, noteOf(point, source, file), {
    ...place,
    timeout,
    environment,
    save,
  });
  return { point, ...outcome, file: `${name}.ipynb`, results: resultsOf(notebook) };
}
