// Reads a notebook of the repository. The tests check that it is a valid one, with the schema of `.venv`; here no Python
// is needed.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Cell, JsonObject } from "../../../kernel/cli/notebook/format.ts";
import { joinTexts } from "../../../kernel/cli/notebook/text_lines.ts";

/** @param source path of the notebook from the repository's root */
export function storedCells(root: string, source: string): Cell[] {
  const { cells } = JSON.parse(readFileSync(path.join(root, source), "utf8")) as { cells: JsonObject[] };
  return joinTexts(cells) as unknown as Cell[];
}
