// The options of collectives, and checks of the tensors that they are given.
import { checkList, describe, shapeText } from "../vocabulary/arguments.ts";
import { boolean, choice, integer, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { groupOf, type ProcessGroup } from "./process_group.ts";
import { ReduceOp, type ReduceOpName } from "./reduce_op.ts";
import type { CollectiveOptions } from "./start.ts";

/** Options of collectives that combine values. */
export interface ReducingOptions extends CollectiveOptions {
  /** How the values of the ranks are combined: `ReduceOp.SUM` or "sum". Default: "sum". */
  readonly op?: ReduceOpName;
}

/** Options of `send`, `recv` and their likes by name. */
export interface MessageOptions {
  /** Whose ranks take part. Default: all. */
  readonly group?: ProcessGroup | null;
  /** Matches a message with the one that is waited for. Default: 0. */
  readonly tag?: number;
}

const group = optional((call, _name, value) => groupOf(call, value));
/** The rules of options that all collectives have. */
export const COLLECTIVE = { group, asyncOp: boolean(false) } satisfies OpenRules<CollectiveOptions>;
const REDUCING = {
  ...COLLECTIVE,
  op: choice("sum", Object.values(ReduceOp)),
} satisfies OpenRules<ReducingOptions>;
const MESSAGE = { group, tag: integer(0, 0) } satisfies OpenRules<MessageOptions>;

export function readCollective(call: string, given: object | undefined) {
  const read = readOptions(call, given, COLLECTIVE);
  return { ...read, group: read.group ?? groupOf(call, null) };
}

export function readReducing(call: string, given: object | undefined) {
  const read = readOptions(call, given, REDUCING);
  return { ...read, group: read.group ?? groupOf(call, null) };
}

export function readMessage(call: string, given: object | undefined) {
  const read = readOptions(call, given, MESSAGE);
  return { ...read, group: read.group ?? groupOf(call, null) };
}

const text = (tensor: Tensor): string => `${native.dtype(tensor)} ${shapeText(native.shape(tensor))}`;

/** A list of one tensor for each rank of the group. */
export function checkOnePerRank(
  call: string,
  name: string,
  list: readonly Tensor[],
  size: number,
): readonly Tensor[] {
  const checked = Array.from(checkList(call, name, list), (tensor, i) =>
    checkTensor(call, `${name}[${i}]`, tensor),
  );
  if (checked.length !== size)
    throw new RangeError(
      `${call}: ${name} must have a tensor for each of the ${size} ranks of the group, got ${checked.length}.`,
    );
  return checked;
}

/** Checks that each tensor of the list has the dtype and shape of the tensor that is sent or received for it. */
export function checkAlike(call: string, name: string, list: readonly Tensor[], like: Tensor): void {
  for (const [i, tensor] of list.entries())
    if (text(tensor) !== text(like))
      throw new TypeError(
        `${call}: ${name}[${i}] is ${text(tensor)}, and must be ${text(like)} as the other tensor.`,
      );
}

/** Checks that the whole tensor has as many elements as `size` parts, and the same dtype. */
export function checkWhole(call: string, whole: Tensor, part: Tensor, size: number): void {
  if (native.dtype(whole) !== native.dtype(part))
    throw new TypeError(
      `${call}: input and output must be of one dtype, got ${text(part)} and ${text(whole)}.`,
    );
  if (native.numel(whole) !== native.numel(part) * size)
    throw new RangeError(
      `${call}: for ${size} ranks one of the tensors must have ${size} times as many elements as the other, got ${text(whole)} and ${text(part)}.`,
    );
}

/** Checks a list that only one rank gives; null on the others. */
export function isGiven<List>(
  call: string,
  name: string,
  list: List | null | undefined,
  isRoot: boolean,
): list is List {
  const given = list !== null && list !== undefined;
  if (isRoot && !given)
    throw new TypeError(
      `${call}: ${name} must be a list on the rank that it belongs to, got ${describe(list)}.`,
    );
  if (!isRoot && given)
    throw new TypeError(`${call}: ${name} must be null on every rank but the one that it belongs to.`);
  return given;
}
