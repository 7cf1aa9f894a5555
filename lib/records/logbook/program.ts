// Declares what a run ran, as the logbook keeps it: cells in their order, the patch against the commit, files, the lock.
// A run's entry holds the checksum of this text; the text itself lies beside the logbook.
import path from "node:path";
import { visibleLine } from "../../visible.ts";
import { isObject } from "./is_object.ts";
import { keptBytes } from "./kept_files.ts";

/** What a run's entry says of its program. */
export interface KeptProgram {
  /** Checksum of the `Program` as JSON, by which it is found beside the logbook. */
  readonly sha256: string;
  /** The number of executed cells. */
  readonly cells: number;
  /** The notebook's name; null where the front end does not name it. */
  readonly notebook: string | null;
}

export interface ProgramCell {
  /** The number that the cell got when it ran. */
  readonly count: number;
  readonly text: string;
  /** Whether a secret was left out, so that the text alone does not run. */
  readonly leftOut?: true;
}

export interface ProgramFile {
  /** From the root of the working tree, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** The checksum of the file as it was; null where it was too large to be read, or its name says that it holds secrets. */
  readonly sha256: string | null;
  /** Checksum under which its content is kept; null where it is not. */
  readonly kept: string | null;
  /** Whether a secret was left out of the kept content. */
  readonly leftOut?: true;
}

export interface ProgramPatch {
  /** Checksum under which `git diff --binary` is kept. */
  readonly kept: string;
  readonly bytes: number;
  readonly leftOut?: true;
}

export interface Program {
  /** The notebook's name; null where the front end does not name it. */
  readonly notebook: string | null;
  /** The notebook's folder, from the root of the working tree: `notebooks`, or `` for the root. */
  readonly folder: string;
  /** Executed cells in their order. The last one may have recorded the run. */
  readonly cells: readonly ProgramCell[];
  /** The number of the cell that recorded the run; null where none did. */
  readonly recordedBy: number | null;
  /** What decides about the exact bits of a result, besides the program. */
  readonly machine: Readonly<Record<string, string>>;
  /** Environment variables before the first cell, as far as they change what a program computes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Changes of tracked files against the commit of the run's fields; null where there are none. */
  readonly patch: ProgramPatch | null;
  /** Local files that cells imported or name, and files that no commit has. */
  readonly files: readonly ProgramFile[];
  /** The lock file and the package.json beside it; null without a lock file. */
  readonly lock: { readonly lockFile: ProgramFile; readonly manifest: ProgramFile | null } | null;
  /** Sentences about what is not kept. */
  readonly notes: readonly string[];
}

/**
 * @throws Error with a sentence where the text is missing, damaged, or no program: another one may have written it
 */
export function readProgram(logbook: string, { sha256 }: KeptProgram): Program {
  const text = keptBytes(logbook, sha256).toString("utf8");
  let program: unknown;
  try {
    program = JSON.parse(text);
  } catch {
    // Said below.
  }
  const fault = isObject(program) ? faultOf(program) : "it is no JSON";
  if (fault === null) return program as unknown as Program;
  throw new Error(
    `What ran is kept beside ${visibleLine(logbook)} in a form that this version does not read: ${fault}. Take the logbook from the program that wrote it.`,
  );
}

/** A session counts no further. */
const MAX_COUNT = 1_000_000;
const CHECKSUM = /^[0-9a-f]{64}$/;

const isText = (value: unknown): value is string => typeof value === "string";
const isChecksum = (value: unknown) => isText(value) && CHECKSUM.test(value);
const isCount = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
const areTexts = (value: unknown) => isObject(value) && Object.values(value).every(isText);
const isList = (value: unknown, isOne: (one: unknown) => boolean) =>
  Array.isArray(value) && value.every(isOne);
const isCell = (value: unknown) => isObject(value) && isCount(value["count"]) && isText(value["text"]);
const isFile = (value: unknown) =>
  isObject(value) &&
  isText(value["path"]) &&
  Number.isFinite(value["bytes"]) &&
  [value["sha256"], value["kept"]].every((sum) => sum === null || isChecksum(sum));
const isPatch = (value: unknown) =>
  value === null || (isObject(value) && isChecksum(value["kept"]) && Number.isFinite(value["bytes"]));
const isLock = (value: unknown) =>
  value === null ||
  (isObject(value) && isFile(value["lockFile"]) && (value["manifest"] === null || isFile(value["manifest"])));

/** What each member of a program must be. */
const MEMBERS: Readonly<Record<keyof Program, (value: unknown) => boolean>> = {
  // A path could lead to another folder.
  notebook: (value) => value === null || (isText(value) && path.basename(value) === value && value !== ".."),
  folder: isText,
  cells: (value) => isList(value, isCell),
  recordedBy: (value) => value === null || isCount(value),
  machine: areTexts,
  environment: areTexts,
  patch: isPatch,
  files: (value) => isList(value, isFile),
  lock: isLock,
  notes: (value) => isList(value, isText),
};

function faultOf(program: Readonly<Record<string, unknown>>): string | null {
  const wrong = Object.entries(MEMBERS).find(([name, fits]) => !fits(program[name]));
  return wrong === undefined ? null : `its member ${wrong[0]} is not what it should be`;
}
