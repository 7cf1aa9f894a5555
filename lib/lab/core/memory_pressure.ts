// Reads the machine's memory: what is available, swap in use, pressure. It reads the system's files and tools; what a
// system does not report is null.
import { availableBytes } from "../../platform/available_memory.ts";
import { type System, thisSystem } from "../../platform/system.ts";
import type { MemoryPressure } from "../../records/epochs.ts";

export interface MachineMemory {
  readonly availableBytes: number | null;
  readonly swapBytes: number | null;
  readonly pressure: MemoryPressure | null;
}

/** Percent of the last ten seconds in which some (or all) tasks were stalled by lack of memory. */
const STALL_PERCENT = { some: 10, full: 10 };

/** How long an answer is reused: on macOS it comes from processes that take milliseconds to start. */
const ANSWER_AGE_MS = 1_000;

let last: { readonly system: System; readonly readAtMs: number; readonly memory: MachineMemory } | null =
  null;

export function machineMemory(system: System = thisSystem): MachineMemory {
  if (system.name !== "darwin")
    return {
      availableBytes: availableBytes(system),
      swapBytes: swapOfMeminfo(system.textOf("/proc/meminfo")),
      pressure: pressureOfStalls(system.textOf("/proc/pressure/memory")),
    };
  const nowMs = performance.now();
  if (last?.system !== system || nowMs - last.readAtMs > ANSWER_AGE_MS)
    last = { system, readAtMs: nowMs, memory: memoryOfMac(system) };
  return last.memory;
}

function memoryOfMac(system: System): MachineMemory {
  const names = ["vm.swapusage", "kern.memorystatus_vm_pressure_level"];
  return {
    availableBytes: availableBytes(system),
    ...swapAndPressureOfSysctl(system.answerOf("/usr/sbin/sysctl", ["-n", ...names])),
  };
}

/** `SwapTotal: 2097148 kB` and `SwapFree: 2097148 kB` -> 0 */
export function swapOfMeminfo(text: string | null): number | null {
  const total = /^SwapTotal:\s+(\d+) kB$/m.exec(text ?? "");
  const free = /^SwapFree:\s+(\d+) kB$/m.exec(text ?? "");
  return total && free ? (Number(total[1]) - Number(free[1])) * 1024 : null;
}

/** `some avg10=12.50 avg60=...` and `full avg10=0.00 ...` -> warning */
export function pressureOfStalls(text: string | null): MemoryPressure | null {
  const some = /^some avg10=([\d.]+)/m.exec(text ?? "");
  const full = /^full avg10=([\d.]+)/m.exec(text ?? "");
  if (!some || !full) return null;
  if (Number(full[1]) >= STALL_PERCENT.full) return "critical";
  return Number(some[1]) >= STALL_PERCENT.some ? "warning" : "normal";
}

/** `total = 2048.00M  used = 512.25M  free = 1535.75M  (encrypted)` and `1` -> 537133056 and normal */
export function swapAndPressureOfSysctl(text: string | null): Omit<MachineMemory, "availableBytes"> {
  const used = /\bused = ([\d.]+)M/.exec(text ?? "");
  const level = /^([124])$/m.exec(text ?? "");
  const words: Record<string, MemoryPressure> = { "1": "normal", "2": "warning", "4": "critical" };
  return {
    swapBytes: used ? Math.round(Number(used[1]) * 1024 * 1024) : null,
    pressure: level ? (words[level[1] as string] ?? null) : null,
  };
}
