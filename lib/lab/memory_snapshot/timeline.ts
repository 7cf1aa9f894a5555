// Turns events into what a chart draws: for each interval of time, the moment with the most memory, by line.
import type { DeviceEvents, History } from "./history.ts";
import { eventsOf, type Replay } from "./live_blocks.ts";

/** The moment of an interval at which most memory was allocated. */
export interface Moment {
  readonly ms: number;
  /** Bytes of each line in the given order, then of all other lines, then of older memory. */
  readonly bytes: readonly number[];
}

/**
 * @param lines the lines that are shown separately
 */
export function timeline(
  history: History,
  events: DeviceEvents,
  replayed: Replay,
  lines: readonly (string | null)[],
  { beganUs, durationMs, stretches }: { beganUs: number; durationMs: number; stretches: number },
): Moment[] {
  const { all, indices } = events;
  const others = lines.length;
  const earlier = others + 1;
  const numberOf = new Map(lines.map((line, number) => [line, number]));
  const groupOfPlace = new Map<number, number>();
  const groupOf = (place: number): number => {
    let group = groupOfPlace.get(place);
    if (group === undefined) {
      group = numberOf.get(history.placeOf(place).line) ?? others;
      groupOfPlace.set(place, group);
    }
    return group;
  };

  const bytes = Array.from({ length: lines.length + 2 }, () => 0);
  const groups = new Map<number, number>();
  for (const [address, block] of replayed.endBlocks) {
    if (!block.isOlder) continue;
    const own = eventsOf(events, block);
    groups.set(address, groupOf(own.place(block.at)));
    bytes[groups.get(address)!]! += own.bytes(block.at);
  }
  bytes[earlier] = replayed.startBytes - bytes.reduce((sum, some) => sum + some, 0);

  let total = replayed.startBytes;
  const moments: Moment[] = [{ ms: 0, bytes: [...bytes] }];
  let [stretch, highest, atHighest] = [-1, -1, moments[0]!];
  for (const at of indices) {
    const ms = Math.max(0, (all.timeUs(at) - beganUs) / 1000);
    const now = Math.min(stretches - 1, Math.floor((ms / durationMs) * stretches));
    if (now !== stretch) {
      if (stretch >= 0) moments.push(atHighest);
      [stretch, highest] = [now, -1];
    }
    const change = all.bytes(at);
    const address = all.address(at);
    const group = change < 0 ? (groups.get(address) ?? earlier) : groupOf(all.place(at));
    if (change < 0) groups.delete(address);
    else groups.set(address, group);
    bytes[group]! += change;
    total += change;
    if (total > highest) [highest, atHighest] = [total, { ms, bytes: [...bytes] }];
  }
  if (stretch >= 0) moments.push(atHighest);
  moments.push({ ms: durationMs, bytes: [...bytes] });
  return moments;
}
