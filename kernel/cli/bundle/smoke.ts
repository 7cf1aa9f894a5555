// `mpslab smoke`: runs a bundle's cells for a short window on this machine, and says whether a long run may follow: it
// prints the plateau test of memory, and what differs from the run that was handed over. The cells may be a stranger's:
// they run only after somebody has read them, as for `mpslab rerun`.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { diffOf, diffTable } from "../../../lib/records/logbook/diff.ts";
import { isInside } from "../../../lib/records/logbook/is_inside.ts";
import { lockFileAbove, sha256Of } from "../../../lib/records/logbook/origin.ts";
import { tableText } from "../../../lib/views/table.ts";
import { NotebookRun } from "../client/notebook_run.ts";
import { UnfinishedRun } from "../client/unfinished_run.ts";
import { findRun, runsIn, shortId } from "../logbook/runs.ts";
import { isProgram } from "../notebook/format.ts";
import { CommandError } from "../project.ts";
import { providePackages } from "../rerun/packages.ts";
import { isReviewed, prepare, type PreparedRun, removeFolder } from "../rerun/prepared_run.ts";
import { askedRun } from "../sweep/kept_run.ts";
import { type Bundle, LOGBOOK, readBundle } from "./manifest.ts";
import { say } from "../terminal.ts";
import { visibleLine } from "../../../lib/visible.ts";

export interface SmokeOptions {
  readonly folder: string;
  /** The checksum of what somebody has read. Without it nothing runs. */
  readonly reviewed?: string | undefined;
  /** The data set on this machine, where the bundle has no copy. */
  readonly dataset?: string | undefined;
  /** The notebook with the secrets that the bundle lacks. Default: the bundle's. */
  readonly notebook?: string | undefined;
  readonly install?: boolean | undefined;
  /** Seconds of the window. Default: the bundle's. */
  readonly seconds?: number | undefined;
}

type Session = NonNullable<Awaited<ReturnType<typeof askedRun>>>;

/** What the run within the window has shown. */
interface Window {
  /** The sentence about the cell that failed; null if none did. */
  readonly failure: string | null;
  readonly session: Session | null;
}

/** Resolves with the exit status: 0 if a long run may follow. */
export async function smoke(options: SmokeOptions): Promise<number> {
  const folder = resolve(options.folder);
  const bundle = readBundle(folder);
  const found = findRun(bundle.run, runsIn([join(folder, LOGBOOK)]), "mpslab smoke");
  const data = datasetHere(folder, bundle, options.dataset);
  const prepared = prepare(found, { notebook: options.notebook });
  try {
    const { checksum, cells } = prepared.review;
    if (!isReviewed(prepared, options.reviewed)) {
      const notebook = options.notebook === undefined ? "" : ` --notebook ${options.notebook}`;
      say(
        `run ${shortId(found.run)} would run ${cells.length} cells with your rights\n` +
          `  read them     mpslab report ${shortId(found.run)} --logbook ${join(options.folder, LOGBOOK)}${notebook}\n` +
          `  then run them mpslab smoke ${options.folder}${notebook} --reviewed ${checksum}\n`,
      );
      return 1;
    }
    putDataset(prepared, bundle, data);
    const notes = [
      ...prepared.folder.notes,
      ...providePackages(prepared.folder, prepared.program, {
        logbook: found.logbook,
        install: options.install === true,
      }),
      lockNote(folder, bundle),
      data === null ? "data set: none is recorded" : `data set: ${data}, the run's checksum`,
    ];
    say(`${visibleLine(`run ${shortId(found.run)} (${found.run.name}, ${found.run.at})`)}\n`);
    for (const note of notes) say(`  ${visibleLine(note)}\n`);
    return answer(found.run, await smokeWindow(prepared, options.seconds ?? bundle.smokeSeconds));
  } finally {
    removeFolder(prepared, undefined);
  }
}

