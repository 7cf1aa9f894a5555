// Memory of a soaked kernel's processes: resident and anonymous pages from /proc, V8's figures from the probe.
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** In units of 1,000,000 bytes. */
export interface ProcessFigures {
  readonly resident: number;
  readonly anonymous: number;
  /** Null for the TypeScript server, which is no program of Node's. */
  readonly heap: number | null;
  readonly external: number | null;
}

export type Processes = Readonly<Record<"kernel" | "session" | "language", number | undefined>>;

/**
 * Finds the processes by the kernel's children: the session runs the same program as the kernel, the TypeScript server
 * another.
 */
export function findProcesses(kernel: number): Processes {
  const program = readlinkSync(`/proc/${kernel}/exe`);
  const children = readdirSync(`/proc/${kernel}/task`)
    .flatMap((task) => readFileSync(`/proc/${kernel}/task/${task}/children`, "utf8").split(" "))
    .filter(Boolean)
    .map(Number);
  const isNode = (pid: number): boolean => readlinkSync(`/proc/${pid}/exe`) === program;
  return { kernel, session: children.find(isNode), language: children.find((pid) => !isNode(pid)) };
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
    heap: usage && usage.heapUsed / 1e6,
    external: usage && usage.external / 1e6,
  };
}

async function ask(pid: number, folder: string): Promise<NodeJS.MemoryUsage> {
  const file = path.join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await delay(10);
  return JSON.parse(readFileSync(file, "utf8")) as NodeJS.MemoryUsage;
}
