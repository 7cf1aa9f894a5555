// The processes of this machine: parents, ages, memory. Linux shows them in /proc, other systems by `ps`.
import { type System, thisSystem } from "./system.ts";

/** Every process with its parent. */
export function processParents(system: System = thisSystem): [pid: number, parent: number][] {
  if (system.name !== "linux")
    return numbersIn(system.answerOf("/bin/ps", ["-A", "-o", "pid=,ppid="])) as [number, number][];
  return system.namesIn("/proc").flatMap((name): [number, number][] => {
    const fields = /^\d+$/.test(name) ? statOf(name, system) : null;
    return fields === null ? [] : [[Number(name), Number(fields[1])]];
  });
}

/**
 * When a process began: on Linux the boot's id and ticks since that boot, on macOS a date. Null if it has ended or the
 * system does not report it.
 */
export function beganAt(pid: number, system: System = thisSystem): string | null {
  if (system.name !== "linux")
    return system.answerOf("/bin/ps", ["-o", "lstart=", "-p", String(pid)])?.trim() || null;
  const fields = statOf(String(pid), system);
  // A zombie: the process has ended, but its parent has not collected it yet.
  if (fields === null || fields[0] === "Z" || fields[0] === "X") return null;
  const boot = system.textOf("/proc/sys/kernel/random/boot_id");
  return boot === null ? null : `${boot.trim()} ${fields[19]}`;
}

export interface ProcessUsage {
  readonly residentBytes: number;
  /** Processor time as percent of one processor, since the process began. */
  readonly cpuPercent: number;
}

/** A process that cannot be measured is left out: it may have just ended, or a container may lack `ps`. */
export async function processUsages(
  pids: readonly number[],
  system: System = thisSystem,
): Promise<ProcessUsage[]> {
  if (system.textOf("/proc/uptime") !== null) return pids.flatMap((pid) => usageInProc(pid, system));
  // Each line is a process: resident memory in KiB, and percent of one processor.
  const listed = await system.answerLater("/bin/ps", ["-o", "rss=,pcpu=", "-p", pids.join(",")]);
  return numbersIn(listed).map(([residentKib = 0, cpuPercent = 0]) => ({
    residentBytes: residentKib * 1024,
    cpuPercent,
  }));
}

/** The unit in which Linux reports processor times to programs, whatever its own clock. */
const TICKS_PER_SECOND = 100;

function usageInProc(pid: number, system: System): ProcessUsage[] {
  const status = system.textOf(`/proc/${pid}/status`);
  const fields = statOf(String(pid), system)?.map(Number);
  const uptime = system.textOf("/proc/uptime");
  if (status === null || fields === undefined || uptime === null) return [];
  const residentKib = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  const [userTicks = 0, systemTicks = 0] = fields.slice(11, 13);
  const ageTicks = Number.parseFloat(uptime) * TICKS_PER_SECOND - (fields[19] ?? 0);
  const cpuPercent = ageTicks > 0 ? (100 * (userTicks + systemTicks)) / ageTicks : 0;
  return [{ residentBytes: residentKib * 1024, cpuPercent }];
}

/**
 * The fields of `12 (a name) S 3 ...` from the third on. The name may contain anything, so fields are counted from its
 * closing bracket.
 */
function statOf(pid: string, system: System): string[] | null {
  const stat = system.textOf(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The numbers in each line that contains some. */
function numbersIn(text: string | null): number[][] {
  return (text ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.trim().split(/\s+/).map(Number));
}
