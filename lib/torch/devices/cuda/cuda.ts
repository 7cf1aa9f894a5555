// Defines the `cuda` namespace: what PyTorch's `torch.cuda` reports of NVIDIA GPUs and their memory, for the
// session's one stream. Without a GPU, each call that needs one throws and names which of two reasons applies.
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { requireDevice } from "../../engine/device.ts";
import { DeviceEvent, type EventOptions } from "../event.ts";
import { type MemoryStats, native } from "../../engine/native.ts";

export type { EventOptions } from "../event.ts";

type CudaDevice = "cuda" | `cuda:${number}`;

/** Was libtorch built with CUDA? On Linux without a GPU set-up installs the part without it. */
export function isBuilt(): boolean {
  return native.devices().built.includes("cuda");
}

/** Is there a `cuda` device to work on? */
export function isAvailable(): boolean {
  return deviceCount() > 0;
}

/** NVIDIA GPUs that this libtorch can use; 0 where it has no CUDA, or no driver is there. */
export function deviceCount(): number {
  return native.devices().available.filter((device) => device.startsWith("cuda")).length;
}

function checked(call: string, device: DeviceName): DeviceName {
  if (!isAvailable()) {
    const { available } = native.devices();
    throw new TypeError(
      isBuilt()
        ? `${call}: libtorch was built with CUDA, but this machine has no NVIDIA GPU that its driver shows. Here are ${available.join(", ")}.`
        : `${call}: this libtorch ${native.version} runs without CUDA: it needs an NVIDIA driver and a PyTorch with CUDA. Here are ${available.join(", ")}.`,
    );
  }
  if (!/^cuda(:\d+)?$/.test(device)) {
    throw new TypeError(`${call}: the device must be "cuda" or one like "cuda:0", got "${device}".`);
  }
  return requireDevice(device);
}

/** The number of the GPU that "cuda" without a number stands for; 0 until `setDevice` chose another. */
export function currentDevice(): number {
  checked("cuda.currentDevice", "cuda");
  return native.currentCudaDevice();
}

/**
 * Chooses the GPU that "cuda" without a number stands for. Processes that train together take one each:
 *
 *     cuda.setDevice(torch.distributed.getNodeLocalRank());
 */
export function setDevice(device: CudaDevice | number): void {
  const call = "cuda.setDevice";
  const name: string = typeof device === "number" ? `cuda:${device}` : device;
  if (typeof name !== "string" || !/^cuda:\d+$/.test(name))
    throw new TypeError(
      `${call}: the device must be a number or one like "cuda:1", got ${describe(device)}.`,
    );
  native.setCudaDevice(checked(call, name as DeviceName));
}

function stats(call: string, device: DeviceName): MemoryStats {
  return native.memoryStats(checked(call, device));
}

/** Bytes of live tensors on the device. */
export function memoryAllocated(device: CudaDevice = "cuda"): number {
  return stats("cuda.memoryAllocated", device).allocatedBytes;
}

/** Bytes that the allocator holds from the driver, caches included. */
export function memoryReserved(device: CudaDevice = "cuda"): number {
  return stats("cuda.memoryReserved", device).driverBytes;
}

/** Most bytes that live tensors ever held, since the start or `resetPeakMemoryStats`. */
export function maxMemoryAllocated(device: CudaDevice = "cuda"): number {
  return stats("cuda.maxMemoryAllocated", device).peakBytes;
}

/** Lets `maxMemoryAllocated` begin anew with what is live now. */
export function resetPeakMemoryStats(device: CudaDevice = "cuda"): void {
  native.resetPeak(checked("cuda.resetPeakMemoryStats", device));
}

/** Bytes of the device's memory. */
export function totalMemory(device: CudaDevice = "cuda"): number {
  return stats("cuda.totalMemory", device).recommendedBytes;
}

/** Gives cached memory back to the driver. Returns the bytes given back. */
export function emptyCache(): number {
  return native.emptyCache(checked("cuda.emptyCache", "cuda"));
}

/** Waits until everything queued on the device is done. */
export function synchronize(device: CudaDevice = "cuda"): void {
  native.synchronize(checked("cuda.synchronize", device));
}

/** Seeds one device's generator; `torch.manualSeed` seeds all of them. */
export function manualSeed(seed: number | bigint, device: CudaDevice = "cuda"): void {
  native.manualSeed(seed, checked("cuda.manualSeed", device));
}

/** The state of the device's generator, in bytes. */
export function getRngState(device: CudaDevice = "cuda"): Uint8Array {
  return native.getRngState(checked("cuda.getRngState", device));
}

/** Puts a state back that `getRngState` gave. */
export function setRngState(state: Uint8Array, device: CudaDevice = "cuda"): void {
  native.setRngState(checked("cuda.setRngState", device), state);
}

/** A marker in the device's queue (`torch.cuda.Event`). */
export class Event extends DeviceEvent {
  constructor(options?: EventOptions, device: CudaDevice = "cuda") {
    super(checked("cuda.Event", device), "cuda.Event", options);
  }
}
