// Implements `torch.norm` and `x.norm()`, which PyTorch writes in Python over the norms of vectors and matrices
// (torch/functional.py). ATen's own form takes neither a name for the order nor null for the dimensions.
import type { Tensor } from "../types/index.ts";
import {
  checkBoolean,
  checkInteger,
  checkNumber,
  checkOptions,
  describe,
  isRecord,
  shapeText,
} from "../vocabulary/arguments.ts";
import { type DType, floatingWay, isFloatingDType } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";
import { checkTensor } from "./tensor_arguments.ts";

/** The order of a vector's norm; or `"fro"`, the root of the sum of squares; or `"nuc"`, the sum of a matrix' singular values. */
export type NormOrder = number | "fro" | "nuc";

interface LastOptions {
  /** The dtype of the computation and of the result. */
  readonly dtype?: DType | null;
  readonly out?: Tensor | null;
}
interface KeepingOptions extends LastOptions {
  /** Keeps the dimensions, with size 1. Default: false. */
  readonly keepdim?: boolean;
}
interface DimOptions extends KeepingOptions {
  /** The dimensions to sum over. Default: all. */
  readonly dim?: Dims;
}
export interface TensorNormOptions extends DimOptions {
  /** The order of the norm. Default: `"fro"`. */
  readonly p?: NormOrder | null;
}
type Dims = number | readonly number[] | null;

export interface Norm<First extends readonly unknown[]> {
  (...args: [...First, options?: TensorNormOptions]): Tensor;
  (...args: [...First, p: NormOrder | null, options?: DimOptions]): Tensor;
  (...args: [...First, p: NormOrder | null, dim: Dims, options?: KeepingOptions]): Tensor;
  (...args: [...First, p: NormOrder | null, dim: Dims, keepdim: boolean, options?: LastOptions]): Tensor;
}

const OPTIONS = ["p", "dim", "keepdim", "dtype", "out"] as const;
const vectorNorm = makeOperator("linalg_vector_norm");
const matrixNorm = makeOperator("linalg_matrix_norm", "str_ord");
/** ATen's own, which knows sparse tensors. */
const plainNorm = makeOperator("norm");

interface Asked {
  readonly p: NormOrder;
  readonly dims: readonly number[] | null;
  readonly keepdim: boolean;
  readonly rest: LastOptions;
}

function read(args: unknown[]): Asked {
  const call = "norm";
  const last = args.at(-1);
  const given = isRecord(last) ? (args.pop() as TensorNormOptions) : undefined;
  const named = checkOptions<TensorNormOptions>(call, given, OPTIONS);
  if (args.length > 3)
    throw new TypeError(
      `${call}: after p, dim and keepdim come options, as { dtype: "float64" }, got ${describe(args[3])}.`,
    );
  const all: TensorNormOptions = { ...named };
  for (const [at, name] of OPTIONS.slice(0, args.length).entries()) {
    if (name in named) throw new TypeError(`${call}: ${name} is given twice, by its place and by its name.`);
    if (args[at] !== undefined) Object.assign(all, { [name]: args[at] });
  }
  const { p, dim = null, keepdim = false, dtype, out } = all;
  if (typeof p === "string" && p !== "fro" && p !== "nuc")
    throw new TypeError(`${call}: p must be a number, "fro" or "nuc", got ${describe(p)}.`);
  if (p !== undefined && p !== null && typeof p !== "string") checkNumber(call, "p", p);
  const list = dim === null || Array.isArray(dim) ? (dim as readonly number[] | null) : [dim as number];
  list?.forEach((one, at) => checkInteger(call, Array.isArray(dim) ? `dim[${at}]` : "dim", one, -Infinity));
  if (out !== undefined && out !== null) checkTensor(call, "out", out);
  return {
    p: p ?? (p === null ? 2 : "fro"),
    dims: list,
    keepdim: checkBoolean(call, "keepdim", keepdim),
    rest: { ...(dtype ? { dtype } : {}), ...(out ? { out } : {}) },
  };
}

/** The dimensions of the matrices whose norm is asked for. */
function matrixDims(input: Tensor, { p, dims }: Asked): readonly number[] {
  const found = dims ?? Array.from({ length: native.dim(input) }, (_, at) => at);
  if (found.length === 2) return found;
  throw new RangeError(
    dims === null
      ? `norm: ${describe(p)} is of a matrix: give the two dimensions of one, got a tensor of shape ${shapeText(native.shape(input))}.`
      : `norm: ${describe(p)} is of ${p === "fro" ? "at most " : ""}two dimensions, got dim ${shapeText(dims)}.`,
  );
}

function run(input: Tensor, args: unknown[]): Tensor {
  const dtype = native.dtype(checkTensor("norm", "input", input));
  if (!isFloatingDType(dtype) && !dtype.startsWith("complex"))
    throw new TypeError(
      `norm: the input must be of floating or complex numbers, got ${dtype}; ${floatingWay(dtype)}.`,
    );
  const asked = read(args);
  const { p, dims, keepdim, rest } = asked;
  const options = Object.keys(rest).length > 0 ? [rest] : [];
  if (native.layout(input) !== "strided" && p !== "nuc") {
    const order = p === "fro" ? 2 : p;
    return (
      dims === null ? plainNorm(input, order) : plainNorm(input, order, dims, keepdim, ...options)
    ) as Tensor;
  }
  if (p === "nuc" || (p === "fro" && dims !== null && dims.length > 2))
    return matrixNorm(input, p, matrixDims(input, asked), keepdim, ...options) as Tensor;
  return vectorNorm(input, p === "fro" ? 2 : p, dims, keepdim, ...options) as Tensor;
}

/**
 * The p-norm over `dim`, or over all elements. `"nuc"` wants a matrix, or `dim` with two dimensions.
 *
 * @throws TypeError, RangeError for an order, or for dimensions, that there are no norms of
 */
export const norm: Norm<[input: Tensor]> = (input: Tensor, ...args: unknown[]) => run(input, args);

/** The same as a method. */
export function normMethod(this: Tensor, ...args: unknown[]): Tensor {
  return run(this, args);
}
