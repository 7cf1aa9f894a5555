// Finds the files that cells name: string literals that are paths of files there, as in `data.readCsv("data/train.csv")`.
// Runs nothing. A path that a program puts together is not found.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../records/logbook/is_inside.ts";

const LITERAL = /(["'`])((?:(?!\1)[^\\\n]){1,200})\1/g;
/** Files of a folder that is named, those in its folders included. */
const MAX_FILES_OF_FOLDER = 100;
const LEFT_OUT = new Set(["node_modules", ".git"]);

/** Absolute paths; a named folder counts with its files, the notebook's own folder does not. */
export function namedFiles(texts: readonly string[], folder: string): string[] {
  const names = new Set(texts.flatMap((text) => [...text.matchAll(LITERAL)].map(([, , name]) => name!)));
  const found = [...names].flatMap((name) => {
    const file = path.resolve(folder, name);
    const status = statOf(file);
    if (status?.isFile() === true) return [file];
    const isListed = isInside(folder, file) && !LEFT_OUT.has(path.basename(file));
    return isListed && status?.isDirectory() === true ? filesIn(file) : [];
  });
  return [...new Set(found)];
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      if (found.length === MAX_FILES_OF_FOLDER) return found;
      if (entry.isFile()) found.push(path.join(next, entry.name));
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) folders.push(path.join(next, entry.name));
    }
  }
  return found;
}

/** Undefined also where the name is no path: too long, or with a NUL. */
function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
