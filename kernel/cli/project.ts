// Paths of the parts of this installation. Does not read the files.
import { join } from "node:path";
import { bundledProgram, PACKAGE_ROOT, pythonPrefix } from "../../lib/installation/package.ts";

export const PROJECT_ROOT = PACKAGE_ROOT;

export const KERNEL_MAIN = bundledProgram("kernel/main.js");

/** A program of the Python environment that opens notebooks. */
export function venvProgram(name: string): string {
  return join(pythonPrefix(), "bin", name);
}

/** Says what is wrong and what to do, in one sentence. It is printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
