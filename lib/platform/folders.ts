// Where a system keeps a user's data and temporary files.
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { type System, thisSystem } from "./system.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for the data of this user's programs. */
export function userDataFolder(
  environment: Environment = process.env,
  { name }: System = thisSystem,
): string {
  if (name === "darwin") return path.join(homedir(), "Library", "Application Support");
  if (name === "win32") return environment["APPDATA"] ?? homedir();
  return environment["XDG_DATA_HOME"] || path.join(homedir(), ".local", "share");
}

/** The folder in which Jupyter looks for this user's data. Decides in the same order as jupyter_core. */
export function jupyterDataFolder(
  environment: Environment = process.env,
  system: System = thisSystem,
): string {
  if (environment["JUPYTER_DATA_DIR"]) return environment["JUPYTER_DATA_DIR"];
  if (system.name === "darwin") return path.join(homedir(), "Library", "Jupyter");
  return path.join(userDataFolder(environment, system), "jupyter");
}

/** The name of a program's file: `node` is `node.exe` on Windows. */
export const programName = (name: string, system: System = thisSystem): string =>
  system.name === "win32" ? `${name}.exe` : name;

/** The size of a Unix socket address's path field in bytes, with the terminating zero. */
const SOCKET_PATH_BYTES = { darwin: 104, linux: 108 };

/** How many bytes the path of a Unix socket may have. */
export function longestSocketPath({ name }: System = thisSystem): number {
  return (name === "darwin" ? SOCKET_PATH_BYTES.darwin : SOCKET_PATH_BYTES.linux) - 1;
}

/**
 * A folder for sockets: the one for temporary files, or `/tmp` where the paths would be too long. macOS has a folder
 * for each user, of 49 characters, and a longer one may have been set.
 *
 * @param name the longest name of a file below it, `mpslab-Xy12Zw/kernel-5`
 */
export function socketFolder(name: string, folder: string = tmpdir(), system: System = thisSystem): string {
  return Buffer.byteLength(path.join(folder, name)) <= longestSocketPath(system) ? folder : "/tmp";
}
