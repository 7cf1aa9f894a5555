// Finds the path of the history file from the environment, without opening it.
import { homedir } from "node:os";
import path from "node:path";

/**
 * `MPSLAB_HISTORY`: a path, or `off` for none. Else `history.sqlite` in this user's data folder.
 *
 * @returns null if nothing is to be kept beyond the kernel
 */
export function historyPath(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const wished = environment["MPSLAB_HISTORY"];
  if (wished === "off") return null;
  if (wished) return path.resolve(wished);
  return path.join(dataFolder(environment, platform), "mpslab", "history.sqlite");
}

function dataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === "darwin") return path.join(homedir(), "Library", "Application Support");
  if (platform === "win32") return environment["APPDATA"] ?? homedir();
  return environment["XDG_DATA_HOME"] || path.join(homedir(), ".local", "share");
}
