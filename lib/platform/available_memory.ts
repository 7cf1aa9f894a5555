// How much memory programs may still take before the system has to find some.
import { type System, thisSystem } from "./system.ts";

/**
 * Free pages and those that macOS takes back without writing anything. Node's own functions count the free ones only,
 * which are few on a healthy Mac: files that were read fill the others. Null where `vm_stat` gives no answer.
 */
export function availableOfVmStat(text: string | null): number | null {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(text ?? "")?.[1] ?? Number.NaN);
  const pages = (name: string) =>
    Number(new RegExp(`^Pages ${name}:\\s+(\\d+)\\.$`, "m").exec(text ?? "")?.[1] ?? Number.NaN);
  const bytes = pageBytes * (pages("free") + pages("inactive") + pages("speculative"));
  return Number.isFinite(bytes) ? bytes : null;
}

const VM_STAT = "/usr/bin/vm_stat";

/** Null where neither the system nor Node says. */
export function availableBytes(system: System = thisSystem): number | null {
  return system.name === "darwin" ? availableOfVmStat(system.answerOf(VM_STAT, [])) : ofNode();
}

/** The same without keeping this process waiting. */
export async function availableBytesLater(system: System = thisSystem): Promise<number | null> {
  return system.name === "darwin" ? availableOfVmStat(await system.answerLater(VM_STAT, [])) : ofNode();
}

const ofNode = (): number | null => process.availableMemory?.() ?? null;
