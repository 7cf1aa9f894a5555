// Reads how much memory programs may still take before the system has to swap or to reclaim some.
import { type System, thisSystem } from "./system.ts";

/**
 * The bytes of free pages and of pages that macOS takes back without writing anything. Node's own functions count only
 * free pages, of which a healthy Mac has few, because cached files fill the others. Null if the text is not an answer
 * of `vm_stat`.
 */
export function availableOfVmStat(text: string | null): number | null {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(text ?? "")?.[1] ?? Number.NaN);
  const pages = (name: string) =>
    Number(new RegExp(`^Pages ${name}:\\s+(\\d+)\\.$`, "m").exec(text ?? "")?.[1] ?? Number.NaN);
  const bytes = pageBytes * (pages("free") + pages("inactive") + pages("speculative"));
  return Number.isFinite(bytes) ? bytes : null;
}

const VM_STAT = "/usr/bin/vm_stat";

/** Null if neither the system nor Node reports it. */
export function availableBytes(system: System = thisSystem): number | null {
  return system.name === "darwin" ? availableOfVmStat(system.answerOf(VM_STAT, [])) : ofNode();
}

/** As `availableBytes`, without blocking this process. */
export async function availableBytesLater(system: System = thisSystem): Promise<number | null> {
  return system.name === "darwin" ? availableOfVmStat(await system.answerLater(VM_STAT, [])) : ofNode();
}

const ofNode = (): number | null => process.availableMemory?.() ?? null;
