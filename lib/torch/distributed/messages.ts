// Messages from one rank to another: `send` and `recv`.
import type { Tensor } from "../tensor/tensor.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { type MessageOptions, readMessage } from "./options.ts";
import { groupRankOf } from "./process_group.ts";
import { startWork } from "./start.ts";
import type { Work } from "./work.ts";

function startSend(call: string, tensor: Tensor, dst: number, options: MessageOptions | undefined): Work {
  const given = checkTensor(call, "the tensor", tensor);
  const { group, tag } = readMessage(call, options);
  const peer = groupRankOf(call, "dst", group, dst);
  if (peer === group.rank()) throw new RangeError(`${call}: rank ${dst} cannot send to itself.`);
  return startWork({ call, name: "send", group, outputs: [], inputs: [given], peer, tag });
}

function startRecv(
  call: string,
  tensor: Tensor,
  src: number | undefined,
  options: MessageOptions | undefined,
): Work {
  const given = checkTensor(call, "the tensor", tensor);
  const { group, tag } = readMessage(call, options);
  if (src === undefined)
    return startWork({ call, name: "recvAny", group, outputs: [given], inputs: [], tag });
  const peer = groupRankOf(call, "src", group, src);
  if (peer === group.rank()) throw new RangeError(`${call}: rank ${src} cannot receive from itself.`);
  return startWork({ call, name: "recv", group, outputs: [given], inputs: [], peer, tag });
}

/** Sends a tensor to rank `dst` of the world. Waits until the tensor may be changed again. */
export function send(tensor: Tensor, dst: number, options?: MessageOptions): void {
  startSend("distributed.send", tensor, dst, options).wait();
}

/** Begins to send a tensor to rank `dst` of the world, without waiting. */
export function isend(tensor: Tensor, dst: number, options?: MessageOptions): Work {
  return startSend("distributed.isend", tensor, dst, options);
}

/**
 * Fills a tensor with what a rank sends.
 *
 * @param src its rank in the world. Default: whoever sends first
 * @returns the rank that sent
 */
export function recv(tensor: Tensor, src?: number, options?: MessageOptions): number {
  const work = startRecv("distributed.recv", tensor, src, options);
  work.wait();
  return src ?? work.sourceRank();
}

/** Begins to fill a tensor with what a rank sends, without waiting. */
export function irecv(tensor: Tensor, src?: number, options?: MessageOptions): Work {
  return startRecv("distributed.irecv", tensor, src, options);
}
