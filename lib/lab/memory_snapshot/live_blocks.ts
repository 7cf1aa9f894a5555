// Replays the events of one device: what was alive at the peak, and what is alive at the end.
import type { DeviceEvents } from "./history.ts";

/** A live block, given by the index of its allocation. */
export interface LiveBlock {
  readonly at: number;
  /** Whether the index is among the recorded events, or among the blocks that are older. */
  readonly isOlder: boolean;
}

/** Live blocks by their address. */
export type LiveBlocks = ReadonlyMap<number, LiveBlock>;

export interface Replay {
  /** Bytes that were allocated before the first event. */
  readonly startBytes: number;
  readonly peakBytes: number;
  /** When, in microseconds since 1970; null if nothing was recorded. */
  readonly peakUs: number | null;
  readonly peakBlocks: LiveBlocks;
  /** The part of the peak that was allocated before the recording. */
  readonly peakEarlierBytes: number;
  readonly endBlocks: LiveBlocks;
}

/** @param endBytes what the device's allocator said was allocated when the history was read */
export function replay(events: DeviceEvents, endBytes: number): Replay {
  const { all, indices } = events;
  let change = 0;
  for (const at of indices) change += all.bytes(at);
  const startBytes = Math.max(0, endBytes - change);

  let [bytes, peakBytes, peak] = [startBytes, startBytes, -1];
  for (let i = 0; i < indices.length; i++) {
    bytes += all.bytes(indices[i]!);
    if (bytes > peakBytes) [peakBytes, peak] = [bytes, i];
  }

  const live = new Map<number, LiveBlock>();
  for (const at of events.olderIndices) live.set(events.older.address(at), { at, isOlder: true });
  let peakBlocks = new Map(live);
  for (let i = 0; i < indices.length; i++) {
    const at = indices[i]!;
    if (all.bytes(at) < 0) live.delete(all.address(at));
    else live.set(all.address(at), { at, isOlder: false });
    if (i === peak) peakBlocks = new Map(live);
  }
  return {
    startBytes,
    peakBytes,
    peakUs: peak < 0 ? null : all.timeUs(indices[peak]!),
    peakBlocks,
    peakEarlierBytes: Math.max(0, peakBytes - bytesOf(events, peakBlocks)),
    endBlocks: live,
  };
}

/** The list of events in which an allocation is recorded. */
export const eventsOf = (events: DeviceEvents, { isOlder }: LiveBlock) =>
  isOlder ? events.older : events.all;

function bytesOf(events: DeviceEvents, blocks: LiveBlocks): number {
  let sum = 0;
  for (const block of blocks.values()) sum += eventsOf(events, block).bytes(block.at);
  return sum;
}
