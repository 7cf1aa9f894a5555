// Collects for a reader everything that a rerun would run: cells, environment, patch, files of the logbook, and the
// code of the commit that cells import. A checksum ensures that what runs is what was read. Runs nothing.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { sha256OfBytes } from "../../../lib/records/logbook/kept_files.ts";
import { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { type Language, languageOf, redactForReview } from "../../../lib/secrets/redact.ts";
import { filesReachedFrom } from "../../runtime/modules/local_graph.ts";
import { isProgram, type Notebook } from "../notebook/format.ts";
import { CommandError } from "../project.ts";
import type { CleanFolder } from "./clean_folder.ts";

export interface ReviewedText {
  readonly title: string;
  readonly bytes: number;
  /** Null for a file that is no text, of which the checksum is all that can be shown. */
  readonly text: string | null;
  readonly sha256: string;
}

export interface Review {
  /** The checksum that `--reviewed` takes. It changes with anything below. */
  readonly checksum: string;
  /** Sources of the cells in their order, without secrets. */
  readonly cells: readonly string[];
  /** The environment, the patch, then files. */
  readonly texts: readonly ReviewedText[];
  readonly commit: string | null;
  /** Which secrets are not shown, and where; null where all is. */
  readonly leftOut: string | null;
}

/** With this many hexadecimal digits nobody can find a second program that has the same checksum. */
const CHECKSUM_LENGTH = 32;

/** Files that decide what the specifier of an import means. */
const SETTINGS = ["package.json", "tsconfig.json"];

/**
 * @param environment variables that are set for the cells
 * @throws CommandError for a commit that brings packages, whose code nobody reads
 */
export function reviewOf(
  notebook: Notebook,
  folder: CleanFolder,
  environment: Readonly<Record<string, string | undefined>>,
): Review {
  const sources = notebook.cells.filter(isProgram).map(({ source }) => source);
  const variables = Object.entries(environment)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
  const files = [...new Set([...folder.files, ...settingsOf(folder), ...importedFiles(sources, folder)])];
  const leftOut = new LeftOutParts();
  const texts = [
    ...(variables === "" ? [] : [reviewed("environment", Buffer.from(variables), "shell", leftOut)]),
    ...(folder.patch === null ? [] : [reviewed("patch", Buffer.from(folder.patch), "patch", leftOut)]),
    ...files.map((file) => reviewed(file, readFileSync(join(folder.root, file)), languageOf(file), leftOut)),
  ];
  const checked = [sources, folder.commit, texts.map(({ title, sha256 }) => [title, sha256])];
  return {
    checksum: sha256OfBytes(JSON.stringify(checked)).slice(0, CHECKSUM_LENGTH),
    cells: sources.map((source, at) => leftOut.of(`cell ${at + 1}`, redactForReview(source, "cell"))),
    texts,
    commit: folder.commit,
    leftOut: leftOut.sentence(),
  };
}

function settingsOf({ root, folder }: CleanFolder): string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules")))
      throw new CommandError(
        `${relative(root, join(at, "node_modules"))} is in the commit: packages come from a lock file, by --install, or from beside the logbook.`,
      );
    found.push(...SETTINGS.map((name) => join(at, name)).filter((file) => existsSync(file)));
    if (at === root) return found.map((file) => relative(root, file));
  }
}

/** The local files that the cells import, also those of the commit, as paths in the folder. */
function importedFiles(sources: readonly string[], { root, folder }: CleanFolder): string[] {
  const reached = sources.flatMap((source) => filesReachedFrom(source, join(folder, "cell.ts")));
  return reached.map((file) => relative(root, file)).filter((file) => !file.startsWith(".."));
}

/** Only a secret's value may be left out. If code stands in its place, the reader must see it. */
function reviewed(title: string, bytes: Buffer, language: Language, leftOut: LeftOutParts): ReviewedText {
  const text = bytes.toString("utf8");
  const isText = !text.includes("\0") && Buffer.from(text).equals(bytes);
  return {
    title,
    bytes: bytes.length,
    text: isText ? leftOut.of(title, redactForReview(text, language)) : null,
    sha256: sha256OfBytes(bytes),
  };
}
