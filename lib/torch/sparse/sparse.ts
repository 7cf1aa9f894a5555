// Creates sparse tensors from indices and values, and defines `torch.sparse`, the operators that keep them sparse.
// Storage formats and invariants are PyTorch's (`torch/sparse/__init__.py`). Dense operators take sparse tensors
// where ATen has kernels for them.
import type { DeviceText } from "../vocabulary/device_name.ts";
import { setRequiresGrad } from "../tensor/requires_grad.ts";
import { tooManyArguments } from "../../surplus_arguments.ts";
import { checkBoolean, checkChoice, checkOptions, describe, isRecord } from "../vocabulary/arguments.ts";
import { tensor } from "../tensor/creation.ts";
import { getDefaultDtype } from "../tensor/default_dtype.ts";
import type { DType, Scalar, Layout } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { NestedValues } from "../tensor/values.ts";

export interface SparseOptions {
  /** The dtype of the values. Default: their own. */
  dtype?: DType;
  /** The device of the values. Default: that of the values. */
  device?: DeviceText;
  /** Autograd should record operations on the tensor. Default: false. */
  requiresGrad?: boolean;
  /**
   * Refuses indices that are out of bounds, out of order or inconsistent with the size. Default: true. Without the
   * check, operators trust the indices, and wrong ones make them access memory outside of the tensor.
   */
  checkInvariants?: boolean;
}

export interface CooOptions extends SparseOptions {
  /** The indices are sorted, and none comes twice. Default: false. */
  isCoalesced?: boolean;
}

const OPTIONS = ["dtype", "device", "requiresGrad", "checkInvariants"] as const;

interface Parts {
  readonly indices: readonly Tensor[];
  readonly values: Tensor;
  readonly size: readonly number[] | undefined;
  readonly options: SparseOptions;
}

/** Indices as int64 (int32 stays), values as they are or as the dtype says, all on one device. */
function readParts(
  call: string,
  indices: Readonly<Record<string, unknown>>,
  values: unknown,
  size: unknown,
  given: CooOptions,
): Parts {
  if (size !== undefined && size !== null && !Array.isArray(size))
    throw new TypeError(`${call}: size must be an array of integers, got ${describe(size)}.`);
  const { dtype, device } = given;
  const held = native.isTensor(values) ? values : tensor(values as NestedValues, dtype ? { dtype } : {});
  const placed = held.to({ ...(dtype ? { dtype } : {}), ...(device ? { device } : {}) });
  const lists = Object.entries(indices).map(([name, list]) => {
    const read = native.isTensor(list) ? list : toIndices(list as NestedValues);
    if (read.dtype !== "int64" && read.dtype !== "int32")
      throw new TypeError(`${call}: ${name} must be of int64 or int32, got ${read.dtype}.`);
    return read.to({ device: placed.device });
  });
  if (given.checkInvariants !== undefined) checkBoolean(call, "checkInvariants", given.checkInvariants);
  return { indices: lists, values: placed, size: (size as number[] | null) ?? undefined, options: given };
}

/** An empty list has no dtype. */
function toIndices(list: NestedValues): Tensor {
  const read = tensor(list);
  return read.numel() === 0 ? read.to("int64") : read;
}

/** Runs libtorch's check, with errors that name the call. */
function requireInvariants(call: string, options: SparseOptions, check: () => unknown): void {
  if (options.checkInvariants === false) return;
  try {
    check();
  } catch (error) {
    const text = (error as Error).message.replace(/^\w+\(\): /, "").replace(/ \(got .*\)\.$/s, ".");
    throw new RangeError(`${call}: ${text}`, { cause: error });
  }
}

function finish(made: Tensor, { requiresGrad = false }: SparseOptions): Tensor {
  if (checkBoolean("a sparse tensor", "requiresGrad", requiresGrad)) setRequiresGrad(made, true);
  return made;
}

const cooOfSize = makeOperator("sparse_coo_tensor", "indices_size") as (...args: unknown[]) => Tensor;
const coo = makeOperator("sparse_coo_tensor", "indices") as (...args: unknown[]) => Tensor;
const cooEmpty = makeOperator("sparse_coo_tensor", "size") as (...args: unknown[]) => Tensor;
const checkCoo = makeOperator("_validate_sparse_coo_tensor_args");

