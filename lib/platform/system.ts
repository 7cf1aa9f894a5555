// The system under this process: its name, its files and its programs. Code that differs between Linux and macOS asks
// this object, and takes it as an argument, so that recorded answers can stand in for a Mac.
import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";

export interface System {
  /** As Node names it: `linux`, `darwin` (macOS), `win32`. */
  readonly name: NodeJS.Platform;
  /** The architecture of this process: x64 under Rosetta on an Apple processor. */
  readonly architecture: NodeJS.Architecture;
  /** Version of the kernel: of macOS that of Darwin, `24.6.0`. */
  readonly release: string;
  /** What a program prints; null if it cannot be started, fails, or takes longer than a second. */
  answerOf(program: string, args: readonly string[]): string | null;
  /** As `answerOf`, without blocking this process. */
  answerLater(program: string, args: readonly string[]): Promise<string | null>;
  /** The text of a file; null if it cannot be read. */
  textOf(file: string): string | null;
  /** The names in a folder; empty if it cannot be read. */
  namesIn(folder: string): string[];
}

/** Programs of the system answer within milliseconds; one that hangs must not block a cell. */
const ANSWER_MS = 1_000;

/** The environment in which numbers and dates are the same for every user: `ps` formats both by it. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: "C", TZ: "UTC" });

export const thisSystem: System = {
  name: process.platform,
  architecture: process.arch,
  release: os.release(),
  answerOf(program, args) {
    try {
      return execFileSync(program, args, {
        encoding: "utf8",
        env: environment(),
        timeout: ANSWER_MS,
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      return null;
    }
  },
  answerLater: (program, args) =>
    new Promise((resolve) => {
      execFile(program, args, { env: environment(), timeout: ANSWER_MS }, (error, stdout) =>
        resolve(error === null ? stdout : null),
      );
    }),
  textOf(file) {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return null;
    }
  },
  namesIn(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
};
