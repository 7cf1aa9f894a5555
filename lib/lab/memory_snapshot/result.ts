// Declares a memory snapshot: plain data, and the function that writes its file.
import type { AllocationSite } from "./sites.ts";

/** The moment at which most memory was allocated. */
export interface MemoryPeak {
  readonly bytes: number;
  /** Milliseconds since the recording began. */
  readonly atMs: number;
  /** Bytes of the peak that were allocated before the recording began. */
  readonly earlierBytes: number;
  /** The lines whose allocations were alive then, the largest first. */
  readonly sites: readonly AllocationSite[];
}

/** What was allocated during the recording and is still alive at its end, after a garbage collection. */
export interface Outliving {
  readonly bytes: number;
  readonly sites: readonly AllocationSite[];
}

export interface DeviceMemory {
  readonly device: string;
  readonly allocations: number;
  readonly releases: number;
  /** Bytes that were allocated when the recording began, or at the oldest event that it keeps. */
  readonly startBytes: number;
  readonly endBytes: number;
  readonly peak: MemoryPeak;
  readonly outlives: Outliving;
}

export interface SnapshotFigures extends DeviceMemory {
  readonly durationMs: number;
  /** Epochs that ended during the recording. */
  readonly epochs: number;
  /** Events that were dropped, because there were more than `maxEvents`. */
  readonly droppedEvents: number;
  /** Every device that allocated memory; the snapshot's own fields are those of the first. */
  readonly devices: readonly DeviceMemory[];
}

export interface MemorySnapshot extends SnapshotFigures {
  /**
   * Writes the file that `torch.cuda.memory._dump_snapshot` writes: pytorch.org/memory_viz and
   * `python -m torch.cuda._memory_viz` open it.
   *
   * @throws Error where the file cannot be written
   */
  save(file: string): void;
}
