// Flushes at the end of an epoch, in the order that frees most memory. It waits for the device, collects unreachable
// wrappers, waits for what freeing them queued, and empties the allocator's cache.
import type { DeviceInterface } from "../core/device_interface.ts";
import type { Collected } from "../core/collector.ts";
import type { Collection, MemorySample } from "../../records/epochs.ts";
import { shownAs } from "../../views/shown_as.ts";
import { sampleMemory } from "../core/memory.ts";
import { flushTable } from "./flush_view.ts";

export interface Flush {
  /** How long the device took to finish what was queued before the flush. */
  readonly waitMs: number;
  /** The time of everything else: collection, synchronization, emptying the cache. */
  readonly flushMs: number;
  readonly collection: Collection;
  /** Whether the collection left no garbage worth mentioning. */
  readonly complete: boolean;
  readonly before: MemorySample;
  readonly after: MemorySample;
  /** Bytes of tensors that the collection freed. */
  readonly freedBytes: number;
  /** Bytes that the allocator gave back to the driver or the system. */
  readonly releasedBytes: number;
}

/**
 * @param collect runs the collector and says which collection it was; it may ask how many bytes of tensors are left
 */
export function flush(
  accelerator: DeviceInterface,
  collect: (tensorBytes: () => number) => Collected,
): Flush {
  const beganMs = performance.now();
  accelerator.synchronize();
  const idleMs = performance.now();
  const before = sampleMemory(accelerator);

  const collectMs = performance.now();
  const { collection, complete } = collect(() => {
    accelerator.synchronize();
    return accelerator.memoryStats().allocatedBytes;
  });
  accelerator.synchronize();
  const releasedBytes = accelerator.emptyCache();
  const endedMs = performance.now();

  const after = sampleMemory(accelerator);
  const flushed: Flush = {
    waitMs: idleMs - beganMs,
    flushMs: endedMs - collectMs,
    collection,
    complete,
    before,
    after,
    freedBytes: Math.max(0, before.allocatedBytes - after.allocatedBytes),
    releasedBytes,
  };
  return shownAs(flushed, flushTable);
}
