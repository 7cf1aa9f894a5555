// Gives a clean folder the npm packages of a run: those of the folder beside the logbook, or installed as the lock says.
// Runs a package manager, so the run was reviewed before. Scripts of packages are never run.
import { existsSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockFileAbove } from "../../../lib/records/logbook/origin.ts";
import type { Program } from "../../../lib/records/logbook/program.ts";
import { importedPackages } from "../notebook/lock.ts";
import { CommandError } from "../project.ts";
import { type CleanFolder, keptOrRefuse, lockFolder } from "./clean_folder.ts";
import { failureOf } from "./guarded_programs.ts";

export interface PackageOptions {
  readonly logbook: string;
  /** Whether packages are installed as the lock file says. */
  readonly install: boolean;
}

/**
 * Returns sentences about what is there, and what is not.
 * @throws CommandError where packages cannot be installed
 */
export function providePackages(
  { root, files }: CleanFolder,
  program: Program,
  { logbook, install }: PackageOptions,
): string[] {
  const { lock } = program;
  if (lock === null) {
    if (!files.includes("package-lock.json")) return [];
    if (!install) return ["without packages: the notebook's lock names them; --install installs them"];
    installPackages(root, "package-lock.json");
    return ["packages installed as the notebook's lock says"];
  }
  const folder = lockFolder(root, lock);
  const name = basename(lock.lockFile.path);
  if (install) {
    installPackages(folder, name);
    return [`packages installed as ${name} says`];
  }
  const here = lockFileAbove(dirname(logbook));
  const packages = here === null ? null : join(dirname(here.file), "node_modules");
  if (here !== null && here.sha256 === lock.lockFile.sha256 && existsSync(packages!)) {
    if (!existsSync(join(folder, "node_modules"))) symlinkSync(packages!, join(folder, "node_modules"));
    return [`the packages of ${dirname(here.file)}, which has the same lock file`];
  }
  if (!importsPackages(program, logbook)) return [];
  return [`without packages: no folder above the logbook has the run's ${name}; --install installs them`];
}

function importsPackages({ cells, files }: Program, logbook: string): boolean {
  const modules = files
    .filter(({ path, kept }) => kept !== null && /\.[cm]?[jt]sx?$/.test(path))
    .map(({ kept }) => keptOrRefuse(logbook, kept!).toString("utf8"));
  return importedPackages([...cells.map(({ text }) => text), ...modules]).length > 0;
}

const INSTALL: Readonly<Record<string, readonly string[]>> = {
  "package-lock.json": ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
  // pnpm would run a .pnpmfile.cjs of the folder.
  "pnpm-lock.yaml": ["pnpm", "install", "--frozen-lockfile", "--ignore-scripts", "--ignore-pnpmfile"],
  "yarn.lock": ["yarn", "install", "--frozen-lockfile", "--ignore-scripts"],
  "bun.lock": ["bun", "install", "--frozen-lockfile", "--ignore-scripts"],
};

function installPackages(folder: string, lockFile: string): void {
  const command = INSTALL[lockFile];
  if (command === undefined)
    throw new CommandError(
      `--install knows no program for ${lockFile}: install its packages in ${folder} by hand.`,
    );
  const [program, ...args] = command as [string, ...string[]];
  // `yarnPath` in a folder's .yarnrc.yml names a program that yarn would run instead of itself.
  const env = { ...process.env, YARN_IGNORE_PATH: "1" };
  const failure = failureOf(program, args, { cwd: folder, env });
  if (failure !== null) throw new CommandError(`${command.join(" ")} in ${folder} failed: ${failure}`);
}
