// The processes of a soaked kernel, as Linux lists them in /proc: which is which, what they hold, and who has stayed behind.
// V8's figures come from the probe.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { treeOf } from "../helpers/process_tree.ts";

/** Memory in units of 1,000,000 bytes. */
export interface ProcessFigures {
  readonly resident: number;
  readonly anonymous: number;
  readonly descriptors: number;
  /** Null for the TypeScript server, which is no program of Node's, and where there is no probe. */
  readonly heap: number | null;
  readonly external: number | null;
}

export type ProcessName = "kernel" | "session" | "language";
export type Processes = Readonly<Record<ProcessName, number | undefined>>;

/** Names the variable with the soak's folder, which every process of the kernel inherits. */
export const FOLDER_VARIABLE = "MPSLAB_SOAK_FOLDER";

/**
 * Finds the processes by the kernel's children: the session runs the same program as the kernel, the TypeScript server
 * another.
 */
export function findProcesses(kernel: number): Processes {
  const program = programOf(kernel);
  const children = readdirSync(`/proc/${kernel}/task`)
    .flatMap((task) => readFileSync(`/proc/${kernel}/task/${task}/children`, "utf8").split(" "))
    .filter(Boolean)
    .map(Number)
    .filter((pid) => programOf(pid) !== null);
  const isNode = (pid: number): boolean => programOf(pid) === program;
  return { kernel, session: children.find(isNode), language: children.find((pid) => !isNode(pid)) };
}

/** Null for a process that has ended, and for a zombie. */
function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}

/** Collects the process's garbage first, where it has a probe. */
export async function figuresOf(pid: number, folder: string, probed: boolean): Promise<ProcessFigures> {
  const usage = probed ? await ask(pid, folder) : null;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1]) * 1024) / 1e6;
  return {
    resident: megabytes("Rss"),
    anonymous: megabytes("Anonymous"),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    heap: usage && usage.heapUsed / 1e6,
    external: usage && usage.external / 1e6,
  };
}

async function ask(pid: number, folder: string): Promise<NodeJS.MemoryUsage> {
  const file = path.join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await delay(10);
  const usage = JSON.parse(readFileSync(file, "utf8")) as NodeJS.MemoryUsage;
  rmSync(file);
  return usage;
}

/** In units of 1,000,000 bytes. */
export function residentOf(pid: number): number {
  return (Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024) / 1e6;
}

/** Processes that the kernel has started, and that it has lost or not waited for; each in words. */
export function straysOf(kernel: number, folder: string): string[] {
  const tree = new Set(treeOf(kernel));
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      try {
        const state = / (\w) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, ""))?.[1];
        if (state === "Z") return tree.has(pid) ? [`zombie ${pid}`] : [];
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (tree.has(pid) || !environment.includes(`${FOLDER_VARIABLE}=${folder}`)) return [];
        return [`orphan ${pid} (${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")})`];
      } catch {
        // It has ended, or is another user's.
        return [];
      }
    });
}
