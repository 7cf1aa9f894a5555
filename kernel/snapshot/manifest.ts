// The JSON of a snapshot: its contents, checksums that reveal damage, and checks of its names and types. The checks
// matter because names and types in a file from a stranger become code of a cell. The kernel and the session both read
// it.
//
//     lesson.snapshot/snapshot.json         values, and what else belongs to each tensor
//     lesson.snapshot/tensors-17….safetensors   the tensors; the JSON names the file that it goes with
//
// A new snapshot becomes valid when its JSON replaces the old JSON, in one step. Until then the old snapshot is valid.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { ImportedName } from "../cell/imported_names.ts";
import { isIdentifier } from "../../lib/typescript/identifiers.ts";
import { type Encoded, typeOf } from "./encode.ts";

export interface SnapshotEntry {
  readonly name: string;
  /** `state`: the state of a module or an optimizer. That object must exist for its state to be loaded. */
  readonly kind: "value" | "state";
  readonly value: Encoded;
  /**
   * The value's type as TypeScript writes it, derived from the value when the snapshot is read. For a state, the class
   * of its object.
   */
  readonly type: string;
}

export interface SnapshotContent {
  readonly format: "mpslab snapshot 1";
  readonly savedAt: string;
  /** Null if there are no tensors, and therefore no file of them. */
  readonly tensors: { readonly file: string; readonly sha256: string } | null;
  readonly entries: readonly SnapshotEntry[];
  /** What the notebook imports by name. Snapshots of older versions have none. */
  readonly imports?: readonly ImportedName[];
}

/** The snapshot is refused, and nothing was restored from it. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

export const MANIFEST = "snapshot.json";
/** The name of a file with tensors: it must be beside the JSON. */
const TENSORS = /^tensors-[\w-]+\.safetensors$/;
/** The suffix of files that are still being written. */
const PARTIAL = ".partial";

export function manifestText(content: SnapshotContent): string {
  const text = JSON.stringify(content);
  return `{"sha256":${JSON.stringify(sha256(text))},"content":${text}}\n`;
}

/** @throws SnapshotError if there is none, or a damaged one */
export function readManifest(folder: string): SnapshotContent {
  const file = path.join(folder, MANIFEST);
  if (!existsSync(file))
    throw new SnapshotError("There is no snapshot beside this notebook yet: %snapshot saves its variables.");
  let read: { readonly sha256?: unknown; readonly content?: SnapshotContent };
  try {
    read = JSON.parse(readFileSync(file, "utf8")) as typeof read;
  } catch (error) {
    throw refused(file, `it is no whole JSON (${(error as Error).message})`);
  }
  const { content } = read;
  if (content === undefined || read.sha256 !== sha256(JSON.stringify(content)))
    throw refused(file, "its checksum does not fit what it holds");
  if (content.format !== "mpslab snapshot 1")
    throw refused(file, `its format is ${JSON.stringify(content.format)}`);
  return checked(file, content);
}

/** A checksum detects damage; it does not authenticate the file. */
function checked(
  file: string,
  { format, savedAt, tensors, entries, imports = [] }: SnapshotContent,
): SnapshotContent {
  if (!Array.isArray(imports)) throw refused(file, "it holds no list of imports");
  if (!Array.isArray(entries)) throw refused(file, "it holds no list of entries");
  if (tensors !== null && !TENSORS.test(String(tensors.file)))
    throw refused(file, `its tensors are in ${JSON.stringify(tensors.file)}, which is no file of a snapshot`);
  return {
    format,
    savedAt: String(savedAt),
    tensors: tensors === null ? null : { file: tensors.file, sha256: String(tensors.sha256) },
    entries: entries.map((entry) => checkedEntry(file, entry)),
    imports: imports.map((each) => checkedImport(file, each)),
  };
}

/** A specifier may name a package or a file in the notebook's folder: a snapshot brings no code of its own. */
function checkedImport(
  file: string,
  { name, imported, module, typeOnly, ...more }: ImportedName,
): ImportedName {
  if (!isIdentifier(name)) throw refused(file, `${JSON.stringify(name)} is no name of an import`);
  if (typeof imported !== "string") throw refused(file, `${name} is imported as ${JSON.stringify(imported)}`);
  if (typeof module !== "string" || !/^(?:\.{1,2}\/|#|@|node:|[\w-])[^:]*$/.test(module))
    throw refused(file, `${name} is imported from ${JSON.stringify(module)}`);
  const attributes = Object.entries(more.with ?? {}).map(([key, value]) => [key, String(value)]);
  const attached = attributes.length === 0 ? {} : { with: Object.fromEntries(attributes) };
  return { name, imported, module, typeOnly: typeOnly === true, ...attached };
}

function checkedEntry(file: string, { name, kind, value, type }: SnapshotEntry): SnapshotEntry {
  if (!isIdentifier(name)) throw refused(file, `${JSON.stringify(name)} is no name of a variable`);
  if (kind === "state") {
    if (!isIdentifier(type)) throw refused(file, `${JSON.stringify(type)} is no name of a class`);
    return { name, kind, value, type };
  }
  if (kind !== "value") throw refused(file, `${name} is a ${JSON.stringify(kind)}`);
  try {
    return { name, kind, value, type: typeOf(value) };
  } catch (error) {
    throw refused(file, `${name}: ${(error as Error).message}`);
  }
}

export function refused(file: string, reason: string): SnapshotError {
  return new SnapshotError(`The snapshot is damaged and nothing of it was restored: ${file}: ${reason}.`);
}

/** `the snapshot of 14:03:22 (model, losses)`; null if there is none that could be restored. */
export function describeSnapshot(folder: string): string | null {
  try {
    const { savedAt, entries } = readManifest(folder);
    const names = entries.map(({ name }) => name);
    const shown =
      names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ");
    return `the snapshot of ${new Date(savedAt).toLocaleTimeString("en-GB")} (${shown})`;
  } catch {
    return null;
  }
}

/** Files left behind by a session that died while writing. */
export function removePartial(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.endsWith(PARTIAL)) rmSync(path.join(folder, name), { force: true });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
