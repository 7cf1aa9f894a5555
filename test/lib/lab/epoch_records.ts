// Makes plain epoch records for tests of what reads the ledger.
import type { EpochRecord, MemorySample } from "../../../lib/records/epochs.ts";

export type RecordChange = Partial<Omit<EpochRecord, "start" | "before" | "after">> & {
  readonly start?: Partial<MemorySample>;
  readonly before?: Partial<MemorySample>;
  readonly after?: Partial<MemorySample>;
};

const MIB = 2 ** 20;

const SAMPLE: MemorySample = {
  allocatedBytes: 12 * MIB,
  driverBytes: 16 * MIB,
  recommendedBytes: 12 * 1024 * MIB,
  peakBytes: 40 * MIB,
  hostBytes: 12 * MIB,
  heapBytes: 20 * MIB,
  heapReservedBytes: 0,
  footprintBytes: 300 * MIB,
  availableBytes: 8 * 1024 * MIB,
  swapBytes: 0,
  pressure: "normal",
};

/** Epochs of 190 ms on the CPU (the first takes twice as long) that allocate 20 MiB, 8 of which the flush frees. */
export function epochRecords(
  count: number,
  change: (epoch: number) => RecordChange = () => ({}),
): EpochRecord[] {
  return Array.from({ length: count }, (_, epoch) => {
    const changed = change(epoch);
    const wallMs = epoch === 0 ? 380 : 190;
    return {
      loop: 0,
      epoch,
      first: epoch === 0,
      cut: false,
      device: "cpu",
      atMs: epoch === 0 ? 0 : 190 + epoch * 190,
      wallMs,
      hostMs: wallMs,
      waitMs: 0,
      finalWaitMs: 0,
      flushMs: 4,
      collection: "full",
      complete: (changed.collection ?? "full") === "full",
      freedBytes: 8 * MIB,
      releasedBytes: 30 * MIB,
      fallbacks: 0,
      metrics: {},
      ...changed,
      start: { ...SAMPLE, ...changed.start },
      before: { ...SAMPLE, allocatedBytes: 20 * MIB, driverBytes: 46 * MIB, ...changed.before },
      after: { ...SAMPLE, ...changed.after },
    };
  });
}
