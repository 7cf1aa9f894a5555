// Paths of the parts of this installation. Does not read the files.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Found by the package's own name: the same from the sources and from `dist/`. */
export const PROJECT_ROOT = dirname(createRequire(import.meta.url).resolve("mpslab/package.json"));

export const KERNEL_MAIN = join(PROJECT_ROOT, "dist", "kernel", "main.js");
export const ADDON = join(PROJECT_ROOT, "build", "native", "Release", "mpslab.node");

/** A program of the project's Python environment. */
export function venvProgram(name: string): string {
  return join(PROJECT_ROOT, ".venv", "bin", name);
}

/** Says what is wrong and what to do, in one sentence. It is printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
