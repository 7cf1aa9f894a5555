// Memory and processor use of the kernel's processes, for `usage_request`. Asks the system's own `ps`, so that
// Linux and macOS answer alike; knows nothing of what the processes do.
import { execFile } from "node:child_process";
import { availableParallelism, freemem, hostname, totalmem } from "node:os";
import { promisify } from "node:util";
import type { Json } from "./protocol/messages.ts";

const run = promisify(execFile);

export async function usage(pids: readonly number[]): Promise<Json> {
  // One line a process: resident KiB, percent of one processor.
  const { stdout } = await run("ps", ["-o", "rss=,pcpu=", "-p", pids.join(",")]);
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const sum = (column: number): number =>
    processes.reduce((total, fields) => total + (fields[column] ?? 0), 0);
  const total = totalmem();
  const available = freemem();
  return {
    hostname: hostname(),
    pid: process.pid,
    kernel_memory: sum(0) * 1024,
    kernel_cpu: sum(1),
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
