// The kernelspec: the folder by which Jupyter finds this kernel. Written for a user, an environment or this project;
// knows nothing of running kernels.
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { programName } from "../../lib/platform/folders.ts";
import { writeWholeText } from "../../lib/whole_file.ts";
import { KERNEL_MAIN, PROJECT_ROOT } from "./project.ts";

const KERNEL_NAME = "mpslab";

export function prefixDataFolder(prefix: string): string {
  return join(prefix, "share", "jupyter");
}

/** A data folder of this project alone: `mpslab lab` and `execute` work without anything installed. */
export const PROJECT_DATA_FOLDER = join(PROJECT_ROOT, "dist", "jupyter");

/** Writes the kernelspec into a Jupyter data folder and returns its path. What was there is replaced. */
export function writeKernelspec(dataFolder: string): string {
  const folder = join(dataFolder, "kernels", KERNEL_NAME);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "kernel.json");
  const kernelspec = {
    argv: [stableNodePath(), KERNEL_MAIN, "{connection_file}"],
    display_name: "TypeScript (mpslab)",
    language: "typescript",
    // A signal would reach both processes and end a cell with its state; a message interrupts it.
    interrupt_mode: "message",
    kernel_protocol_version: "5.5",
    metadata: { debugger: false },
  };
  writeWholeText("mpslab install", file, `${JSON.stringify(kernelspec, null, 2)}\n`);
  return file;
}

/** The program that an installed kernelspec starts, or null where none is installed. */
export function installedMain(dataFolder: string): string | null {
  const file = join(dataFolder, "kernels", KERNEL_NAME, "kernel.json");
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
      // There is no node in this folder.
    }
  }
  return node;
}
