// The kernelspec: the folder by which Jupyter finds this kernel. It is written for a user, for an environment or for
// this installation only. Knows nothing of running kernels.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { INSTALLER, userFolder } from "../../lib/installation/package.ts";
import { programName } from "../../lib/platform/folders.ts";
import { KERNEL_ENVIRONMENT } from "../process/allocator_environment.ts";
import { LOGO, LOGO_FILE } from "./logo.ts";
import { makeFolder, writeOutput } from "./output_files.ts";
import { KERNEL_MAIN, PROJECT_ROOT } from "./project.ts";

const KERNEL_NAME = "mpslab";

export function prefixDataFolder(prefix: string): string {
  return join(prefix, "share", "jupyter");
}

/** A data folder of this installation only: `mpslab lab` and `execute` work without anything installed. */
export const PROJECT_DATA_FOLDER =
  INSTALLER === "clone"
    ? join(PROJECT_ROOT, "dist", "jupyter")
    : join(userFolder(), "jupyter", createHash("sha256").update(PROJECT_ROOT).digest("hex").slice(0, 16));

/** What Jupyter reads; `start` are the words before the connection file. */
export const kernelspec = (start: readonly string[]) => ({
  argv: [...start, "{connection_file}"],
  display_name: "TypeScript (mpslab)",
  language: "typescript",
  env: KERNEL_ENVIRONMENT,
  // A signal would reach the whole process group, in which the kernel and the session ignore it. A message reaches the
  // kernel, which then interrupts the cell.
  interrupt_mode: "message",
  kernel_protocol_version: "5.5",
  // JupyterLab shows its bug icon where this says so, whatever `kernel_info` says.
  metadata: { debugger: true },
});

export const kernelspecFolder = (dataFolder: string): string => join(dataFolder, "kernels", KERNEL_NAME);

const fileIn = (dataFolder: string): string => join(kernelspecFolder(dataFolder), "kernel.json");
const logoIn = (dataFolder: string): string => join(kernelspecFolder(dataFolder), LOGO_FILE);

const textHere = (): string => `${JSON.stringify(kernelspec([stableNodePath(), KERNEL_MAIN]), null, 2)}\n`;

/** Whether the kernelspec in a Jupyter data folder names this installation and this Node. */
export function knowsThisKernel(dataFolder: string): boolean {
  const file = fileIn(dataFolder);
  return existsSync(file) && readFileSync(file, "utf8") === textHere();
}

/**
 * Writes the kernelspec into a Jupyter data folder and returns its path. What was there is replaced. A folder that holds the
 * right one needs no permission to write.
 *
 * @throws CommandError where it cannot be written
 */
export function writeKernelspec(dataFolder: string): string {
  const file = fileIn(dataFolder);
  if (knowsThisKernel(dataFolder) && existsSync(logoIn(dataFolder))) return file;
  makeFolder(kernelspecFolder(dataFolder), "name another Jupyter with mpslab install --prefix DIR");
  writeOutput(file, [textHere()]);
  writeOutput(logoIn(dataFolder), [LOGO]);
  return file;
}

/** The program that an installed kernelspec starts, or null where none is installed. */
export function installedMain(dataFolder: string): string | null {
  const file = fileIn(dataFolder);
  if (!existsSync(file)) return null;
  const { argv } = JSON.parse(readFileSync(file, "utf8")) as { argv?: string[] };
  return argv?.[1] ?? null;
}

/**
 * Node's path as it will be after an upgrade. `process.execPath` is resolved: `/opt/homebrew/Cellar/node/22.1/bin/node`
 * is gone with the next version, while the link `/opt/homebrew/bin/node` stays.
 */
export function stableNodePath(
  searchPath: string = process.env["PATH"] ?? "",
  node: string = process.execPath,
): string {
  for (const folder of searchPath.split(delimiter)) {
    const candidate = join(folder, programName("node"));
    try {
      if (folder !== "" && realpathSync(candidate) === realpathSync(node)) return candidate;
    } catch {
      // This folder has no `node`.
    }
  }
  return node;
}
