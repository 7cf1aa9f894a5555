// Sums up live blocks by the line that allocated them.
import type { DeviceEvents, History } from "./history.ts";
import { eventsOf, type LiveBlock, type LiveBlocks } from "./live_blocks.ts";

/** Memory that one line allocated. */
export interface AllocationSite {
  /**
   * `Cell [3]:4`, or a file's line; `Cell [3]` if the line was not read; null if neither is known, as outside of cells
   * and on libtorch's own threads.
   */
  readonly line: string | null;
  readonly bytes: number;
  readonly blocks: number;
  /** In how many of the recorded epochs these blocks were allocated; 0 if no epoch ended. */
  readonly epochs: number;
  /** The operators that allocated the memory, the largest first: `aten::mm`. */
  readonly operators: readonly string[];
  /** The session's variables that led to the memory when the snapshot was taken: `model.0.weight`, `losses[3]`. */
  readonly variables: readonly string[];
}

interface Sum {
  bytes: number;
  blocks: number;
  readonly epochs: Set<number>;
  readonly operators: Map<string, number>;
  readonly variables: Set<string>;
}

/**
 * Sites, the largest first.
 *
 * @param epochEnds how many events there were at the end of each epoch
 */
export function sitesOf(
  history: History,
  events: DeviceEvents,
  blocks: LiveBlocks,
  epochEnds: readonly number[],
  variableOf: (address: number, block: LiveBlock) => string | undefined,
): AllocationSite[] {
  const sums = new Map<string | null, Sum>();
  for (const [address, block] of blocks) {
    const own = eventsOf(events, block);
    const { line } = history.placeOf(own.place(block.at));
    let sum = sums.get(line);
    if (sum === undefined) {
      sum = { bytes: 0, blocks: 0, epochs: new Set(), operators: new Map(), variables: new Set() };
      sums.set(line, sum);
    }
    const bytes = own.bytes(block.at);
    sum.bytes += bytes;
    sum.blocks++;
    const number = block.isOlder ? 0 : history.droppedEvents + block.at;
    const epoch = epochEnds.findIndex((end) => number < end);
    if (epoch >= 0 && !block.isOlder) sum.epochs.add(epoch);
    const operator = history.operations[own.operation(block.at)] ?? "";
    if (operator !== "") sum.operators.set(operator, (sum.operators.get(operator) ?? 0) + bytes);
    const variable = variableOf(address, block);
    if (variable !== undefined) sum.variables.add(variable);
  }
  return [...sums]
    .map(([line, sum]) => ({
      line,
      bytes: sum.bytes,
      blocks: sum.blocks,
      epochs: sum.epochs.size,
      operators: [...sum.operators].toSorted(([, a], [, b]) => b - a).map(([name]) => name),
      variables: [...sum.variables],
    }))
    .toSorted((a, b) => b.bytes - a.bytes);
}
