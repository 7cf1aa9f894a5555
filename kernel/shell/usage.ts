// Measures memory and processor use of the kernel's processes for `usage_request`: its own by Node, the others' by the
// system.
import { availableParallelism, freemem, hostname, totalmem } from "node:os";
import { availableBytesLater } from "../../lib/platform/available_memory.ts";
import { type ProcessUsage, processUsages } from "../../lib/platform/processes.ts";
import { type System, thisSystem } from "../../lib/platform/system.ts";
import type { Json } from "../protocol/messages.ts";

export async function usage(pids: readonly number[], system: System = thisSystem): Promise<Json> {
  const others = pids.filter((pid) => pid !== process.pid);
  const [processes, availableBytes] = await Promise.all([
    processUsages(others, system),
    availableBytesLater(system),
  ]);
  if (others.length < pids.length) processes.push(ownUsage());
  const total = totalmem();
  const available = availableBytes ?? freemem();
  return {
    hostname: hostname(),
    pid: process.pid,
    ...(processes.length === 0 ? {} : summed(processes)),
    cpu_count: availableParallelism(),
    host_virtual_memory: {
      total,
      available,
      free: freemem(),
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
