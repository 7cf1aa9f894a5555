// Refuses a folder in which Python or CMake cannot work, before anything is installed: their own messages name a file that
// nobody wrote.
import { SetupError } from "./report.mjs";

/**
 * Each was tried with CMake 3.25 and 3.31, and Python 3.11. The other signs of a keyboard work, spaces, umlauts, `'` and `$`
 * among them. Node itself starts no program below a `\\`. `#` fails beside a `'`, and where CMake itself lies in `.venv`.
 */
const UNUSABLE = [
  ['"', "CMake"],
  [";", "CMake"],
  ["|", "CMake"],
  ["#", "CMake"],
  ["\n", "CMake"],
  [":", "Python's venv"],
];

/**
 * @param {string} folder in which `.venv` is made or the addon is compiled
 * @throws SetupError naming the sign and who cannot read it
 */
export function checkFolder(folder) {
  const found = UNUSABLE.find(([sign]) => folder.includes(sign));
  if (found === undefined) return;
  const [sign, program] = found;
  throw new SetupError(
    `${JSON.stringify(folder)} has the sign ${JSON.stringify(sign)} in its path, with which ${program} does not work: move the folder to a path without it, then run the command again.`,
  );
}
