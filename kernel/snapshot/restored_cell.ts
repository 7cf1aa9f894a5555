// Turns `%restore` lines of a cell into declarations, so that the names are compiled, checked and kept like those of
// any other cell. Reads the snapshot's JSON, and no tensors.
//
//     %restore rate   ->   let { rate }: { rate: number } = await (globalThis as any)["__mpslab_restore"](["rate"]);
import type { ImportedName } from "../cell/imported_names.ts";
import { RUNTIME } from "../cell/names.ts";
import { scan } from "../../lib/magics/scan.ts";
import { snapshotFolder } from "./folder.ts";
import { readManifest, type SnapshotEntry, SnapshotError } from "./manifest.ts";

const LINE = /^%restore(?:[ \t]+(?<names>[^\n]*?))?[ \t]*\r?$/;

/**
 * Replaces the `%restore` lines of a cell. All other lines stay as they are.
 *
 * @throws SnapshotError if there is no snapshot, if it is damaged, or if it has none of those names
 */
export function withRestored(text: string, directory: string): string {
  if (!text.includes("%restore")) return text;
  const { magicLines } = scan(text);
  let start = 0;
  return text
    .split("\n")
    .map((line) => {
      const match = magicLines.has(start) ? LINE.exec(line) : null;
      start += line.length + 1;
      return match === null ? line : declarationOf(wanted(match.groups?.["names"] ?? "", directory));
    })
    .join("\n");
}

/**
 * The imports that a cell with `%restore` and no names brings back: those that the notebook had. Empty for every other
 * cell.
 */
export function restoredImports(text: string, directory: string): readonly ImportedName[] {
  if (!text.includes("%restore")) return [];
  const { magicLines } = scan(text);
  const lines = [...magicLines].map((start) => LINE.exec(/^[^\n]*/.exec(text.slice(start))?.[0] ?? ""));
  const restoresAll = lines.some(
    (match) => match !== null && namesIn(match.groups?.["names"] ?? "").length === 0,
  );
  return restoresAll ? (readManifest(snapshotFolder(directory)).imports ?? []) : [];
}

function wanted(names: string, directory: string): readonly SnapshotEntry[] {
  const { entries } = readManifest(snapshotFolder(directory));
  const list = namesIn(names);
  if (list.length === 0) return entries;
  return list.map((name) => {
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry !== undefined) return entry;
    const held = entries.map((candidate) => candidate.name).join(", ");
    throw new SnapshotError(`The snapshot holds no ${name}; it holds ${held}.`);
  });
}

/** `a b` and `a, b` */
function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

function declarationOf(entries: readonly SnapshotEntry[]): string {
  const names = JSON.stringify(entries.map(({ name }) => name));
  // The function's name is written as a string, because a cell must not use the runtime's own names.
  const call = `await (globalThis as any)["${RUNTIME.restore}"](${names});`;
  const values = entries.filter(({ kind }) => kind === "value");
  if (values.length === 0) return `;${call}`;
  const types = values.map(({ name, type }) => `${name}: ${type}`).join("; ");
  return `;let { ${values.map(({ name }) => name).join(", ")} }: { ${types} } = ${call}`;
}
