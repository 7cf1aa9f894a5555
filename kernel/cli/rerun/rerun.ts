// `mpslab rerun`: repeats a run of a logbook in a clean folder, and prints the first difference from the notebook's outputs.
// The cells may be a stranger's: they run only after somebody has read what `mpslab report` shows, and says so by its checksum.
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import type { Program } from "../../../lib/records/logbook/program.ts";
import { packageManifest } from "../../../lib/installation/package.ts";
import { counted } from "../../../lib/words.ts";
import { runList } from "../logbook/list.ts";
import { findRun, type FoundRun, logbooks, runsIn, shortId, shownPath } from "../logbook/runs.ts";
import { writeNotebook } from "../notebook/file.ts";
import { type CodeCell, isProgram, type Notebook } from "../notebook/format.ts";
import { type Agreement, compareRuns, EXIT_STATUS } from "../replay/agreement.ts";
import { comparedCells, notComparedCells } from "../replay/compared_cells.ts";
import { fingerprintOf } from "../replay/replayed_notebook.ts";
import { requireEmptyFolder } from "./clean_folder.ts";
import { providePackages } from "./packages.ts";
import { isReviewed, prepare, type PreparedRun, removeFolder } from "./prepared_run.ts";
import { say } from "../terminal.ts";
import { visibleLine } from "../../../lib/visible.ts";

export interface RerunOptions {
  /** The id or its beginning; undefined lists the runs. */
  readonly id: string | undefined;
  /** Logbooks to look into. Default: those of this folder, and of the folders in it. */
  readonly logbooks: readonly string[];
  /** The notebook with the outputs. Default: the one beside the logbook. */
  readonly notebook?: string | undefined;
  readonly folder?: string | undefined;
  readonly repository?: string | undefined;
  readonly install?: boolean | undefined;
  /** The checksum of what was read. Without it nothing runs. */
  readonly reviewed?: string | undefined;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** The relative tolerance for numbers. */
  readonly tolerance?: number | undefined;
}

/** Resolves with the exit status. */
export async function rerun(options: RerunOptions): Promise<number> {
  const runs = runsIn(logbooks(options.logbooks));
  if (options.id === undefined) {
    say(runList(runs, "mpslab rerun ID repeats one; the beginning of its id is enough."));
    return 0;
  }
  const found = findRun(options.id, runs, "mpslab rerun");
  if (options.folder !== undefined) requireEmptyFolder(options.folder);
  // Until somebody has read what would run, a temporary folder is used: the named one stays empty.
  const folder = options.reviewed === undefined ? undefined : options.folder;
  const prepared = prepare(found, { ...options, folder });
  let mayRun = false;
  try {
    mayRun = isReviewed(prepared, options.reviewed);
  } finally {
    if (!mayRun) removeFolder(prepared, folder);
  }
  if (mayRun) return await run(prepared, options);
  say(askForReview(found, prepared, options));
  return EXIT_STATUS["cannot tell"];
}

/** As of a run that recorded itself, whose notebook was not saved after it. */
const NOTHING_STORED =
  "nothing to compare with: no outputs of its cells are stored, so that a rerun tells only whether they still run; --notebook FILE names the notebook that holds them";

/** What the report shows, and the command that runs it. */
function askForReview(
  found: FoundRun,
  { program, review, executed }: PreparedRun,
  { logbooks: named, notebook, repository }: RerunOptions,
): string {
  const given = [
    ...named.map((file) => ["logbook", file]),
    ["notebook", notebook],
    ["repository", repository],
  ];
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : ` --${name} ${value}`)).join("");
  const ofCommit = review.commit === null ? "" : `, commit ${review.commit.slice(0, 10)}`;
  const id = shortId(found.run);
  return (
    `${headline(found, program)}\n` +
    `would run with your rights: ${counted(review.cells.length, "cell")}, ${counted(review.texts.length, "text")} beside them${ofCommit}\n` +
    (executed.matched === 0 ? `  ${NOTHING_STORED}\n` : "") +
    `  read them     mpslab report ${id}${words}\n` +
    `  then run them mpslab rerun ${id}${words} --reviewed ${review.checksum}\n`
  );
}

