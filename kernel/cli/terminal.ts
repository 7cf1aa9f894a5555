// Prints a command's messages. Names, notes and paths in them may come from a stranger, so characters that would move
// the cursor or hide a part of a line are printed as escapes. Does not print the outputs of cells.
import { visible } from "../../lib/visible.ts";

export function say(text: string): void {
  process.stdout.write(visible(text));
}

/** On stderr. */
export function complain(text: string): void {
  process.stderr.write(visible(text));
}
