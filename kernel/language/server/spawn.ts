// Starts the native TypeScript server as a process. Imports nothing else of the kernel: the process starts while the
// rest is loaded.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { programName, socketFolder } from "../../../lib/platform/folders.ts";
import { thisSystem } from "../../../lib/platform/system.ts";

export type ServerProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Null if the compiler for this machine is not installed. If the process could not be started, it has no `pid`. */
export function spawnServer(directory: string): ServerProcess | null {
  const program = executable();
  if (program === null) return null;
  // The process makes a socket in this folder. The system limits the length of a socket's path.
  const env = { ...process.env, TMPDIR: socketFolder(`tsgo-api-${"0".repeat(16)}-${"0".repeat(16)}`) };
  const child = spawn(program, ["--lsp", "--stdio"], {
    cwd: directory,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.on("error", () => undefined); // Connecting to it reports the error.
  return child;
}

/** Name of the package with the compiler for this machine. */
export const COMPILER_PACKAGE = `@typescript/typescript-${thisSystem.name}-${thisSystem.architecture}`;

/** The native binary: TypeScript's own launcher is a Node process of 44 MB that only waits for it. */
function executable(): string | null {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  try {
    const manifest = createRequire(typescript).resolve(`${COMPILER_PACKAGE}/package.json`);
    return path.join(path.dirname(manifest), "lib", programName("tsc"));
  } catch {
    return null;
  }
}
