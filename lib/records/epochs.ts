// Declares the record of an epoch, of its memory and of its marks. What could not be measured is null, never 0.

/** Byte counts of the device's allocator, of this process and of the machine, at one moment. */
export interface MemorySample {
  /** Bytes of live tensors. */
  readonly allocatedBytes: number;
  /** Bytes that the allocator holds from the driver or the system, its cache included. */
  readonly driverBytes: number;
  /** The limit that the device recommends. */
  readonly recommendedBytes: number;
  /** Highest `allocatedBytes` since the epoch began. */
  readonly peakBytes: number;
  /** Bytes of live tensors on the CPU: the same as `allocatedBytes` where that is the device. */
  readonly hostBytes: number;
  /** JavaScript's own heap in use, garbage included that was not collected yet. */
  readonly heapBytes: number;
  /** Bytes that V8 holds from the system for that heap, with free pages. */
  readonly heapReservedBytes: number;
  /** Resident set of this process. */
  readonly footprintBytes: number;
  /** Bytes that the machine (or the container) can still give without swapping. */
  readonly availableBytes: number | null;
  /** Swap in use on the machine, by all of its processes. */
  readonly swapBytes: number | null;
  /** The level that macOS reports. On Linux it is derived from pressure stall information. */
  readonly pressure: MemoryPressure | null;
}

export type MemoryPressure = "normal" | "warning" | "critical";

/** `minor` if that was enough, or if a full collection exceeded its share of the time; `none` under `%flush off`. */
export type Collection = "full" | "minor" | "none";

export interface EpochRecord {
  /** Which epoch loop of the session (0, 1, ...), and which epoch of it (0, 1, ...). */
  readonly loop: number;
  readonly epoch: number;
  /** The first epoch of a loop warms caches and compiles kernels: never mixed with the steady ones. */
  readonly first: boolean;
  /**
   * A throw or an interrupt ended it before its last statement: its time and memory are those of a part, and count in no
   * median, share or verdict. An epoch that `break` or `return` leaves is whole: that is the loop's own decision. Where nothing
   * was compiled by the kernel, as in a plain program, `lab.epochs` takes a throw for a `break`.
   */
  readonly cut: boolean;
  readonly device: string;
  /** For how long the user's debugger held the code; `wallMs` and `hostMs` are without. Missing where it did not. */
  readonly pausedMs?: number;
  /** Milliseconds from the begin of the session's first epoch to the begin of this one. */
  readonly atMs: number;

  /** Milliseconds from the epoch's begin until the device had finished its work, without the flush. */
  readonly wallMs: number;
  /** Processor time of this process in that time, of all its threads. Missing in records of earlier versions. */
  readonly cpuMs?: number;
  /** Time that the host spent in its own work: `wallMs - waitMs`. Null if `waitMs` is. */
  readonly hostMs: number | null;
  /** Time that the host waited for the device, inside operators (`item()`, `cpu()`) and at the end. */
  readonly waitMs: number | null;
  /** The last part of that wait: how long the device took to finish after the epoch's last statement. */
  readonly finalWaitMs: number | null;
  /** Everything that the flush took: collection, synchronization, emptying the cache. */
  readonly flushMs: number;
  readonly collection: Collection;
  /**
   * Whether no garbage worth mentioning is left. True after a full collection, and after a minor one that left at most
   * 1% more than the last full one and no more than the previous flush. If the last epoch's collection was minor, the
   * epoch is flushed once more when the loop closes.
   */
  readonly complete: boolean;

  /** When the epoch began, when its work was done, and after the flush. */
  readonly start: MemorySample;
  readonly before: MemorySample;
  readonly after: MemorySample;
  /** Bytes of tensors that the collection freed. */
  readonly freedBytes: number;
  /** Bytes that the allocator gave back to the driver or the system. */
  readonly releasedBytes: number;
  /** Operators that ran on the CPU because the device has no kernel. Null if they are not counted. */
  readonly fallbacks: number | null;
  /** The values of `lab.log` by name: the mean of an epoch's calls, or the last of them. NaN and infinite ones as they are. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A record of memory inside a step, by `lab.mark(tag)`. */
export interface MemoryMark {
  readonly tag: string;
  /** The epoch in which it was made; null outside epochs. */
  readonly loop: number | null;
  readonly epoch: number | null;
  /** Milliseconds on the clock of `EpochRecord.atMs`. */
  readonly atMs: number;
  readonly sample: MemorySample;
}

/** Steps that a GradScaler left out, because gradients were infinite or NaN. */
export interface SkippedStepRecord {
  /** The optimizer's class. */
  readonly optimizer: string;
  /** How many: 1, or all that captured steps left out in the epoch. */
  readonly steps: number;
  /** The factor on the loss, at the last of them. */
  readonly scale: number;
  /** The epoch in which it was made; null outside epochs. */
  readonly loop: number | null;
  readonly epoch: number | null;
  /** Milliseconds on the clock of `EpochRecord.atMs`. */
  readonly atMs: number;
}