async function run(prepared: PreparedRun, options: RerunOptions): Promise<number> {
  const { found, program, executed, environment } = prepared;
  const { root, folder, notes } = prepared.folder;
  const { notebook: stored, known, matched } = executed;
  const packages = providePackages(prepared.folder, program, {
    logbook: found.logbook,
    install: options.install === true,
  });
  say(`${headline(found, program)}\nin ${root}\n`);
  if (matched === 0) say(`  ${NOTHING_STORED}\n`);
  for (const note of [...notes, ...packages, ...versionNotes(found.run)]) say(`  ${visibleLine(note)}\n`);

  const now = structuredClone(stored);
  const name = program.notebook ?? basename(prepared.file ?? "notebook.ipynb");
  const session = program.notebook === null ? undefined : join(folder, name);
  const fingerprint = await fingerprintOf(now, folder, {
    timeout: options.timeout,
    environment: { ...environment, JPY_SESSION_NAME: session },
  });
  if (typeof fingerprint === "number") return fingerprint;
  const { verdict, text } =
    matched === 0
      ? withoutOutputs(now)
      : (newFailure(stored, now) ??
        compareRuns(comparedCells(stored, now), known, fingerprint, options.tolerance));
  say(`${text}\n`);
  if (verdict === "same")
    say([...notComparedCells(stored), ...cellsWithoutOutputs(stored), ""].join("\n").trimStart());
  endFolder(root, options.folder, verdict, () => {
    const file = join(folder, `${basename(name, ".ipynb")}.rerun.ipynb`);
    writeNotebook(now, file);
    return file;
  });
  return EXIT_STATUS[verdict];
}

function headline({ logbook, run }: FoundRun, { cells, notebook }: Program): string {
  const of = notebook === null ? "" : ` of ${notebook}`;
  return visibleLine(
    `run ${shortId(run)} (${run.name}, ${run.at}) of ${shownPath(logbook)}: ${counted(cells.length, "cell")}${of} in the order in which they ran`,
  );
}

/** Notes on versions that differ here. The comparison itself covers libtorch's version. */
function versionNotes({ fields }: RunEntry): string[] {
  const here = { mpslabVersion: packageManifest().version, nodeVersion: process.versions.node };
  return (["mpslabVersion", "nodeVersion"] as const)
    .filter((field) => fields[field] !== null && fields[field] !== here[field])
    .map((field) => `${field} was ${String(fields[field])}, here ${here[field]}`);
}

/** The verdict on a run without stored outputs: all that can be said is whether its cells still run. */
function withoutOutputs(now: Notebook): Agreement {
  const cells = now.cells.filter(isProgram);
  const failed = cells.findIndex((cell) => errorOf(cell) !== null);
  if (failed >= 0)
    return { verdict: "different", text: `cell ${failed + 1} failed: ${errorOf(cells[failed]!)}` };
  const text =
    `cannot tell: ${counted(cells.length, "cell")} ran without an error, and there are no outputs to compare with. ` +
    "Give the notebook that holds them: --notebook FILE.";
  return { verdict: "cannot tell", text };
}

/**
 * A cell that failed now and not in the first run, whether its outputs are compared or not: it explains differences in
 * the cells below it.
 */
function newFailure(stored: Notebook, now: Notebook): Agreement | null {
  const after = now.cells.filter(isProgram);
  for (const [at, cell] of stored.cells.filter(isProgram).entries()) {
    if (cell.execution_count === null || errorOf(cell) !== null) continue;
    const error = errorOf(after[at]!);
    if (error !== null)
      return {
        verdict: "different",
        text: `first difference: cell ${at + 1} failed, and had not\n  now     ${error}`,
      };
  }
  return null;
}

function errorOf({ outputs }: CodeCell): string | null {
  const error = outputs.find((output) => output.output_type === "error");
  return error === undefined ? null : `${error.ename}: ${error.evalue}`;
}

/** Names the cells that the notebook no longer has, or whose text there has changed. */
function cellsWithoutOutputs(stored: Notebook): string[] {
  return stored.cells
    .filter(isProgram)
    .flatMap(({ execution_count: count }, at) =>
      count === null ? [`not compared: cell ${at + 1}, of which the notebook has no outputs`] : [],
    );
}

/** A temporary folder is removed if the run agrees: nobody needs it any more. */
function endFolder(
  root: string,
  asked: string | undefined,
  verdict: Agreement["verdict"],
  keepOutputs: () => string,
): void {
  if (asked === undefined && verdict === "same") rmSync(root, { recursive: true, force: true });
  else say(`outputs of the rerun: ${keepOutputs()}\n`);
}