/**
 * Values at indices: `indices` [sparseDims, nnz], `values` [nnz, ...dense sizes]. An index may occur several times;
 * `coalesce` adds up its values. Default of the size: the smallest that holds all indices.
 *
 * @throws RangeError for an index outside of the size
 */
export function sparseCooTensor(
  indices: Tensor | NestedValues,
  values: Tensor | NestedValues,
  size?: readonly number[] | null,
  options?: CooOptions,
): Tensor;
export function sparseCooTensor(
  indices: Tensor | NestedValues,
  values: Tensor | NestedValues,
  options: CooOptions,
): Tensor;
/** A sparse tensor without values. */
export function sparseCooTensor(size: readonly number[], options?: CooOptions): Tensor;
export function sparseCooTensor(...args: unknown[]): Tensor {
  const call = "torch.sparseCooTensor";
  const known = [...OPTIONS, "isCoalesced"] as const;
  if (args.length === 1 || (args.length === 2 && isPlainObject(args[1]))) {
    const {
      dtype = getDefaultDtype(),
      device = "cpu",
      ...rest
    } = checkOptions<CooOptions>(call, args[1] as CooOptions, known);
    return finish(cooEmpty(args[0], { dtype, layout: "sparse_coo", device }), rest);
  }
  if (args.length > 4) throw tooManyArguments(call, 4, args.length);
  if (args.length === 3 && isPlainObject(args[2])) args.splice(2, 0, undefined);
  const given = checkOptions<CooOptions>(call, args[3] as CooOptions, known);
  const parts = readParts(call, { indices: args[0] }, args[1], args[2], given);
  const { values, size } = parts;
  const [indices] = parts.indices as [Tensor];
  const { isCoalesced = false } = given;
  // An empty array of indices has no shape of its own in JavaScript.
  const places = indices.numel() === 0 && indices.ndim === 1 ? indices.reshape([1, 0]) : indices;
  const option = { isCoalesced: checkBoolean(call, "isCoalesced", isCoalesced) };
  const { dtype } = values;
  if (size !== undefined) requireInvariants(call, given, () => checkCoo(places, values, size, isCoalesced));
  const options = { ...option, dtype };
  const made = size === undefined ? coo(places, values, options) : cooOfSize(places, values, size, options);
  return finish(made, given);
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !native.isTensor(value) &&
  !ArrayBuffer.isView(value);

type Compressed = Exclude<Layout, "strided" | "sparse_coo">;

const compressed = makeOperator("sparse_compressed_tensor", "comp_plain_value_size");
const compressedSizeless = makeOperator("sparse_compressed_tensor", "comp_plain_value");
const checkCompressed = makeOperator("_validate_sparse_compressed_tensor_args");

/** PyTorch's names for the two index tensors of each layout. */
const INDEX_NAMES: Record<Compressed, readonly [compressed: string, plain: string]> = {
  sparse_csr: ["crowIndices", "colIndices"],
  sparse_csc: ["ccolIndices", "rowIndices"],
  sparse_bsr: ["crowIndices", "colIndices"],
  sparse_bsc: ["ccolIndices", "rowIndices"],
};

function makeCompressed(call: string, layout: Compressed, args: readonly unknown[]): Tensor {
  const [first, second, values] = args;
  if (args.length > 5) throw tooManyArguments(call, 5, args.length);
  const [size, given] =
    args.length === 4 && isPlainObject(args[3]) ? [undefined, args[3]] : [args[3], args[4]];
  const options = checkOptions<SparseOptions>(call, given as SparseOptions, OPTIONS);
  const [compressedName, plainName] = INDEX_NAMES[layout];
  const parts = readParts(call, { [compressedName]: first, [plainName]: second }, values, size, options);
  const whole = [...parts.indices, parts.values];
  const kind = { dtype: parts.values.dtype, layout, device: parts.values.device };
  if (parts.size !== undefined)
    requireInvariants(call, options, () => checkCompressed(...whole, parts.size, layout));
  const made = (
    parts.size === undefined ? compressedSizeless(...whole, kind) : compressed(...whole, parts.size, kind)
  ) as Tensor;
  if (parts.size === undefined)
    requireInvariants(call, options, () => checkCompressed(...whole, made.shape, layout));
  return finish(made, options);
}

export interface CompressedFactory {
  (
    compressedIndices: Tensor | NestedValues,
    plainIndices: Tensor | NestedValues,
    values: Tensor | NestedValues,
    size?: readonly number[] | null,
    options?: SparseOptions,
  ): Tensor;
  (
    compressedIndices: Tensor | NestedValues,
    plainIndices: Tensor | NestedValues,
    values: Tensor | NestedValues,
    options: SparseOptions,
  ): Tensor;
}

const factory = (name: string, layout: Compressed): CompressedFactory =>
  function (...args: readonly unknown[]) {
    return makeCompressed(`torch.${name}`, layout, args);
  };

/** Rows one after the other: `crowIndices` [rows + 1] say where each begins, `colIndices` [nnz] the columns. */
export const sparseCsrTensor = factory("sparseCsrTensor", "sparse_csr");
/** Columns one after the other: `ccolIndices` [columns + 1], `rowIndices` [nnz]. */
export const sparseCscTensor = factory("sparseCscTensor", "sparse_csc");
/** CSR of dense blocks: `values` [nnz, blockRows, blockColumns]. */
export const sparseBsrTensor = factory("sparseBsrTensor", "sparse_bsr");
/** CSC of dense blocks. */
export const sparseBscTensor = factory("sparseBscTensor", "sparse_bsc");

/**
 * Any of the four compressed layouts: `{ layout: "sparse_csr" }`; the size is the least that holds all indices where it
 * is undefined or null.
 *
 * @throws TypeError for options without a layout
 */
export function sparseCompressedTensor(
  compressedIndices: Tensor | NestedValues,
  plainIndices: Tensor | NestedValues,
  values: Tensor | NestedValues,
  size: readonly number[] | null | undefined,
  options: SparseOptions & { layout: Compressed },
): Tensor {
  const call = "torch.sparseCompressedTensor";
  if (!isRecord(options))
    throw new TypeError(
      `${call}: the options must name the layout, as { layout: "sparse_csr" }, got ${describe(options)}.`,
    );
  const { layout, ...rest } = options as SparseOptions & { layout: Compressed };
  checkChoice(call, "layout", layout, ["sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]);
  return makeCompressed(call, layout, [compressedIndices, plainIndices, values, size, rest]);
}

export interface SparseFunctions {
  /** Product of a sparse matrix and a matrix, or with `reduce` another reduction than the sum (CSR on the CPU). */
  mm(sparse: Tensor, dense: Tensor, reduce?: "sum" | "mean" | "amax" | "amin"): Tensor;
  /** `beta * input + alpha * (mat1 @ mat2)`, mat1 sparse. Defaults: beta = 1, alpha = 1. */
  addmm(input: Tensor, mat1: Tensor, mat2: Tensor, options?: { beta?: Scalar; alpha?: Scalar }): Tensor;
  /** `beta * input + alpha * (mat1 @ mat2)` where the sparse input (CSR) has elements, and only there. */
  sampledAddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    options?: { beta?: Scalar; alpha?: Scalar; out?: Tensor },
  ): Tensor;
  /** Sum of all elements (dense), or over dimensions: sparse while sparse dimensions remain. */
  sum(input: Tensor, dim?: number | readonly number[], options?: { dtype?: DType }): Tensor;
  /** Softmax over the elements that are there: the others count as minus infinity. */
  softmax(input: Tensor, dim: number, options?: { dtype?: DType | null }): Tensor;
  /** Logarithm of `softmax`. */
  logSoftmax(input: Tensor, dim: number, options?: { dtype?: DType | null }): Tensor;
  /** A matrix with these rows as diagonals, at these offsets from the main one. */
  spdiags(diagonals: Tensor, offsets: Tensor, shape: readonly number[], layout?: Layout | null): Tensor;
}

const OPERATORS: Record<keyof SparseFunctions, string> = {
  mm: "_sparse_mm",
  addmm: "_sparse_addmm",
  sampledAddmm: "sparse_sampled_addmm",
  sum: "_sparse_sum",
  softmax: "_sparse_softmax",
  logSoftmax: "_sparse_log_softmax",
  spdiags: "_spdiags",
};

/** `torch.sparse` */
export const sparse = Object.fromEntries(
  Object.entries(OPERATORS).map(([name, operator]) => [name, makeOperator(operator)]),
) as unknown as SparseFunctions;
