// Declares what the lab needs of a device: counters, and the calls that wait for it, reset its peak and free its cache.
// Tests implement it with a scripted device.
import type { MemoryStats } from "../../torch/engine/native.ts";

export interface DeviceInterface {
  /** Name in records and charts; a simulated device says that it is simulated. */
  readonly label: string;
  /** Whether operators are queued, so that the host may have to wait. False if each is done when it returns. */
  readonly asynchronous: boolean;
  memoryStats(): MemoryStats;
  /** Makes the current `allocatedBytes` the new peak, from which later peaks are counted. */
  resetPeak(): void;
  /** Returns when the device has finished everything that was queued. */
  synchronize(): void;
  /** Frees cached blocks and returns their bytes. */
  emptyCache(): number;
  /** Milliseconds that this process has waited for the device inside operators so far. Null if they are not counted. */
  waitedMs(): number | null;
  /** Operators that ran on the CPU instead so far. Null if they are not counted. */
  fallbacks(): number | null;
}
