// The record of epochs: one plain record each, and the list that holds them. A leaf: it measures nothing itself.

export interface MemorySample {
  /** Bytes of live tensors. */
  readonly allocatedBytes: number;
  /** Bytes that the allocator holds from the driver or the system, its cache included. */
  readonly driverBytes: number;
  /** What the device recommends to stay under. */
  readonly recommendedBytes: number;
  /** Highest `allocatedBytes` since the epoch began. */
  readonly peakBytes: number;
  /** Resident set of this process. */
  readonly footprintBytes: number;
}

export interface EpochRecord {
  /** Which epoch loop of the session (0, 1, ...), and which epoch of it (0, 1, ...). */
  readonly loop: number;
  readonly epoch: number;
  /** The first epoch of a loop warms caches and compiles kernels: never mixed with the steady ones. */
  readonly first: boolean;
  readonly wallMs: number;
  /** Time waiting for the device, flush excluded. */
  readonly waitMs: number;
  /** `wallMs - waitMs`, flush excluded. */
  readonly hostMs: number;
  readonly flushMs: number;
  /** `minor` where a full collection would have cost more than 5% of the epoch; `none` under `%flush off`. */
  readonly collection: "full" | "minor" | "none";
  readonly freedBytes: number;
  readonly before: MemorySample;
  readonly after: MemorySample;
  readonly device: string;
  readonly fallbacks: number;
}

/** A record of memory inside a step, by `lab.mark(tag)`. */
export interface MemoryMark {
  readonly tag: string;
  readonly loop: number;
  readonly epoch: number;
  /** Milliseconds since the session's first epoch began. */
  readonly atMs: number;
  readonly sample: MemorySample;
}

export class Ledger {
  readonly epochs: EpochRecord[] = [];
  readonly marks: MemoryMark[] = [];

  clear(): void {
    this.epochs.length = 0;
    this.marks.length = 0;
  }
}

/** The session's ledger. */
export const ledger = new Ledger();
