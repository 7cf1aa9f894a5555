// Defines the `cpu` namespace: host memory under the names that `mps` uses for Metal's memory, so that a limit can be
// tried without a GPU. The CPU is always available and needs no waiting.
import { checkNumber } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";

/** Bytes of live tensors in host memory. */
export function currentAllocatedMemory(): number {
  return native.memoryStats("cpu").allocatedBytes;
}

/** Bytes that the allocator holds from the system, caches included. */
export function driverAllocatedMemory(): number {
  return native.memoryStats("cpu").driverBytes;
}

/** Bytes of host memory to stay under. */
export function recommendedMaxMemory(): number {
  return native.memoryStats("cpu").recommendedBytes;
}

/** Gives cached memory back to the system. Returns the bytes given back. */
export function emptyCache(): number {
  return native.emptyCache("cpu");
}

/**
 * Limits tensors in host memory to a fraction of the recommended memory, 0 to 2: above it allocations fail with
 * OutOfMemoryError, after a garbage collection has run and the caches were emptied. 0 means no limit.
 */
export function setPerProcessMemoryFraction(fraction: number): void {
  checkNumber("cpu.setPerProcessMemoryFraction", "fraction", fraction, { min: 0, max: 2 });
  native.setHostLimits({ highWatermark: fraction, lowWatermark: fraction === 0 ? 1 : Math.min(1, fraction) });
}
