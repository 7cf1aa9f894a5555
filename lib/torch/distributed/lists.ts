// Collectives that split tensors into a part for each rank, or join such parts.
import { checkInteger, checkList } from "../vocabulary/arguments.ts";
import { optional, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import {
  COLLECTIVE,
  checkAlike,
  checkOnePerRank,
  checkWhole,
  isGiven,
  readCollective,
  readReducing,
  type ReducingOptions,
} from "./options.ts";
import { groupOf, groupRankOf } from "./process_group.ts";
import { type CollectiveOptions, run, type Started } from "./start.ts";

/**
 * Gives every rank the tensors of all.
 *
 * @param tensorList filled with them, one for each rank of the group
 * @param tensor of this rank
 */
export function allGather<const Given extends CollectiveOptions = CollectiveOptions>(
  tensorList: readonly Tensor[],
  tensor: Tensor,
  options?: Given,
): Started<Given> {
  const call = "distributed.allGather";
  const input = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp } = readCollective(call, options);
  const outputs = checkOnePerRank(call, "tensorList", tensorList, group.size());
  checkAlike(call, "tensorList", outputs, input);
  return run({ call, name: "allGather", group, outputs, inputs: [input] }, asyncOp);
}

/** Gives every rank the tensors of all, one after the other in `output`. */
export function allGatherIntoTensor<const Given extends CollectiveOptions = CollectiveOptions>(
  output: Tensor,
  input: Tensor,
  options?: Given,
): Started<Given> {
  const call = "distributed.allGatherIntoTensor";
  const [whole, part] = [checkTensor(call, "output", output), checkTensor(call, "input", input)];
  const { group, asyncOp } = readCollective(call, options);
  checkWhole(call, whole, part, group.size());
  return run({ call, name: "allGatherIntoTensor", group, outputs: [whole], inputs: [part] }, asyncOp);
}

/**
 * Gives rank `dst` of the world the tensors of all ranks.
 *
 * @param gatherList filled with them on rank `dst`; null on every other rank
 */
export function gather<const Given extends CollectiveOptions = CollectiveOptions>(
  tensor: Tensor,
  gatherList: readonly Tensor[] | null,
  dst: number,
  options?: Given,
): Started<Given> {
  const call = "distributed.gather";
  const input = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp } = readCollective(call, options);
  const peer = groupRankOf(call, "dst", group, dst);
  const outputs = isGiven(call, "gatherList", gatherList, peer === group.rank())
    ? checkOnePerRank(call, "gatherList", gatherList, group.size())
    : [];
  checkAlike(call, "gatherList", outputs, input);
  return run({ call, name: "gather", group, outputs, inputs: [input], peer }, asyncOp);
}

/**
 * Gives each rank its tensor from a list that rank `src` of the world has.
 *
 * @param tensor filled with the part of this rank
 * @param scatterList a tensor for each rank on rank `src`; null on every other
 */
export function scatter<const Given extends CollectiveOptions = CollectiveOptions>(
  tensor: Tensor,
  scatterList: readonly Tensor[] | null,
  src: number,
  options?: Given,
): Started<Given> {
  const call = "distributed.scatter";
  const output = checkTensor(call, "the tensor", tensor);
  const { group, asyncOp } = readCollective(call, options);
  const peer = groupRankOf(call, "src", group, src);
  const inputs = isGiven(call, "scatterList", scatterList, peer === group.rank())
    ? checkOnePerRank(call, "scatterList", scatterList, group.size())
    : [];
  checkAlike(call, "scatterList", inputs, output);
  return run({ call, name: "scatter", group, outputs: [output], inputs, peer }, asyncOp);
}

/**
 * Combines lists of tensors of all ranks. Each rank gets the combined tensor at its place.
 *
 * @param output filled with it
 * @param inputList a tensor for each rank
 */
export function reduceScatter<const Given extends ReducingOptions = ReducingOptions>(
  output: Tensor,
  inputList: readonly Tensor[],
  options?: Given,
): Started<Given> {
  const call = "distributed.reduceScatter";
  const result = checkTensor(call, "output", output);
  const { group, asyncOp, op } = readReducing(call, options);
  const inputs = checkOnePerRank(call, "inputList", inputList, group.size());
  checkAlike(call, "inputList", inputs, result);
  return run({ call, name: "reduceScatter", group, outputs: [result], inputs, op }, asyncOp);
}

