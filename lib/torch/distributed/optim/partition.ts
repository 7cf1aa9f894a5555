// Decides which rank updates which parameter, and which parameters travel in one message. Every rank computes the same
// result from the same groups, so this needs no communication.
import { native } from "../../engine/native.ts";
import { byDeviceAndDType } from "../../tensor/by_device_and_dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { bytesOf } from "../../vocabulary/dtype.ts";

/** Parameters of one rank, device and dtype that are sent together. */
export interface Message {
  /** The rank, within the group, that has their new values. */
  readonly from: number;
  readonly tensors: readonly Tensor[];
}

/**
 * The size of a message, that of DistributedDataParallel's buckets: larger messages are not faster, and take memory
 * while they are sent.
 */
const MESSAGE_BYTES = 25 * 1024 * 1024;

/**
 * The parameters of each rank: the largest first, each to the rank that has the fewest elements so far
 * (`ZeroRedundancyOptimizer._partition_parameters`).
 */
export function partition(
  groups: readonly { readonly params: readonly Tensor[] }[],
  ranks: number,
): Tensor[][] {
  const shards = Array.from({ length: ranks }, (): Tensor[] => []);
  const elements = shards.map(() => 0);
  for (const { params } of groups) {
    for (const parameter of params.toSorted((a, b) => native.numel(b) - native.numel(a))) {
      const min = elements.indexOf(Math.min(...elements));
      shards[min]!.push(parameter);
      elements[min]! += native.numel(parameter);
    }
  }
  return shards;
}

/** The messages in which the ranks send each other their parameters. */
export function messagesOf(shards: readonly (readonly Tensor[])[]): Message[] {
  return shards.flatMap((shard, from) =>
    byDeviceAndDType(shard)
      .flatMap(cut)
      .map((tensors) => ({ from, tensors })),
  );
}

function cut(tensors: readonly Tensor[]): Tensor[][] {
  const parts: Tensor[][] = [];
  let left = 0;
  for (const tensor of tensors) {
    const bytes = native.numel(tensor) * bytesOf(native.dtype(tensor));
    if (parts.length === 0 || bytes > left) {
      parts.push([]);
      left = MESSAGE_BYTES;
    }
    parts.at(-1)!.push(tensor);
    left -= bytes;
  }
  return parts;
}