/** @throws CommandError where the run's data set is missing, or the file at its path is another one */
function datasetHere(folder: string, { dataset }: Bundle, given: string | undefined): string | null {
  if (dataset === null) return null;
  const copy = dataset.snapshot === null ? dataset.name : join(folder, dataset.snapshot);
  const file = resolve(given ?? copy);
  const found = sha256Of(file);
  if (dataset.sha256 === null) return file;
  if (found === dataset.sha256) return file;
  throw new CommandError(
    found === null
      ? `The data set ${dataset.name} is not at ${file}: name it, --dataset FILE.`
      : `${file} is another data set (${found.slice(0, 10)}, the run's is ${dataset.sha256.slice(0, 10)}): name the run's, --dataset FILE.`,
  );
}

/** Copies the data set to the path at which the cells look for it, if that path is within their folder. */
function putDataset({ folder }: PreparedRun, { dataset }: Bundle, file: string | null): void {
  if (dataset === null || file === null || isAbsolute(dataset.name) || !existsSync(file)) return;
  const place = join(folder.folder, dataset.name);
  if (!isInside(folder.root, place) || existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(file, place);
}

function lockNote(folder: string, { lockFile }: Bundle): string {
  if (lockFile === null) return "lock file: the run has none";
  const here = lockFileAbove(process.cwd());
  if (here === null) return `lock file: ${lockFile}, none is here`;
  return here.sha256 === sha256Of(join(folder, lockFile))
    ? `lock file: ${lockFile}, the same here`
    : `lock file: ${lockFile}, another one here: --install installs the run's packages`;
}

/**
 * Runs cells until the window is over. A cell that is still running then is stopped; the epochs that its loop completed
 * are in the ledger.
 */
async function smokeWindow(prepared: PreparedRun, seconds: number): Promise<Window> {
  const { executed, folder, environment, program } = prepared;
  const name = program.notebook ?? "notebook.ipynb";
  const untilMs = performance.now() + seconds * 1000;
  const run = await NotebookRun.start(folder.folder, {
    ...environment,
    MPSLAB_REPLAY: "1",
    JPY_SESSION_NAME: join(folder.folder, name),
  });
  try {
    let failure: string | null = null;
    for (const [at, cell] of structuredClone(executed.notebook).cells.filter(isProgram).entries()) {
      const leftSeconds = (untilMs - performance.now()) / 1000;
      if (leftSeconds <= 0) break;
      try {
        const reply = await run.runCell(cell, { timeout: leftSeconds });
        const recorded = executed.notebook.cells.filter(isProgram).at(at)?.outputs ?? [];
        const failed = recorded.some((output) => output.output_type === "error");
        if (reply === null || reply.status === "ok" || failed) continue;
        failure = `cell ${at + 1} failed: ${reply.evalue ?? "it gave no reason"}`;
      } catch (error) {
        if (!(error instanceof UnfinishedRun)) throw error;
        if (error.reason !== "timeout") return { failure: error.sentence(seconds, at + 1), session: null };
        await run.interrupt();
      }
      break;
    }
    return { failure, session: await askedRun(run, basename(name, ".ipynb")) };
  } finally {
    await run.stop();
  }
}

function answer(recorded: Session["run"], { failure, session }: Window): number {
  const plateau = session?.memory ?? null;
  const lines = [
    failure,
    plateau === null ? "plateau test: the session could not tell" : `plateau test: ${plateau.text}`,
  ].flatMap((line) => line ?? []);
  if (session !== null)
    lines.push(tableText(diffTable(diffOf(recorded, session.run), ["handed over", "here"])));
  const isSteady = plateau !== null && ["steady", "rose, then flat"].includes(plateau.verdict);
  const passed = failure === null && isSteady;
  lines.push(
    passed
      ? "Passed: long work may be attached."
      : "Not passed: attach no long work before that is explained.",
  );
  say(`${lines.join("\n")}\n`);
  return passed ? 0 : 1;
}