/**
 * Combines the tensors of all ranks. Each rank gets its part of the rows of the result; the first rank gets the first
 * rows.
 */
export function reduceScatterTensor<const Given extends ReducingOptions = ReducingOptions>(
  output: Tensor,
  input: Tensor,
  options?: Given,
): Started<Given> {
  const call = "distributed.reduceScatterTensor";
  const [part, whole] = [checkTensor(call, "output", output), checkTensor(call, "input", input)];
  const { group, asyncOp, op } = readReducing(call, options);
  checkWhole(call, whole, part, group.size());
  return run({ call, name: "reduceScatterTensor", group, outputs: [part], inputs: [whole], op }, asyncOp);
}

/**
 * Every rank sends a tensor to every rank: `inputTensorList[i]` goes to rank i, and the received tensors fill the other
 * list.
 */
export function allToAll<const Given extends CollectiveOptions = CollectiveOptions>(
  outputTensorList: readonly Tensor[],
  inputTensorList: readonly Tensor[],
  options?: Given,
): Started<Given> {
  const call = "distributed.allToAll";
  const { group, asyncOp } = readCollective(call, options);
  const outputs = checkOnePerRank(call, "outputTensorList", outputTensorList, group.size());
  const inputs = checkOnePerRank(call, "inputTensorList", inputTensorList, group.size());
  return run({ call, name: "allToAll", group, outputs, inputs }, asyncOp);
}

/** Options of `distributed.allToAllSingle` by name. */
export interface AllToAllSingleOptions extends CollectiveOptions {
  /** Rows of `output` that come from each rank. Default: equal parts. */
  readonly outputSplitSizes?: readonly number[];
  /** Rows of `input` that go to each rank. Default: equal parts. */
  readonly inputSplitSizes?: readonly number[];
}

/** How many rows go to each rank, or come from it; undefined for equal parts. */
function checkSplits(
  call: string,
  name: string,
  splits: readonly number[] | undefined,
  size: number,
  rows: number,
): readonly number[] {
  if (splits === undefined) {
    if (rows % size !== 0)
      throw new RangeError(
        `${call}: ${rows} rows do not divide into ${size} equal parts: pass ${name}, the rows of each rank.`,
      );
    return [];
  }
  const checked = Array.from(splits, (rowsOfRank, i) => checkInteger(call, `${name}[${i}]`, rowsOfRank, 0));
  if (checked.length !== size || checked.reduce((sum, one) => sum + one, 0) !== rows)
    throw new RangeError(
      `${call}: ${name} must have a number for each of the ${size} ranks, ${rows} in all, got [${checked.join(", ")}].`,
    );
  return checked;
}

const rowsOf = (tensor: Tensor): number => native.shape(tensor)[0] ?? 1;

/** Splits the rows of `input` among the ranks, sends each rank its part, and joins the received parts in `output`. */
export function allToAllSingle<const Given extends AllToAllSingleOptions = AllToAllSingleOptions>(
  output: Tensor,
  input: Tensor,
  options?: Given,
): Started<Given> {
  const call = "distributed.allToAllSingle";
  const [into, from] = [checkTensor(call, "output", output), checkTensor(call, "input", input)];
  const { group, asyncOp, outputSplitSizes, inputSplitSizes } = readAllToAll(call, options);
  const size = group.size();
  const outputSplits = checkSplits(call, "outputSplitSizes", outputSplitSizes, size, rowsOf(into));
  const inputSplits = checkSplits(call, "inputSplitSizes", inputSplitSizes, size, rowsOf(from));
  return run(
    { call, name: "allToAllSingle", group, outputs: [into], inputs: [from], outputSplits, inputSplits },
    asyncOp,
  );
}

const splitSizes = optional((call, name, value) => checkList(call, name, value as readonly number[]));

function readAllToAll(call: string, given: AllToAllSingleOptions | undefined) {
  const { outputSplitSizes, inputSplitSizes, ...rest } = readOptions(call, given, {
    ...COLLECTIVE,
    outputSplitSizes: splitSizes,
    inputSplitSizes: splitSizes,
  });
  return { ...rest, group: rest.group ?? groupOf(call, null), outputSplitSizes, inputSplitSizes };
}
