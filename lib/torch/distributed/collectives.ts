// Collectives that give every rank, or one, the result of all: reductions, broadcast, barriers.
import type { Tensor } from "../tensor/tensor.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { readCollective, readReducing, type ReducingOptions } from "./options.ts";
import { groupRankOf } from "./process_group.ts";
import { type CollectiveOptions, run, type Started } from "./start.ts";

/**
 * Combines the tensors of all ranks; each gets the result, in place. All ranks call it, with the same shape and dtype.
 *
 *     const x = torch.tensor([1, 2]).mul(torch.distributed.getRank() + 1);
 *     torch.distributed.allReduce(x); // on 2 ranks: [3, 6]
 *
 * @throws DistBackendError if a rank failed or did not take part in time
 */
export function allReduce<const Given extends ReducingOptions = ReducingOptions>(
  tensor: Tensor,
  options?: Given,
): Started<Given> {
  const call = "distributed.allReduce";
  const given = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp, op } = readReducing(call, options);
  return run({ call, name: "allReduce", group, outputs: [given], inputs: [], op }, asyncOp);
}

/** Gives every rank the tensor of rank `src` of the world, in place. */
export function broadcast<const Given extends CollectiveOptions = CollectiveOptions>(
  tensor: Tensor,
  src: number,
  options?: Given,
): Started<Given> {
  const call = "distributed.broadcast";
  const given = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp } = readCollective(call, options);
  const peer = groupRankOf(call, "src", group, src);
  return run({ call, name: "broadcast", group, outputs: [given], inputs: [], peer }, asyncOp);
}

/**
 * Combines the tensors of all ranks. Rank `dst` gets the result, in place; afterwards, the tensors of other ranks are
 * undefined.
 */
export function reduce<const Given extends ReducingOptions = ReducingOptions>(
  tensor: Tensor,
  dst: number,
  options?: Given,
): Started<Given> {
  const call = "distributed.reduce";
  const given = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp, op } = readReducing(call, options);
  const peer = groupRankOf(call, "dst", group, dst);
  return run({ call, name: "reduce", group, outputs: [given], inputs: [], peer, op }, asyncOp);
}

/** Waits until every rank has called this. */
export function barrier<const Given extends CollectiveOptions = CollectiveOptions>(
  options?: Given,
): Started<Given> {
  const call = "distributed.barrier";
  const { group, asyncOp } = readCollective(call, options);
  return run({ call, name: "barrier", group, outputs: [], inputs: [] }, asyncOp);
}
