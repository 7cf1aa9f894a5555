// Reads and writes a notebook's file as Jupyter's nbformat does: the same text for the same notebook. Knows the format,
// nothing of kernels.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { failureReason, type Links } from "../../../lib/whole_file.ts";
import { writeOutput } from "../output_files.ts";
import { CommandError } from "../project.ts";
import type { Cell, JsonObject, Notebook } from "./format.ts";
import { jsonPieces, parseJson } from "./python_json.ts";
import { invalidity } from "./schema.ts";
import { joinTexts, splitTexts } from "./text_lines.ts";

const MAJOR = 4;
/** The first minor version in which cells have ids. */
export const FIRST_MINOR_WITH_IDS = 5;

/** @throws CommandError where the file cannot be read, or is no notebook */
export function readNotebook(file: string): Notebook {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${failureReason(file, error)}.`);
  }
  const notebook = parseNotebook(text);
  if (notebook === null) {
    throw new CommandError(`${file} is no notebook: give a file that Jupyter has saved, such as a.ipynb.`);
  }
  return notebook;
}

/** Null for a text that is no notebook of format 4. */
export function parseNotebook(text: string): Notebook | null {
  let read: unknown;
  try {
    read = parseJson(text);
  } catch {
    return null;
  }
  const { nbformat, nbformat_minor: minor, cells } = (read ?? {}) as JsonObject;
  if (nbformat !== MAJOR || typeof minor !== "number" || !Array.isArray(cells)) return null;
  if (minor >= FIRST_MINOR_WITH_IDS) repairIds(cells as JsonObject[]);
  if (invalidity(read, minor) !== null) return null;
  return withoutTransient({
    ...(read as Notebook),
    cells: joinTexts(cells as JsonObject[]) as unknown as Cell[],
  });
}

/** Adds missing ids, and replaces those of cells that were copied by hand. */
export function repairIds(cells: readonly { id?: unknown }[]): void {
  const seen = new Set<unknown>();
  for (const cell of cells) {
    if (typeof cell !== "object" || cell === null) continue;
    if (cell.id === undefined || seen.has(cell.id)) cell.id = newCellId();
    seen.add(cell.id);
  }
}

export function newCellId(): string {
  return randomBytes(4).toString("hex");
}

/** Removes the metadata that a running Jupyter keeps and no file holds. */
function withoutTransient(notebook: Notebook): Notebook {
  for (const name of ["orig_nbformat", "orig_nbformat_minor", "signature"]) delete notebook.metadata[name];
  for (const { metadata } of notebook.cells) delete metadata["trusted"];
  return notebook;
}

/**
 * @param links `followed` for a file that the user has named
 * @throws CommandError where the file cannot be written; an older one stays as it was
 */
export function writeNotebook(notebook: Notebook, file: string, links: Links = "replaced"): void {
  writeOutput(file, notebookPieces(notebook), links);
}

/** The text of the file, in pieces. */
export function* notebookPieces(notebook: Notebook): Generator<string> {
  const cells = splitTexts(notebook.cells as unknown as JsonObject[]);
  yield* jsonPieces({ ...notebook, cells });
  yield "\n";
}
