// A disk that can become full, and get room again, under everything that the soaked kernel writes. Where this user may
// mount, it is a tmpfs that shrinks to what lies on it: writes fail with ENOSPC. Elsewhere the kernel's processes are
// forbidden to lengthen files (RLIMIT_FSIZE): writes fail with EFBIG.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Disk {
  /** Where the kernel's notebook, history and temporary files lie. */
  readonly folder: string;
  /** How it becomes full, for the report. */
  readonly how: string;
  /** @param pids the kernel's processes: those that they start are full too */
  fill(pids: readonly number[]): void;
  free(pids: readonly number[]): void;
  close(): void;
}

export function makeDisk(folder: string): Disk {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", ROOMY, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return limitedFiles(folder);
  }
  return shrinkingDisk(folder);
}

/** Nothing of it is taken before it is written. A day of history takes half a gigabyte. */
const ROOMY = "size=4g";
const PAGE_BYTES = 4096;

function shrinkingDisk(folder: string): Disk {
  const remount = (size: string) =>
    execFileSync("mount", ["-o", `remount,${size}`, folder], { stdio: "ignore" });
  const filler = path.join(folder, "filler");
  return {
    folder,
    how: "a tmpfs that shrinks to what lies on it (ENOSPC)",
    fill: () => {
      const { blocks, bfree, bsize } = statfsSync(folder);
      // The kernel may write meanwhile: the rest is filled up.
      remount(`size=${(blocks - bfree) * bsize + 16 * PAGE_BYTES}`);
      try {
        for (let pages = 0; ; pages++) writeFileSync(filler, Buffer.alloc(PAGE_BYTES), { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    free: () => {
      remount(ROOMY);
      rmSync(filler, { force: true });
    },
    close: () => void execFileSync("umount", ["--lazy", folder]),
  };
}

function limitedFiles(folder: string): Disk {
  const limit = (pids: readonly number[], soft: (hard: string) => string) => {
    for (const pid of pids) {
      try {
        const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
        const hard = /^Max file size +\S+ +(\S+)/m.exec(limits)![1]!;
        execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${soft(hard)}:${hard}`]);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  return {
    folder,
    how: "RLIMIT_FSIZE, because this user may not mount (EFBIG)",
    fill: (pids) => limit(pids, () => "0"),
    free: (pids) => limit(pids, (hard) => hard),
    close: () => {},
  };
}
