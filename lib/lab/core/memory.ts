// Takes one sample of memory: the device's allocator, this process, the machine.
import { getHeapStatistics } from "node:v8";
import { torchIsLoaded } from "../../session.ts";
import { shownAs } from "../../views/shown_as.ts";
import { native } from "../../torch/engine/native.ts";
import type { DeviceInterface } from "./device_interface.ts";
import type { MemorySample } from "../../records/epochs.ts";
import { machineMemory } from "./memory_pressure.ts";
import { memoryTable } from "./memory_view.ts";

/**
 * Takes 0.1 ms; on macOS some milliseconds more, once a second. It waits for nothing, so queued work is not counted
 * yet.
 */
export function sampleMemory(accelerator: DeviceInterface): MemorySample {
  const { allocatedBytes, driverBytes, recommendedBytes, peakBytes } = accelerator.memoryStats();
  const { used_heap_size: heapBytes, total_heap_size: heapReservedBytes } = getHeapStatistics();
  const sample: MemorySample = {
    allocatedBytes,
    driverBytes,
    recommendedBytes,
    peakBytes,
    hostBytes: torchIsLoaded() ? native.memoryStats("cpu").allocatedBytes : 0,
    heapBytes,
    heapReservedBytes,
    footprintBytes: process.memoryUsage.rss(),
    ...machineMemory(),
  };
  return shownAs(sample, memoryTable);
}
