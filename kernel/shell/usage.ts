// Measures memory and processor use of the kernel's processes for `usage_request`. Reads its own process from Node, and
// the others from /proc or, without it, from `ps`. A process that cannot be measured is left out: it may have just
// ended, and a container may have no `ps`.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, freemem, hostname, totalmem } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Json } from "../protocol/messages.ts";

interface ProcessUsage {
  readonly residentBytes: number;
  /** Percent of one processor, since the process began. */
  readonly cpuPercent: number;
}

const run = promisify(execFile);
/** The unit in which Linux gives processor times to programs, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/** @param procFolder where Linux shows its processes */
export async function usage(pids: readonly number[], procFolder = "/proc"): Promise<Json> {
  const others = pids.filter((pid) => pid !== process.pid);
  const processes = existsSync(path.join(procFolder, "uptime"))
    ? others.flatMap((pid) => fromProc(procFolder, pid))
    : await fromPs(others);
  if (others.length < pids.length) processes.push(ownUsage());
  const total = totalmem();
  const available = freemem();
  return {
    hostname: hostname(),
    pid: process.pid,
    ...(processes.length === 0 ? {} : summed(processes)),
    cpu_count: availableParallelism(),
    host_virtual_memory: {
      total,
      available,
      free: available,
      used: total - available,
      percent: (100 * (total - available)) / total,
    },
  };
}

function summed(processes: readonly ProcessUsage[]): Json {
  return {
    kernel_memory: processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    kernel_cpu: processes.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0),
  };
}

function ownUsage(): ProcessUsage {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const seconds = (userCPUTime + systemCPUTime) / 1e6;
  return { residentBytes: process.memoryUsage.rss(), cpuPercent: (100 * seconds) / process.uptime() };
}

/** Empty if the process is gone. */
function fromProc(folder: string, pid: number): ProcessUsage[] {
  const read = (...names: string[]): string => readFileSync(path.join(folder, ...names), "utf8");
  try {
    const residentKib = Number(/^VmRSS:\s*(\d+) kB$/m.exec(read(`${pid}`, "status"))?.[1] ?? 0);
    const stat = read(`${pid}`, "stat");
    // The fields are read from the third on. The second is the program's name in brackets, which may hold anything.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [userTicks = 0, systemTicks = 0] = fields.slice(11, 13);
    const startTicks = fields[19] ?? 0;
    const ageTicks = Number.parseFloat(read("uptime")) * TICKS_PER_SECOND - startTicks;
    const cpuPercent = ageTicks > 0 ? (100 * (userTicks + systemTicks)) / ageTicks : 0;
    return [{ residentBytes: residentKib * 1024, cpuPercent }];
  } catch {
    return [];
  }
}

/** `ps` fails where it does not exist, where it does not know these columns, and where it finds no process. */
async function fromPs(pids: readonly number[]): Promise<ProcessUsage[]> {
  // One line a process: resident KiB, percent of one processor.
  const listed = await run("ps", ["-o", "rss=,pcpu=", "-p", pids.join(",")]).catch(() => ({ stdout: "" }));
  const lines = listed.stdout.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [residentKib = 0, cpuPercent = 0] = line.trim().split(/\s+/).map(Number);
    return { residentBytes: residentKib * 1024, cpuPercent };
  });
}
