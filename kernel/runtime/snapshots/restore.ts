// Restores a snapshot for `%restore`: reads it whole, then loads states and returns values.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { decode } from "../../snapshot/encode.ts";
import {
  MANIFEST,
  readManifest,
  refused,
  type SnapshotContent,
  type SnapshotEntry,
  SnapshotError,
} from "../../snapshot/manifest.ts";
import { isStateful } from "./stateful.ts";

export interface Restored {
  /** The values, by the names that the user gave them. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly told: string;
}

type Decoded = ReadonlyMap<string, unknown>;
type Tensors = typeof import("./tensors.ts");

/**
 * @param names names of values, and of objects whose state is loaded
 * @param valueOf a variable of the notebook, undefined if there is none
 * @throws SnapshotError for a damaged snapshot; then nothing is restored
 */
export async function restoreSnapshot(
  folder: string,
  names: readonly string[],
  valueOf: (name: string) => unknown,
): Promise<Restored> {
  const content = readManifest(folder);
  const entries = content.entries.filter(({ name }) => names.includes(name));
  // The import loads libtorch, so it is done only if there are tensors to restore.
  const tensors = content.tensors === null ? null : await import("./tensors.ts");
  const decoded = decodeAll(folder, content, entries, tensors);
  const values = entries.filter(({ kind }) => kind === "value");
  const states = entries.filter(({ kind }) => kind === "state");
  const loaded = loadStates(states, decoded, tensors, valueOf);
  const waiting = states.filter(({ name }) => !loaded.includes(name));
  const told = [
    ...(values.length === 0 ? [] : [`Restored ${values.map(({ name }) => name).join(", ")}.`]),
    ...(loaded.length === 0 ? [] : [`Loaded the state of ${loaded.join(", ")}.`]),
    ...waiting.map(
      ({ name, type }) =>
        `${name} (${type}) does not exist yet: run the cell that makes it, then %restore ${name}.`,
    ),
  ];
  return {
    values: Object.fromEntries(values.map(({ name }) => [name, decoded.get(name)])),
    told: told.map((line) => `${line}\n`).join(""),
  };
}

function decodeAll(
  folder: string,
  { tensors: stored }: SnapshotContent,
  entries: readonly SnapshotEntry[],
  tensors: Tensors | null,
): Decoded {
  const file = path.join(folder, stored?.file ?? MANIFEST);
  try {
    if (stored !== null && createHash("sha256").update(readFileSync(file)).digest("hex") !== stored.sha256)
      throw new RangeError("its checksum is not the one that was written");
    const made = stored === null ? undefined : tensors?.maker(file);
    return new Map(entries.map(({ name, value }) => [name, decode(value, (reference) => made?.(reference))]));
  } catch (error) {
    throw refused(file, (error as Error).message);
  }
}

/** Loads all states or none: if one does not fit, the objects loaded before it get their own states back. */
function loadStates(
  states: readonly SnapshotEntry[],
  decoded: Decoded,
  tensors: Tensors | null,
  valueOf: (name: string) => unknown,
): string[] {
  const undo: (() => void)[] = [];
  const loaded: string[] = [];
  for (const { name } of states) {
    const value = valueOf(name);
    if (!isStateful(value)) continue;
    const before = tensors === null ? structuredClone(value.stateDict()) : tensors.copied(value.stateDict());
    try {
      value.loadStateDict(decoded.get(name));
    } catch (error) {
      for (const revert of undo.reverse()) revert();
      const reason = (error as Error).message;
      throw new SnapshotError(`The state of ${name} does not fit, and nothing was restored: ${reason}`);
    }
    undo.push(() => value.loadStateDict(before));
    loaded.push(name);
  }
  return loaded;
}
