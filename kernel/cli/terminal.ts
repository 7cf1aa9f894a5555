// Prints what a command says. Names, notes and paths in it may be a stranger's: what would move the cursor or hide a part of
// a line is shown as a program writes it. Outputs of cells are no part of this.
import { visible } from "../../lib/visible.ts";

export function say(text: string): void {
  process.stdout.write(visible(text));
}

/** On stderr. */
export function complain(text: string): void {
  process.stderr.write(visible(text));
}
