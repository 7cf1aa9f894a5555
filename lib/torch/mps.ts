// The `mps` namespace: what PyTorch's `torch.mps` and `torch.backends.mps` say and do. Each call that needs the device
// says, where it is missing, which of two reasons holds: libtorch was built without it, or this machine has none.
import { arch, platform } from "node:process";
import { checkNumber } from "./arguments.ts";
import { DeviceEvent, type EventOptions } from "./event.ts";
import type { Fallback } from "./metal_operators.ts";
import { native, type MemoryStats } from "./native.ts";

export { type Fallback, metalKernels, operatorsWithoutMetal, supports } from "./metal_operators.ts";
export { simulate, simulation, type Simulation } from "./simulated_metal.ts";
export type { SimulationOptions } from "./simulation_options.ts";

/** Was libtorch built with mps? */
export function isBuilt(): boolean {
  return native.devices().built.includes("mps");
}

/** Is there an mps device to work on? */
export function isAvailable(): boolean {
  return native.devices().available.includes("mps");
}

export function deviceCount(): number {
  return isAvailable() ? 1 : 0;
}

function requireDevice(call: string): void {
  if (isAvailable()) return;
  const { available } = native.devices();
  const way = `Here are ${available.join(", ")}: work on one of those, simulate Metal with mps.simulate(), or go to a Mac.`;
  throw new TypeError(
    isBuilt()
      ? `${call}: libtorch was built with mps, but this machine has no usable Apple GPU (macOS 14 or newer on Apple silicon). ${way}`
      : `${call}: this libtorch ${native.version} (${platform} ${arch}) was built without mps. ${way}`,
  );
}

function stats(call: string): MemoryStats {
  requireDevice(call);
  return native.memoryStats("mps");
}

/** Bytes of live tensors on the device. */
export function currentAllocatedMemory(): number {
  return stats("mps.currentAllocatedMemory").allocatedBytes;
}

/** Bytes that the driver holds for this process, caches included. */
export function driverAllocatedMemory(): number {
  return stats("mps.driverAllocatedMemory").driverBytes;
}

/** Bytes that Metal recommends to stay under. */
export function recommendedMaxMemory(): number {
  return stats("mps.recommendedMaxMemory").recommendedBytes;
}

/** Waits for the device, then gives cached memory back to it. Returns the bytes given back. */
export function emptyCache(): number {
  requireDevice("mps.emptyCache");
  return native.emptyCache("mps");
}

/** Waits until everything queued on the device is done. */
export function synchronize(): void {
  requireDevice("mps.synchronize");
  native.synchronize("mps");
}

/**
 * Limits this process to a fraction of the recommended memory, 0 to 2: above it allocations fail with
 * OutOfMemoryError. 0 is no limit at all, and the machine may start to swap or stop.
 */
export function setPerProcessMemoryFraction(fraction: number): void {
  checkNumber("mps.setPerProcessMemoryFraction", "fraction", fraction, { least: 0, most: 2 });
  requireDevice("mps.setPerProcessMemoryFraction");
  native.setMemoryFraction("mps", fraction);
}

/**
 * Operators that ran on the CPU because the simulated device lacks them, the most called first: under
 * `PYTORCH_ENABLE_MPS_FALLBACK=1` every one, without it those that PyTorch always lets fall back. A Mac's own libtorch
 * does not tell them.
 */
export function fallbacks(): Fallback[] {
  requireDevice("mps.fallbacks");
  return native.metalFallbacks();
}

export function manualSeed(seed: number | bigint): void {
  requireDevice("mps.manualSeed");
  native.manualSeed(seed, "mps");
}

export function getRngState(): Uint8Array {
  requireDevice("mps.getRngState");
  return native.getRngState("mps");
}

export function setRngState(state: Uint8Array): void {
  requireDevice("mps.setRngState");
  native.setRngState("mps", state);
}

/** A marker in the device's queue (`torch.mps.event.Event`). */
export class Event extends DeviceEvent {
  constructor(options?: EventOptions) {
    requireDevice("mps.Event");
    super("mps", "mps.Event", options);
  }
}
