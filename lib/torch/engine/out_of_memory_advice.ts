// Writes the advice of an OutOfMemoryError, ordered, with the numbers of the request that failed. Leaves out what
// could not help. Parses the texts of the allocators.
import type { DeviceName } from "../vocabulary/device_name.ts";
import { formatBytes } from "../../units.ts";
import type { MemoryStats } from "./native.ts";

export interface Shortage {
  readonly device: DeviceName | null;
  /** The memory of that device; null if the device is not known. */
  readonly memory: MemoryStats | null;
  /** The allocator's text: `Tried to allocate 1.88 GiB on shared pool`. */
  readonly text: string;
  /** The free memory of the machine, if that limits a simulated device and no setting does. */
  readonly hostLimitBytes: number | null;
}

/** The size of the request and the allocator's limit; null for what its text does not contain. */
interface Request {
  readonly wantedBytes: number | null;
  readonly limitBytes: number | null;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
const SIZE = String.raw`([\d.]+) (bytes|B|[KMGT]i?B)\b`;
/** Texts of MPS, of CUDA, and of the host's allocator (`native/memory/allocator.cc`). */
const WANTED = [`Tried to allocate ${SIZE}`, `Invalid buffer size: ${SIZE}`, `${SIZE} wanted`];
const LIMIT = [`max allowed: ${SIZE}`, `${SIZE} allowed`];

/** The largest fraction that `setPerProcessMemoryFraction` takes, apart from 0, which is no limit. */
const MAX_FRACTION = 2;

function sizeIn(text: string, patterns: readonly string[]): number | null {
  for (const pattern of patterns) {
    const [, number, unit] = new RegExp(pattern).exec(text) ?? [];
    if (number === undefined || unit === undefined) continue;
    const power = UNITS.findIndex((name) => name[0]!.toLowerCase() === unit[0]!.toLowerCase());
    return Number(number) * 1024 ** power;
  }
  return null;
}

const requestIn = (text: string): Request => ({
  wantedBytes: sizeIn(text, WANTED),
  limitBytes: sizeIn(text, LIMIT),
});

/** `What helps, in this order:`, and below it `  1. a smaller batch or shorter sequences`. */
export function adviceLines(shortage: Shortage): string[] {
  const steps = stepsFor(shortage);
  if (steps.length === 1) return [`What helps: ${steps[0]}.`];
  return ["What helps, in this order:", ...steps.map((step, i) => `  ${i + 1}. ${step}`)];
}

/** The advice in order: first less work, last higher limits, as PyTorch and Apple recommend. */
function stepsFor({ device, memory, text, hostLimitBytes }: Shortage): string[] {
  const steps = ["a smaller batch or shorter sequences"];
  if (device === null || memory === null) return steps;
  const { wantedBytes, limitBytes: limitInText } = requestIn(text);
  const limitBytes = limitInText ?? hostLimitBytes;
  if (text.includes("Invalid buffer size"))
    return [...steps, "the same work in parts, as with chunk() (Metal takes no single buffer of this size)"];

  const { allocatedBytes, driverBytes, recommendedBytes } = memory;
  const largerThanLimit = wantedBytes !== null && limitBytes !== null && wantedBytes > limitBytes;
  if (allocatedBytes > 0 && !largerThanLimit) {
    // Before it fails, each allocator has returned all blocks that no tensor uses. So emptyCache() would not help.
    const freeBytes = Math.max(0, driverBytes - allocatedBytes);
    const matters = freeBytes > (wantedBytes ?? 0) / 10;
    const free = matters ? `, and keep ${formatBytes(freeBytes)} that are free between them` : "";
    steps.push(
      `tidy(), dispose() and item() instead of kept losses (tensors hold ${formatBytes(allocatedBytes)}${free})`,
    );
  }
  if (wantedBytes === null || limitBytes === null) return steps;
  if (hostLimitBytes !== null)
    return [
      ...steps,
      `a machine with more memory (the limit is the ${formatBytes(hostLimitBytes)} that this one had free)`,
    ];
  // The limit counts all memory that the allocator holds, including its free blocks.
  const fraction = Math.ceil((10 * (driverBytes + wantedBytes)) / recommendedBytes) / 10;
  if (fraction <= MAX_FRACTION)
    steps.push(
      `${device}.setPerProcessMemoryFraction(${fraction}) (${formatBytes(recommendedBytes)} are recommended; beyond them the system may swap)`,
    );
  return steps;
}
