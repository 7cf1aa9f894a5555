// Files and folders that a command writes: whole or not at all, and with a sentence for the user where the system refuses.
import { failureReason, makeWritableFolder, writeWhole } from "../../lib/whole_file.ts";
import { CommandError } from "./project.ts";

/** The characters of a text that are written to the disk in one call. */
const CHUNK_LENGTH = 1 << 20;

/** The way out of commands with that option. */
export const NAME_ANOTHER = "name another folder with --output FOLDER";

/**
 * Makes the folder, or sees whether files can be made in the one that is there.
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
 * An older file stays as it was until the new one is on the disk.
 *
 * @param pieces the text in order
 * @throws CommandError where the file cannot be written
 */
export function writeOutput(file: string, pieces: Iterable<string>): void {
  try {
    writeWhole("mpslab", file, (write) => {
      let waiting = "";
      for (const piece of pieces) {
        waiting += piece;
        if (waiting.length < CHUNK_LENGTH) continue;
        write(Buffer.from(waiting));
        waiting = "";
      }
      write(Buffer.from(waiting));
    });
  } catch (error) {
    throw new CommandError(`${failureReason(file, (error as Error).cause ?? error)}.`);
  }
}
