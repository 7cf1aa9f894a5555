// Knows the folder of this package, who installed it, and where set-up keeps its files. A clone keeps them in itself. A
// package from npm may be read-only, and a user may have several: they share one folder of the user's.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { userDataFolder } from "../platform/folders.ts";
import type { System } from "../platform/system.ts";

/**
 * The same folder whether this code runs from the sources, from `dist/` or from `dist/bundle/`: these have no
 * package.json.
 */
export const PACKAGE_ROOT = packageRoot(fileURLToPath(new URL(".", import.meta.url)));

function packageRoot(folder: string): string {
  if (existsSync(path.join(folder, "package.json"))) return path.resolve(folder);
  const above = path.dirname(folder);
  if (above !== folder) return packageRoot(above);
  throw new Error(
    `mpslab does not find its package.json above ${import.meta.url}: it loads files of its own, so leave it out of a bundle.`,
  );
}

/**
 * The file of a program that runs in a process or a thread of its own: `kernel/runtime/host.js`. Always the bundled
 * file, even where tests run the sources, because Node 20 cannot run TypeScript.
 */
export const bundledProgram = (file: string): string => path.join(PACKAGE_ROOT, "dist", "bundle", file);

/** The package's own package.json. */
export const packageManifest = () =>
  JSON.parse(readFileSync(path.join(PACKAGE_ROOT, "package.json"), "utf8")) as {
    readonly version: string;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };

/**
 * `pip`: the package lies in a wheel, whose launcher sets a variable. npm never packs a lock file, so only a clone has
 * one.
 */
export type Installer = "clone" | "npm" | "pip";

export const INSTALLER: Installer = process.env["MPSLAB_PREFIX"]
  ? "pip"
  : existsSync(path.join(PACKAGE_ROOT, "package-lock.json"))
    ? "clone"
    : "npm";

/** The folder of what mpslab keeps for this user: the history and, for an installed package, the files of set-up. */
export const userFolder = (environment: NodeJS.ProcessEnv = process.env, system?: System): string =>
  path.join(userDataFolder(environment, system), "mpslab");

/** The file that records the cells which this user ran, unless `MPSLAB_HISTORY` names another. */
export const userHistoryFile = (environment?: NodeJS.ProcessEnv, system?: System): string =>
  path.join(userFolder(environment, system), "history.sqlite");

/** The folder for what can be made again at any time: compiled shaders. */
export const userCacheFolder = (): string =>
  path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "mpslab");

/** The folder that holds `.venv` and `build/`. */
export const setUpFolder = (): string => (INSTALLER === "clone" ? PACKAGE_ROOT : userFolder());

/** The Python environment whose JupyterLab opens notebooks: the one that pip installed into, or the one of set-up. */
export const pythonPrefix = (): string => process.env["MPSLAB_PREFIX"] ?? path.join(setUpFolder(), ".venv");
