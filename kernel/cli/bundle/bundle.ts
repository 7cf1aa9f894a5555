// `mpslab bundle`: packs one run from a logbook for another machine: what ran, its lock file, the data set or its
// checksum, the golden command, the JSON schema of a profile. Runs nothing.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { type CommandForm, commandText, goldenCommand } from "../../../lib/records/logbook/command.ts";
import { isInside } from "../../../lib/records/logbook/is_inside.ts";
import { keepBytes, keptBytes } from "../../../lib/records/logbook/kept_files.ts";
import { sha256Of } from "../../../lib/records/logbook/origin.ts";
import { type Program, type ProgramFile, readProgram } from "../../../lib/records/logbook/program.ts";
import { jsonWithoutSecrets } from "../../../lib/secrets/json.ts";
import { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { formatBytes } from "../../../lib/units.ts";
import { counted } from "../../../lib/words.ts";
import {
  findRun,
  type FoundRun,
  logbooks,
  notebookBeside,
  runsIn,
  shortId,
  shownPath,
} from "../logbook/runs.ts";
import { readNotebook, writeNotebook } from "../notebook/file.ts";
import { notebookWithoutSecrets } from "../notebook/without_secrets.ts";
import { makeFolder, NAME_ANOTHER, requireNoWayOut } from "../output_files.ts";
import { CommandError } from "../project.ts";
import { requireEmptyFolder } from "../rerun/clean_folder.ts";
import { type Bundle, type BundledDataset, bundleOf, LOGBOOK, MANIFEST } from "./manifest.ts";
import { PROFILE_SCHEMA } from "./profile_schema.ts";
import { say } from "../terminal.ts";
import { visibleLine } from "../../../lib/visible.ts";

export interface BundleOptions {
  readonly id: string;
  readonly logbooks: readonly string[];
  /** The folder. Default: `output/bundle-ID`. */
  readonly output?: string | undefined;
  /** The file of the data set. Default: the path that the run recorded, relative to the notebook's folder. */
  readonly dataset?: string | undefined;
  /** Seconds of the smoke window. Default: 120. */
  readonly seconds?: number | undefined;
}

/** A larger data set is not copied: the bundle has only its checksum. */
const MAX_DATASET_BYTES = 2 ** 30;
const SMOKE_SECONDS = 120;
/** The file for each form of a command. FOLDER_THERE stands for the bundle's folder on the other machine. */
const COMMANDS: Readonly<Record<CommandForm, string>> = {
  plain: "command.sh",
  launchd: "mpslab.plist",
  systemd: "mpslab.service",
};
const FOLDER_THERE = "/FOLDER/OF/THE/BUNDLE";

/** Returns the exit status. */
export function bundle(options: BundleOptions): number {
  const found = findRun(options.id, runsIn(logbooks(options.logbooks)), "mpslab rerun");
  const { run, logbook } = found;
  if (run.program === undefined)
    throw new CommandError(
      `The run ${shortId(run)} has no cells, as an earlier version or a plain program recorded it: run its notebook again, mpslab execute --record NOTEBOOK.`,
    );
  const program = programOf(found);
  const folder = resolve(options.output ?? join("output", `bundle-${shortId(run)}`));
  if (options.output === undefined) requireNoWayOut(folder, NAME_ANOTHER);
  makeFolder(folder, NAME_ANOTHER);
  requireEmptyFolder(folder);
  const notes: string[] = [];
  const leftOut = new LeftOutParts();
  putRun(folder, found, program, notes, leftOut);
  const dataset = putDataset(folder, found, options.dataset, notes);
  const notebook = putNotebook(folder, logbook, program, leftOut);
  const profileSchema = put(folder, "profile.schema.json", `${JSON.stringify(PROFILE_SCHEMA, null, 2)}\n`);
  const golden = { ...goldenCommand(run, notebook ?? "notebook.ipynb"), searchPath: undefined };
  const commands = Object.fromEntries(
    Object.entries(COMMANDS).map(([form, file]) => {
      const there = { ...golden, folder: form === "plain" ? "." : FOLDER_THERE };
      return [form, put(folder, file, commandText(there, form as CommandForm))];
    }),
  ) as Bundle["commands"];
  const made = bundleOf({
    run: run.id,
    notebook,
    lockFile: putLock(folder, logbook, program, notes),
    dataset,
    profileSchema,
    commands,
    smokeSeconds: options.seconds ?? SMOKE_SECONDS,
    files: checksumsIn(folder),
  });
  put(folder, MANIFEST, `${JSON.stringify(made, null, 2)}\n`);
  const count = counted(Object.keys(made.files).length + 1, "file");
  say(
    [
      visibleLine(`run ${shortId(run)} (${run.name}, ${run.at}) in ${shownPath(folder)}: ${count}`),
      ...[...notes, ...[leftOut.sentence() ?? []].flat()].map((note) => `  ${visibleLine(note)}`),
      `on the other machine: mpslab smoke ${basename(folder)}`,
      "",
    ].join("\n"),
  );
  return 0;
}

/** @throws CommandError for a program that cannot be read: another tool may have written the logbook */
function programOf({ logbook, run }: FoundRun): Program {
  try {
    return readProgram(logbook, run.program!);
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

function put(folder: string, name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return name;
}

/**
 * Writes a logbook with this run only, and the files that the run kept. Files of which the logbook has only a checksum
 * are copied from beside it, if they are there.
 */
function putRun(
  folder: string,
  { run, logbook }: FoundRun,
  program: Program,
  notes: string[],
  leftOut: LeftOutParts,
): void {
  put(folder, LOGBOOK, `${jsonWithoutSecrets(run, leftOut)}\n`);
  const files = [
    ...program.files,
    ...(program.lock === null ? [] : [program.lock.lockFile, program.lock.manifest]),
  ];
  const kept = [run.program?.sha256, program.patch?.kept, ...files.map((file) => file?.kept)];
  for (const sha256 of kept)
    if (typeof sha256 === "string")
      keepBytes("mpslab bundle", join(folder, LOGBOOK), keptBytes(logbook, sha256));
  for (const file of program.files) if (file.kept === null) putLarge(folder, logbook, file, notes);
}

function putLarge(
  folder: string,
  logbook: string,
  { path, sha256, bytes }: ProgramFile,
  notes: string[],
): void {
  const place = join(folder, normalize(path));
  const here = join(dirname(logbook), path);
  if (sha256 !== null && bytes <= MAX_DATASET_BYTES && isInside(folder, place) && sha256Of(here) === sha256) {
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(here, place);
  } else notes.push(`without ${path} (${formatBytes(bytes)}): the other machine needs its own`);
}

/** @throws CommandError for a data set that has changed since the run */
function putDataset(
  folder: string,
  { run, logbook }: FoundRun,
  given: string | undefined,
  notes: string[],
): BundledDataset | null {
  const { dataset, datasetSha256 } = run.fields as Record<string, string | null>;
  if (dataset === null || dataset === undefined) {
    notes.push("no data set: the run recorded none, as lab.logbook.record({ dataset }) does");
    return null;
  }
  const sha256 = datasetSha256 ?? null;
  const file = given === undefined ? resolve(dirname(logbook), dataset) : resolve(given);
  const found = sha256Of(file);
  if (given !== undefined && found === null)
    throw new CommandError(`There is no file ${file}: check the path.`);
  if (found !== null && sha256 !== null && found !== sha256)
    throw new CommandError(
      `${file} is another data set by now (${found.slice(0, 10)}, the run's is ${sha256.slice(0, 10)}): name the run's, --dataset FILE.`,
    );
  const isSmall = found !== null && statSync(file).size <= MAX_DATASET_BYTES;
  if (!isSmall || sha256 === null) {
    notes.push(`without the data set ${dataset}${sha256 === null ? "" : ", whose checksum is there"}`);
    return { name: dataset, sha256, snapshot: null };
  }
  const inside = !isAbsolute(dataset) && isInside(folder, join(folder, dataset));
  const snapshot = inside ? normalize(dataset) : join("dataset", basename(file));
  mkdirSync(dirname(join(folder, snapshot)), { recursive: true });
  copyFileSync(file, join(folder, snapshot));
  return { name: dataset, sha256, snapshot };
}

/** Writes the notebook's cells and outputs without secrets: whoever receives the bundle runs them with their own. */
function putNotebook(
  folder: string,
  logbook: string,
  { notebook }: Program,
  leftOut: LeftOutParts,
): string | null {
  const file = notebookBeside(logbook, notebook);
  if (!existsSync(file)) return null;
  const found = new LeftOutParts();
  const clean = notebookWithoutSecrets(readNotebook(file), found);
  leftOut.addAll(`${basename(file)}, `, found);
  if (found.total === 0) copyFileSync(file, join(folder, basename(file)));
  else writeNotebook(clean, join(folder, basename(file)));
  return basename(file);
}

function putLock(folder: string, logbook: string, { lock }: Program, notes: string[]): string | null {
  if (lock === null || lock.lockFile.kept === null) {
    notes.push("without a lock file: the run has none");
    return null;
  }
  const { lockFile, manifest } = lock;
  if (manifest?.kept) put(folder, basename(manifest.path), keptBytes(logbook, manifest.kept));
  return put(folder, basename(lockFile.path), keptBytes(logbook, lockFile.kept!));
}

function checksumsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const names = files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted();
  return Object.fromEntries(names.map((name) => [name, sha256Of(join(folder, name))!]));
}
