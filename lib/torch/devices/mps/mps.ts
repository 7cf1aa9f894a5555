// Defines the `mps` namespace, after PyTorch's `torch.mps` and `torch.backends.mps`. Without a device, each call that
// needs one throws and says which state applies and what to do (`availability.ts`).
export type { Fallback, Simulation } from "../../engine/native_metal.ts";
import type { Fallback } from "../../engine/native_metal.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { UnavailableError } from "../../vocabulary/errors.ts";
import { DeviceEvent, type EventOptions } from "../event.ts";
export type { EventOptions } from "../event.ts";
import { availability, requireMetal } from "./availability.ts";
import { native, type MemoryStats } from "../../engine/native.ts";
import { checkSeed, readState, stateTensor } from "../../random/random.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { fallbacksTable } from "./view.ts";
import type { Tensor } from "../../tensor/tensor.ts";

export { metalKernels, operatorsWithoutMetal, supports } from "./metal_operators.ts";
export { availability, type Availability, type MetalState } from "./availability.ts";
export type { DescribedMachine } from "./machine.ts";
export { setPerProcessMemoryFraction } from "./limits.ts";
export * as profiler from "./profiler.ts";
export { compileShader, loadMetallib } from "./shading/library.ts";
export type { LaunchOptions, ShaderArgument, ShaderKernel, ShaderLibrary } from "./shading/library.ts";
export { ShaderError } from "./shading/kernels.ts";
export { currentStream, defaultStream, setStream, Stream, stream } from "./streams.ts";
export * as workarounds from "./workarounds/index.ts";
export { retryOnOutOfMemory } from "../../engine/out_of_memory.ts";
export { type PlantOptions, simulate, simulation } from "./simulated_metal.ts";
export type { SimulatedFault } from "../../vocabulary/simulated_faults.ts";
export type { SimulationOptions } from "../../vocabulary/simulation_options.ts";

/** Was libtorch built with mps? */
export function isBuilt(): boolean {
  return native.devices().built.includes("mps");
}

/** Is there an mps device to work on? */
export function isAvailable(): boolean {
  return availability().state === "ready";
}

/** 1 if there is an mps device to work on, otherwise 0. */
export function deviceCount(): number {
  return availability().state === "ready" ? 1 : 0;
}

function stats(call: string): MemoryStats {
  requireMetal(call);
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
  requireMetal("mps.emptyCache");
  return native.emptyCache("mps");
}

/** Waits until everything queued on the device is done. */
export function synchronize(): void {
  requireMetal("mps.synchronize");
  native.synchronize("mps");
}

/**
 * Operators that ran on the CPU because the simulated device lacks them, the most called first. With
 * `PYTORCH_ENABLE_MPS_FALLBACK=1` this is every one, without it those for which PyTorch always falls back. On a Mac
 * libtorch does not report them.
 */
export function fallbacks(): Fallback[] {
  requireMetal("mps.fallbacks");
  return shownAs(native.metalFallbacks(), fallbacksTable);
}

/** Seeds the device's generator: the same seed gives the same numbers again. */
export function manualSeed(seed: number | bigint): void {
  const checked = checkSeed("mps.manualSeed", seed);
  requireMetal("mps.manualSeed");
  native.manualSeed(checked, "mps");
}

/** Seeds the device's generator from the system's randomness, and returns the seed: a bigint beyond 2^53. */
export function seed(): number | bigint {
  requireMetal("mps.seed");
  return native.randomSeed("mps");
}

/** The state of the device's generator, as a uint8 tensor on the CPU. */
export function getRngState(): Tensor {
  requireMetal("mps.getRngState");
  return stateTensor(native.getRngState("mps"));
}

/**
 * Puts a state back that `getRngState` gave.
 *
 * @throws TypeError for a value that is not a uint8 tensor or a Uint8Array
 */
export function setRngState(state: Tensor | Uint8Array): void {
  const bytes = readState("mps.setRngState", state);
  requireMetal("mps.setRngState");
  native.setRngState("mps", bytes);
}

/** Returns Metal's name of the device: `Apple M2`, or `Simulated Metal`. */
export function getName(): string {
  requireMetal("mps.getName");
  return native.mps.deviceName();
}

/** Number of the GPU's cores; for a simulated device, those of the host. */
export function getCoreCount(): number {
  requireMetal("mps.getCoreCount");
  return native.mps.coreCount();
}

/** Whether the device runs on this macOS or a newer one. A simulated one behaves as on the newest. */
export function isMacosOrNewer(major: number, minor = 0): boolean {
  checkInteger("mps.isMacosOrNewer", "major", major, 0);
  checkInteger("mps.isMacosOrNewer", "minor", minor, 0);
  requireMetal("mps.isMacosOrNewer");
  return native.mps.isMacosOrNewer(major, minor);
}

/** Whether the device runs on macOS 13 or a newer one. */
export function isMacos13OrNewer(minor = 0): boolean {
  return isMacosOrNewer(13, minor);
}

/** A marker in the device's queue (`torch.mps.event.Event`). */
export class Event extends DeviceEvent {
  constructor(options?: EventOptions) {
    requireMetal("mps.Event");
    super("mps", "mps.Event", options);
  }

  /** @throws UnavailableError in any stream but the default one, as in PyTorch */
  override record(): void {
    requireDefaultStream("record");
    super.record();
  }

  /** @throws UnavailableError in any stream but the default one, as in PyTorch */
  override wait(): void {
    requireDefaultStream("wait");
    super.wait();
  }
}

function requireDefaultStream(method: string): void {
  const current = native.mps.currentStream();
  if (current === 0) return;
  throw new UnavailableError(
    `mps.Event.${method}: PyTorch has events in the default stream alone, but the current one is ${current}; wait for it with mps.currentStream().synchronize().`,
  );
}
