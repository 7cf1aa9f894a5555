// Embedding functions: rows of a matrix by index, and bags of rows.
import { optionalTensor } from "../../tensor/tensor_arguments.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import {
  boolean,
  choice,
  nullable,
  integer,
  number,
  readOptions,
  type Rules,
} from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type {
  DeviceOf,
  DTypeOf,
  IndexProblem,
  RowsShape,
  SomeTensor,
  TensorOf,
  Unless,
} from "../../types/index.ts";

export interface LookupOptions {
  /** A row that gets no gradient; -1 is the last. Default: none. */
  readonly paddingIdx?: number | null;
  /** Rows that are looked up are scaled down to this norm, in place. Default: none. */
  readonly maxNorm?: number | null;
  /** The exponent of that norm. Default: 2. */
  readonly normType?: number;
  /** Divides the gradient of a row by how often it occurs. Default: false. */
  readonly scaleGradByFreq?: boolean;
  /** Makes the gradient a sparse tensor, for SparseAdam, SGD and Adagrad. Default: false. */
  readonly sparse?: boolean;
}

export const LOOKUP_RULES: Rules<LookupOptions> = {
  paddingIdx: nullable(integer(0, -Infinity)),
  maxNorm: nullable(number(1, { min: 0 })),
  normType: number(2),
  scaleGradByFreq: boolean(false),
  sparse: boolean(false),
};

export function requireIndices(call: string, input: Tensor): void {
  if (!native.isTensor(input))
    throw new TypeError(`${call}: the input must be a tensor, got ${describe(input)}.`);
  const dtype = native.dtype(input);
  if (dtype !== "int64" && dtype !== "int32") {
    throw new TypeError(
      `${call}: indices must be int64 or int32, got ${dtype}; convert them with input.to("int64").`,
    );
  }
}

/** Scales the rows that are looked up down to a norm. */
function renorm(weight: Tensor, input: Tensor, maxNorm: number, normType: number): void {
  noGrad(() => torchFunctions.embeddingRenorm_(weight, input.contiguous(), maxNorm, normType));
}

function rowNumber(call: string, paddingIdx: number | null | undefined, rows: number): number {
  if (paddingIdx == null) return -1;
  if (!Number.isInteger(paddingIdx) || paddingIdx < -rows || paddingIdx >= rows) {
    throw new RangeError(`${call}: paddingIdx must be a row of ${rows}, got ${paddingIdx}.`);
  }
  return paddingIdx < 0 ? rows + paddingIdx : paddingIdx;
}

/** `[...]` of indices -> `[..., size]` of rows of `weight`. */
export function embedding<A extends SomeTensor, W extends SomeTensor, Problem = IndexProblem<"embedding", A>>(
  input: A & Unless<Problem>,
  weight: W,
  paddingIdx?: number | null | LookupOptions,
  maxNorm?: number | null | LookupOptions,
  normType?: number | LookupOptions,
  scaleGradByFreq?: boolean | LookupOptions,
  sparse?: boolean,
): TensorOf<RowsShape<A, W>, DTypeOf<W>, DeviceOf<W>>;
export function embedding(input: Tensor, weight: Tensor, ...given: unknown[]): Tensor {
  const places = ["paddingIdx", "maxNorm", "normType", "scaleGradByFreq", "sparse"] as const;
  const options = optionsByPlace<LookupOptions>("embedding", places, given);
  const read = readOptions<LookupOptions>("embedding", options, LOOKUP_RULES);
  requireIndices("embedding", input);
  return lookUp(input, weight, read);
}

/** The same for indices and options that were checked before, as a layer's are. */
export function lookUp(input: Tensor, weight: Tensor, options: Required<LookupOptions>): Tensor {
  const { paddingIdx, maxNorm, normType, scaleGradByFreq, sparse } = options;
  const padding = rowNumber("embedding", paddingIdx, native.shape(weight)[0] ?? 0);
  if (maxNorm !== null) renorm(weight, input, maxNorm, normType);
  return torchFunctions.embedding(weight, input, padding, scaleGradByFreq, sparse);
}

export type BagMode = "sum" | "mean" | "max";
/** The modes at the index of their number in libtorch. */
export const BAG_MODES = ["sum", "mean", "max"] as const satisfies readonly BagMode[];

