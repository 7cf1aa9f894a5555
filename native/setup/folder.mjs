// Refuses, before anything is installed, a folder in which Python or CMake cannot work. Their own messages would name a
// file that the user never wrote.
import { SetupError } from "./report.mjs";

/**
 * Characters that failed with CMake 3.25 and 3.31, or with Python 3.11. `#` fails only beside a `'`, or if CMake itself
 * lies in `.venv`. The other characters of a keyboard work, among them spaces, umlauts, `'` and `$`; only below a `\\`
 * Node itself starts no program.
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
