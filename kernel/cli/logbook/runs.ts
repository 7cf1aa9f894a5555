// Finds runs in the logbooks of a folder: all of them, or the one whose id begins with what the user wrote.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { RunEntry } from "../../../lib/records/logbook/entry.ts";
import { read } from "../../../lib/records/logbook/file.ts";
import { CommandError } from "../project.ts";
import { complain } from "../terminal.ts";
import { visibleLine } from "../../../lib/visible.ts";

export interface FoundRun {
  /** The logbook's file. */
  readonly logbook: string;
  readonly run: RunEntry;
}

/** How many characters of an id are shown: among ten thousand runs, two share them with a probability of 1%. */
const SHORT_ID = 8;
const ENDING = ".logbook.jsonl";

/** The time of an entry: `2026-11-26T03:10:22.123Z` -> `2026-11-26 03:10`. */
export function minuteText(at: string): string {
  return visibleLine(at.slice(0, 16).replace("T", " "));
}

export function shortId({ id }: RunEntry): string {
  return visibleLine(id.slice(0, SHORT_ID));
}

/**
 * The logbooks that the user named, else those in this folder and in its subfolders.
 *
 * @throws CommandError where there is none
 */
export function logbooks(asked: readonly string[], folder = process.cwd()): string[] {
  const missing = asked.find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new CommandError(`There is no logbook ${resolve(missing)}: check the path.`);
  if (asked.length > 0) return asked.map((file) => resolve(file));
  const found = [folder, ...foldersIn(folder)].flatMap((inside) =>
    entriesOf(inside)
      .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING))
      .map(({ name }) => join(inside, name)),
  );
  if (found.length === 0)
    throw new CommandError(
      `There is no logbook in ${folder} or the folders in it: name one with --logbook FILE, or make one: ` +
        "mpslab execute --record NOTEBOOK, or lab.logbook.record() in a cell.",
    );
  return found.toSorted();
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => join(folder, name));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that this user may not read holds none of the user's logbooks.
    return [];
  }
}

/** All runs, oldest first. A line that cannot be read is named on stderr. */
export function runsIn(files: readonly string[]): FoundRun[] {
  return files
    .flatMap((logbook) => {
      const { entries, notes } = read(logbook);
      for (const note of notes) complain(`${visibleLine(basename(logbook))}: ${visibleLine(note)}\n`);
      return entries.filter((entry) => entry.type === "run").map((run) => ({ logbook, run }));
    })
    .toSorted((a, b) => (a.run.at < b.run.at ? -1 : 1));
}

/**
 * The run whose id begins with `id`.
 *
 * @param command for errors: what lists the runs
 * @throws CommandError where none does, or several do
 */
export function findRun(id: string, runs: readonly FoundRun[], command: string): FoundRun {
  const found = runs.filter(({ run }) => run.id.startsWith(id.toLowerCase()));
  const ids = new Set(found.map(({ run }) => run.id));
  if (ids.size === 1) return found[0]!;
  if (ids.size > 1) {
    const some = [...ids].slice(0, 4).join(", ");
    throw new CommandError(`${ids.size} runs have an id that begins with ${id}: ${some}. Write more of it.`);
  }
  throw new CommandError(`No run has an id that begins with ${id}: ${command} without an id lists the runs.`);
}

/** `output/tour.logbook.jsonl`, from here where that is shorter. */
export function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return visibleLine(near.startsWith("..") ? file : near);
}

/** `/data/tour.logbook.jsonl` -> `/data/tour.ipynb` */
export function notebookBeside(logbook: string, name: string | null): string {
  // Only the base name counts: a stranger's logbook must not lead to another folder.
  return join(dirname(logbook), name === null ? `${basename(logbook, ENDING)}.ipynb` : basename(name));
}
