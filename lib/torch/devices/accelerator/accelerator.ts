// Defines the `accelerator` namespace: the calls that mps, cuda and cpu share, on the session's device or on a named
// one. So one cell can measure any of them. PyTorch's `torch.accelerator` leaves the CPU out.
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { device, requireDevice } from "../../engine/device.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { memoryStatsTable } from "../memory_view.ts";
import { DeviceEvent, type EventOptions } from "../event.ts";
export type { EventOptions } from "../event.ts";
export { retryOnOutOfMemory } from "../../engine/out_of_memory.ts";
import { type MemoryStats, native } from "../../engine/native.ts";

export { type Placed, requireSameDevice } from "./same_device.ts";

const named = (name: string | undefined): DeviceName => (name === undefined ? device() : requireDevice(name));

/** The accelerator of this machine, `mps` or `cuda`; null if there is only the CPU. */
export function currentAccelerator(): DeviceName | null {
  const { available } = native.devices();
  return (available.find((one) => one !== "cpu")?.replace(/:0$/, "") as DeviceName | undefined) ?? null;
}

/** Is there an `mps` or `cuda` device to work on? */
export function isAvailable(): boolean {
  return currentAccelerator() !== null;
}

/** Number of accelerators of this machine; 0 if there is only the CPU. */
export function deviceCount(): number {
  return native.devices().available.filter((one) => one !== "cpu").length;
}

/** All counters of a device at once, in bytes. Default: the session's device. */
export function memoryStats(device?: DeviceName): MemoryStats {
  return shownAs(native.memoryStats(named(device)), memoryStatsTable);
}

/** Bytes of live tensors on a device. Default: the session's. */
export function memoryAllocated(device?: DeviceName): number {
  return memoryStats(device).allocatedBytes;
}

/** Bytes that the allocator holds from the driver or the system, caches included. */
export function memoryReserved(device?: DeviceName): number {
  return memoryStats(device).driverBytes;
}

/** Most bytes that live tensors held since the start or `resetPeakMemoryStats`. */
export function maxMemoryAllocated(device?: DeviceName): number {
  return memoryStats(device).peakBytes;
}

/** Resets `maxMemoryAllocated` to what is live now. Default: the session's device. */
export function resetPeakMemoryStats(device?: DeviceName): void {
  native.resetPeak(named(device));
}

/** Gives cached blocks back to the driver or the system. Returns their bytes. */
export function emptyCache(device?: DeviceName): number {
  return native.emptyCache(named(device));
}

/** Waits until everything queued is done. The CPU's operators are done when they return. */
export function synchronize(device?: DeviceName): void {
  native.synchronize(named(device));
}

/** A marker in a device's queue. */
export class Event extends DeviceEvent {
  constructor(options?: EventOptions, device?: DeviceName) {
    super(named(device), "accelerator.Event", options);
  }
}
