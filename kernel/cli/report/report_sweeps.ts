// `mpslab report FOLDER`: one page about a sweep of `mpslab papermill`, or about several on one chart.
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_RUNS } from "../../../lib/record_charts/run_charts.ts";
import { dataWithoutSecrets } from "../../../lib/secrets/json.ts";
import { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { minuteText } from "../logbook/runs.ts";
import { notebookWithoutSecrets } from "../notebook/without_secrets.ts";
import { makeFolder, requireNoWayOut, writeOutput } from "../output_files.ts";
import { CommandError } from "../project.ts";
import { pageHtml, paragraph, section } from "./page.ts";
import { JOURNAL } from "../sweep/journal.ts";
import { readSweptFolder, type SweptFolder } from "./swept_folder.ts";
import { sweepNames, sweptSections } from "./swept_sections.ts";
import { say } from "../terminal.ts";

const REFRESH_SECONDS = 5;
const POLL_MS = 500;

export interface SweepPageOptions {
  /** The page's file; named by the folders if undefined. */
  readonly output?: string | undefined;
  /** Whether the page is written again with each point, and shows itself anew, until all points have run. */
  readonly live?: boolean | undefined;
}

/** Resolves with the exit status. */
export async function reportSweeps(
  folders: readonly string[],
  { output, live = false }: SweepPageOptions,
): Promise<number> {
  if (folders.length > MAX_RUNS)
    throw new CommandError(
      `${folders.length} sweeps cannot be told apart on a chart: name at most ${MAX_RUNS}.`,
    );
  const paths = folders.map((folder) => resolve(folder));
  const twice = paths.find((folder, at) => paths.indexOf(folder) < at);
  if (twice !== undefined) throw new CommandError(`The folder ${twice} is named twice: name it once.`);
  const name = paths.map((folder) => basename(folder)).join("-");
  const file = resolve(output ?? `output/report-${name}.html`);
  if (output === undefined) requireNoWayOut(dirname(file), "name the file that you mean with --output FILE");
  makeFolder(dirname(file), "name another file with --output FILE");
  const write = (page: string): void =>
    writeOutput(file, [page], output === undefined ? "replaced" : "followed");
  let state = stateOf(paths);
  let { page, goesOn } = await pageOf(paths, live);
  write(page);
  say(`report: ${file}\n`);
  while (goesOn) {
    await sleep(POLL_MS);
    const now = stateOf(paths);
    if (now === state) continue;
    state = now;
    ({ page, goesOn } = await pageOf(paths, live));
    write(page);
  }
  return 0;
}

/** Differs once a point has ended. */
const stateOf = (folders: readonly string[]): string =>
  folders.map((folder) => statSync(join(folder, JOURNAL), { throwIfNoEntry: false })?.size).join(" ");

/** @param live whether the page shows itself anew as long as points are missing */
async function pageOf(
  folders: readonly string[],
  live: boolean,
): Promise<{ readonly page: string; readonly goesOn: boolean }> {
  const leftOut = new LeftOutParts();
  const sweeps = folders.map((path) => withoutSecretsOf(readSweptFolder(path), leftOut));
  const goesOn = live && sweeps.some(({ points }) => points.some(({ record }) => record === null));
  const sections = await sweptSections(sweeps);
  const sentence = leftOut.sentence();
  if (sentence !== null) sections.push(section("What was left out", [paragraph(sentence)]));
  const refreshSeconds = goesOn ? REFRESH_SECONDS : 0;
  return { page: pageHtml({ ...headOf(sweeps), sections, refreshSeconds }), goesOn };
}

function withoutSecretsOf(sweep: SweptFolder, leftOut: LeftOutParts): SweptFolder {
  const points = sweep.points.map((swept) => ({
    ...swept,
    point: dataWithoutSecrets(swept.point, leftOut),
    record: dataWithoutSecrets(swept.record, leftOut),
    run: dataWithoutSecrets(swept.run, leftOut),
    notebook: swept.notebook === null ? null : notebookWithoutSecrets(swept.notebook, leftOut),
  }));
  return { ...sweep, grid: dataWithoutSecrets(sweep.grid, leftOut), points };
}

function headOf(sweeps: readonly SweptFolder[]): { readonly title: string; readonly lead: string } {
  const [first] = sweeps;
  if (sweeps.length === 1)
    return {
      title: `${first!.name}: a sweep of ${Object.keys(first!.grid).join(", ")}`,
      lead: stateText(first!),
    };
  const names = sweepNames(sweeps);
  return {
    title: `${sweeps.length} sweeps: ${names.join(" | ")}`,
    lead: sweeps.map((sweep, at) => `${names[at]}: ${stateText(sweep)}`).join(" "),
  };
}

/** `6 of 9 points succeeded, 1 failed, 2 have not run; on cpu, AMD EPYC, 2026-11-26 03:10 UTC.` */
function stateText({ points }: SweptFolder): string {
  const succeeded = points.filter(({ record }) => record?.status === "ok").length;
  const missing = points.filter(({ record }) => record === null).length;
  const failed = points.length - succeeded - missing;
  const runs = points.flatMap(({ run }) => run ?? []);
  const where = [
    ...new Set(runs.map(({ fields }) => `${String(fields.device)}, ${String(fields.processor)}`)),
  ];
  const began = runs.map(({ at }) => at).toSorted()[0];
  return [
    `${succeeded} of ${points.length} points succeeded`,
    ...(failed === 0 ? [] : [`, ${failed} failed`]),
    ...(missing === 0 ? [] : [`, ${missing} have not run`]),
    ...(where.length === 0 ? [] : [`; on ${where.join(" and ")}`]),
    ...(began === undefined ? [] : [`; ${minuteText(began)} UTC`]),
    ".",
  ].join("");
}
