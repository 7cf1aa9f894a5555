// The system under this process: its name, its files and its programs. Everything that differs between Linux and macOS
// asks here, and takes a system as an argument, so that recorded answers of a Mac can stand in for one.
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
  /** What a program prints; null where it does not run, fails, or takes longer than a second. */
  answerOf(program: string, args: readonly string[]): string | null;
  /** The same without keeping this process waiting. */
  answerLater(program: string, args: readonly string[]): Promise<string | null>;
  /** The text of a file, null where it cannot be read. */
  textOf(file: string): string | null;
  /** Names of a folder's files, none where it cannot be read. */
  namesIn(folder: string): string[];
}

/** A program of the system answers in milliseconds; one that hangs must not stop a cell. */
const ANSWER_MS = 1_000;

/** The same numbers and dates for every user: `ps` writes both as the environment says. */
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
