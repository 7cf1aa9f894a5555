// Finds the files that cells name: string literals that are paths of existing files, as in
// `data.readCsv("data/train.csv")`. Runs no code, so a path that a program composes is not found.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../records/logbook/is_inside.ts";

const LITERAL = /(["'`])((?:(?!\1)[^\\\n]){1,200})\1/g;
/** At most this many files of a folder that a cell names, including those in its subfolders. */
const MAX_FILES_OF_FOLDER = 100;
const LEFT_OUT = new Set(["node_modules", ".git"]);

/** Returns absolute paths. A named folder stands for its files; the notebook's own folder is left out. */
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

/** Undefined also if the text is not a possible path: too long, or with a NUL. */
function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
