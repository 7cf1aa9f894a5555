// Finds the history file's path from the environment. Does not open the file.
import path from "node:path";
import { userHistoryFile } from "../../lib/installation/package.ts";
import { type System, thisSystem } from "../../lib/platform/system.ts";

/**
 * `MPSLAB_HISTORY`: a path, or `off` for none. Else `history.sqlite` in this user's data folder.
 *
 * @returns null if nothing is to be kept beyond the kernel
 */
export function historyPath(
  environment: NodeJS.ProcessEnv = process.env,
  system: System = thisSystem,
): string | null {
  const named = environment["MPSLAB_HISTORY"];
  if (named === "off") return null;
  if (named) return path.resolve(named);
  return userHistoryFile(environment, system);
}
