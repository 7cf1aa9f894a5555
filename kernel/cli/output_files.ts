// Writes a command's files and folders: completely or not at all, and with a sentence for the user if the system
// refuses.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isInside } from "../../lib/records/logbook/is_inside.ts";
import { failureReason, type Links, makeWritableFolder, writeWhole } from "../../lib/whole_file.ts";
import { CommandError } from "./project.ts";

/** The length of the pieces of text that are written to the disk in one call. */
const CHUNK_LENGTH = 1 << 20;

/** What commands with that option tell the user to do. */
export const NAME_ANOTHER = "name another folder with --output FOLDER";

/**
 * Makes the folder, or checks that files can be made in an existing one.
 *
 * @param wayOut the words that follow the reason
 * @throws CommandError
 */
export function makeFolder(folder: string, wayOut: string): void {
  try {
    makeWritableFolder(folder);
  } catch (error) {
    throw new CommandError(`${failureReason(folder, error)}: ${wayOut}.`);
  }
}

/**
 * Checks a folder that the user has not named: a link in the project may come from a stranger, and must not lead out of
 * the folder in which the command runs.
 *
 * @throws CommandError for such a link, and for one without a target
 */
export function requireNoWayOut(folder: string, wayOut: string): void {
  const base = process.cwd();
  const real = realpathSync(base);
  const names = relative(base, resolve(folder)).split(sep);
  for (const [at] of names.entries()) {
    const place = join(base, ...names.slice(0, at + 1));
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    const target = existsSync(place) ? realpathSync(place) : null;
    if (target !== null && isInside(real, target)) continue;
    throw new CommandError(
      `${place} is a link that leads ${target === null ? "nowhere" : `to ${target}`}, and nothing is written through it: ${wayOut}.`,
    );
  }
}

/**
 * Checks a file to which a session appends, and whose name the user has not chosen.
 *
 * @throws CommandError for a link
 */
export function requireNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new CommandError(`${failureReason(file, { code: "ELOOP" })}.`);
}

/**
 * Writes a file. An older one stays as it was until the new one is on the disk.
 *
 * @param pieces the text in order
 * @param links `followed` for a file that the user has named
 * @throws CommandError where the file cannot be written
 */
export function writeOutput(file: string, pieces: Iterable<string>, links: Links = "replaced"): void {
  try {
    writeWhole(
      "mpslab",
      file,
      (write) => {
        let waiting = "";
        for (const piece of pieces) {
          waiting += piece;
          if (waiting.length < CHUNK_LENGTH) continue;
          write(Buffer.from(waiting));
          waiting = "";
        }
        write(Buffer.from(waiting));
      },
      links,
    );
  } catch (error) {
    throw new CommandError(`${failureReason(file, (error as Error).cause ?? error)}.`);
  }
}
