// Computes the address ranges that a device's blocks occupied during the recording. The snapshot file calls each range
// a segment. It does not show memory that an allocator reserves beside its blocks.
import type { DeviceEvents } from "./history.ts";

export interface AddressRange {
  readonly address: number;
  readonly bytes: number;
}

/** Ranges in order of their addresses; those that touch or overlap are one. */
export function addressRanges({ all, indices, older, olderIndices }: DeviceEvents): AddressRange[] {
  const largest = new Map<number, number>();
  const add = (address: number, bytes: number): void => {
    if (bytes > (largest.get(address) ?? 0)) largest.set(address, bytes);
  };
  for (const at of indices) add(all.address(at), Math.abs(all.bytes(at)));
  for (const at of olderIndices) add(older.address(at), older.bytes(at));

  const ranges: { address: number; bytes: number }[] = [];
  for (const [address, bytes] of [...largest].toSorted(([a], [b]) => a - b)) {
    const last = ranges.at(-1);
    if (last === undefined || address > last.address + last.bytes) ranges.push({ address, bytes });
    else last.bytes = Math.max(last.bytes, address + bytes - last.address);
  }
  return ranges;
}
