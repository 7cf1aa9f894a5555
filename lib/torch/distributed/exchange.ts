// Lets every rank of a group send one text to all others: what the ranks must agree on before they work together. The
// texts go through the store, so that a rank that works on something else can be distinguished from one that is gone.
import { DistStoreError } from "./errors.ts";
import { type ProcessGroup, requireWorld } from "./process_group.ts";

/** How many exchanges each group has had; each exchange has keys of its own in the store. */
const exchanged = new WeakMap<ProcessGroup, number>();

/**
 * All ranks of the group call it, in the same order.
 *
 * @param subject what is waited for, for the message: `the model`
 * @returns the texts in the order of the ranks
 * @throws DistStoreError if a rank does not call it in time
 */
export function exchange(call: string, group: ProcessGroup, subject: string, text: string): string[] {
  const { store, prefix, timeoutMs } = requireWorld(call);
  const count = (exchanged.get(group) ?? 0) + 1;
  exchanged.set(group, count);
  const own = group.ranks[group.rank()]!;
  const keyOf = (rank: number, of = count): string => `${prefix}/exchange/${group.name}/${of}/${rank}`;
  store.set(keyOf(own), text);
  const texts = group.ranks.map((rank) => {
    try {
      return store.get(keyOf(rank), timeoutMs).toString();
    } catch (error) {
      if (!(error instanceof DistStoreError)) throw error;
      throw new DistStoreError(
        `${call}: rank ${own} waited ${timeoutMs} ms for ${subject} of rank ${rank}.`,
        { cause: error },
      );
    }
  });
  // All ranks have come to this exchange, so all have read the texts of the exchange before the previous one.
  if (count > 1) store.deleteKey(keyOf(own, count - 1));
  return texts;
}
