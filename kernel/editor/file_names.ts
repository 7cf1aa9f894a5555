// Completes names on disk in a string of a cell: files of the notebook's folder, and packages that an import can name.
import { readdir } from "node:fs/promises";
import path from "node:path";

export interface FileName {
  readonly text: string;
  readonly kind: "file" | "folder" | "module";
}

const MAX_NAMES = 300;

/**
 * Completes the last part of a path: `data/tr` -> `train.csv`. Includes hidden files only if the part begins with a
 * dot. Returns none for a folder that does not exist.
 */
export async function fileNames(directory: string, typed: string): Promise<FileName[]> {
  const cut = typed.lastIndexOf("/") + 1;
  const part = typed.slice(cut);
  const entries = await readdir(path.resolve(directory, typed.slice(0, cut) || "."), {
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter(({ name }) => name.startsWith(part) && (part.startsWith(".") || !name.startsWith(".")))
    .slice(0, MAX_NAMES)
    .map((entry) =>
      entry.isDirectory()
        ? ({ text: `${entry.name}/`, kind: "folder" } as const)
        : ({ text: entry.name, kind: "file" } as const),
    )
    .toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

/**
 * Packages in the `node_modules` of the folder and of those above it, nearest first. Our own packages can be imported
 * from any folder.
 */
export async function packageNames(directory: string): Promise<FileName[]> {
  const names = new Set<string>();
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    for (const name of await packagesIn(path.join(folder, "node_modules"))) names.add(name);
    if (folder === path.dirname(folder)) break;
  }
  for (const own of ["mpslab", "tslab"]) names.add(own);
  return [...names].slice(0, MAX_NAMES).map((text) => ({ text, kind: "module" }));
}

async function packagesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => !name.startsWith(".") && name !== "@types")
      .map(async (name) => {
        if (!name.startsWith("@")) return [name];
        const inScope = await readdir(path.join(folder, name)).catch(() => []);
        return inScope.map((each) => `${name}/${each}`);
      }),
  );
  return found.flat();
}