export interface EmbeddingBagArguments extends LookupOptions {
  /** The index at which each bag begins. Only for an input of one dimension. Default: null. */
  readonly offsets?: Tensor | null;
  /** The reduction of a bag's rows: their mean, sum or maximum. Default: "mean". */
  readonly mode?: BagMode;
  /** A weight for each index, of the input's shape; with mode "sum". Default: null. */
  readonly perSampleWeights?: Tensor | null;
  /** Whether the last offset is the end of the last bag. Default: false. */
  readonly includeLastOffset?: boolean;
}

const BAG_RULES: Rules<EmbeddingBagArguments> = {
  offsets: optionalTensor,
  mode: choice("mean", BAG_MODES),
  perSampleWeights: optionalTensor,
  includeLastOffset: boolean(false),
  ...LOOKUP_RULES,
};

const BAG_PLACES = [
  "offsets",
  "maxNorm",
  "normType",
  "scaleGradByFreq",
  "mode",
  "sparse",
  "perSampleWeights",
  "includeLastOffset",
  "paddingIdx",
] as const satisfies readonly (keyof EmbeddingBagArguments)[];

function refuseCombinations(call: string, bag: Required<EmbeddingBagArguments>, input: Tensor): void {
  const { mode, scaleGradByFreq, sparse, perSampleWeights, offsets } = bag;
  if (mode === "max" && (scaleGradByFreq || sparse)) {
    throw new TypeError(`${call}: mode "max" has neither scaleGradByFreq nor sparse gradients.`);
  }
  if (perSampleWeights && mode !== "sum") {
    throw new TypeError(`${call}: perSampleWeights need mode "sum", got "${mode}".`);
  }
  const shape = native.shape(input);
  if (perSampleWeights && native.shape(perSampleWeights).join() !== shape.join()) {
    throw new RangeError(
      `${call}: perSampleWeights must have the input's shape [${shape.join(", ")}], got [${native.shape(perSampleWeights).join(", ")}].`,
    );
  }
  if (shape.length === 2 && offsets) {
    throw new TypeError(`${call}: an input of 2 dimensions has a bag in each row and takes no offsets.`);
  }
  if (shape.length === 1 && !offsets) {
    throw new TypeError(`${call}: an input of 1 dimension needs offsets, which say where each bag begins.`);
  }
  if (shape.length !== 1 && shape.length !== 2) {
    throw new RangeError(`${call}: the input must have 1 or 2 dimensions, got shape [${shape.join(", ")}].`);
  }
}

/** The sum, mean or maximum of each bag of rows: [bags, size]. */
export function embeddingBag(
  input: Tensor,
  weight: Tensor,
  offsets?: Tensor | null | EmbeddingBagArguments,
  maxNorm?: number | null | EmbeddingBagArguments,
  normType?: number | EmbeddingBagArguments,
  scaleGradByFreq?: boolean | EmbeddingBagArguments,
  mode?: BagMode | EmbeddingBagArguments,
  sparse?: boolean | EmbeddingBagArguments,
  perSampleWeights?: Tensor | null | EmbeddingBagArguments,
  includeLastOffset?: boolean | EmbeddingBagArguments,
  paddingIdx?: number | null,
): Tensor;
export function embeddingBag(input: Tensor, weight: Tensor, ...given: unknown[]): Tensor {
  const call = "embeddingBag";
  const options = optionsByPlace<EmbeddingBagArguments>(call, BAG_PLACES, given);
  const bag = readOptions<EmbeddingBagArguments>(call, options, BAG_RULES);
  requireIndices(call, input);
  refuseCombinations(call, bag, input);
  const [first, second] = native.shape(input);
  const rows = second !== undefined;
  const offsets = rows
    ? torchFunctions.arange(0, first! * second, Math.max(second, 1), {
        dtype: native.dtype(input),
        device: native.device(input),
      })
    : bag.offsets!;
  const indices = rows ? input.reshape([-1]) : input;
  const weights = rows ? (bag.perSampleWeights?.reshape([-1]) ?? null) : bag.perSampleWeights;
  if (bag.maxNorm !== null) renorm(weight, indices, bag.maxNorm, bag.normType);
  const padding = bag.paddingIdx === null ? null : rowNumber(call, bag.paddingIdx, native.shape(weight)[0]!);
  const [output] = torchFunctions.embeddingBag(
    weight,
    indices,
    offsets,
    bag.scaleGradByFreq,
    BAG_MODES.indexOf(bag.mode),
    bag.sparse,
    weights,
    !rows && bag.includeLastOffset,
    padding,
  );
  return output;
}
