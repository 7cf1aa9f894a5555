// Defines functions that PyTorch writes in Python over its operators (`torch/functional.py`). ATen's own forms have
// other arguments or give other results.
import type { ByName, Tensor } from "../types/index.ts";
import { checkTensor } from "./tensor_arguments.ts";
import {
  checkInteger,
  checkList,
  checkOptions,
  describe,
  isRecord,
  shapeText,
} from "../vocabulary/arguments.ts";
import { argumentsByName, neededByPlace, optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { boolean, checkedLater, choice, number, type OpenRules, readOptions } from "../vocabulary/options.ts";
import { cast } from "./conversion.ts";
import { native } from "../engine/native.ts";
import { normMethod } from "./norm.ts";
import { makeOperator } from "./operators.ts";
import { qscheme } from "./quantized.ts";

export interface UniqueConsecutiveOptions {
  /** Also returns the position of each element of the input in the result. Default: false. */
  readonly returnInverse?: boolean;
  /** Also returns how often each occurred. Default: false. */
  readonly returnCounts?: boolean;
  /** Compare slices along this dimension, and not single elements. Default: none. */
  readonly dim?: number | null;
}

export interface UniqueOptions extends UniqueConsecutiveOptions {
  /** Whether the elements are in ascending order. Default: true. */
  readonly sorted?: boolean;
}

/** Options that ask for the elements only, which then come back alone. */
export type ValuesOnly = { readonly returnInverse?: false; readonly returnCounts?: false };

const RUN_RULES = {
  returnInverse: boolean(false),
  returnCounts: boolean(false),
  dim: checkedLater<number | null>(null),
} satisfies OpenRules<UniqueConsecutiveOptions>;

const UNIQUE_RULES = { sorted: boolean(true), ...RUN_RULES } satisfies OpenRules<UniqueOptions>;

const NONZERO_RULES = {
  asTuple: boolean(false),
  out: checkedLater<Tensor | undefined>(undefined),
} satisfies OpenRules<NonzeroOptions>;

const uniqueDim = makeOperator("unique_dim");
const uniqueAll = makeOperator("_unique2");
const consecutive = makeOperator("unique_consecutive");

function requireDim(call: string, given: unknown, dim: number | null): void {
  const input = checkTensor(call, "input", given);
  if (dim !== null) checkInteger(call, "dim", dim, -native.dim(input));
}

function chosen(results: unknown, inverse: boolean, counts: boolean): Tensor | Tensor[] {
  const [elements, inverses, occurrences] = results as [Tensor, Tensor, Tensor];
  if (!inverse) inverses.dispose();
  if (!counts) occurrences.dispose();
  const wanted = [elements, ...(inverse ? [inverses] : []), ...(counts ? [occurrences] : [])];
  return wanted.length === 1 ? elements : wanted;
}

/**
 * The shape that tensors of these shapes have together: `broadcastShapes([2, 1], [3])` is [2, 3].
 *
 * @throws RangeError where two sizes differ and neither is 1
 */
export function broadcastShapes(...shapes: readonly (readonly number[])[]): number[] {
  const call = "broadcastShapes";
  const read = shapes.map((shape, at) =>
    checkList(call, `shapes[${at}]`, shape).map((size, dim) =>
      checkInteger(call, `shapes[${at}][${dim}]`, size, 0),
    ),
  );
  const dims = Math.max(0, ...read.map((shape) => shape.length));
  return Array.from({ length: dims }, (_, at) => {
    const sizes = read.map((shape) => shape[shape.length - dims + at] ?? 1).filter((size) => size !== 1);
    const other = sizes.find((size) => size !== sizes[0]);
    if (other !== undefined)
      throw new RangeError(
        `${call}: ${read.map(shapeText).join(" and ")} do not broadcast: ${sizes[0]} and ${other} differ, and neither is 1.`,
      );
    return sizes[0] ?? 1;
  });
}

/** How many elements a tensor has. */
export function numel(input: Tensor): number {
  return native.numel(checkTensor("numel", "input", input));
}

/** The different elements; with `returnInverse` or `returnCounts` an array of those tensors, in this order. */
export function unique(input: Tensor, options?: UniqueOptions & ValuesOnly): Tensor;
export function unique(input: Tensor, options: UniqueOptions): Tensor | Tensor[];
export function unique(input: Tensor, options?: UniqueOptions): Tensor | Tensor[] {
  const read = readOptions("unique", options, UNIQUE_RULES);
  const { returnInverse: inverse, returnCounts: counts, sorted, dim } = read;
  requireDim("unique", input, dim);
  const results =
    dim === null ? uniqueAll(input, sorted, inverse, counts) : uniqueDim(input, dim, sorted, inverse, counts);
  return chosen(results, inverse, counts);
}

/** One element of each run of equal ones, with the same further results as `unique`. */
export function uniqueConsecutive(input: Tensor, options?: UniqueConsecutiveOptions & ValuesOnly): Tensor;
export function uniqueConsecutive(input: Tensor, options: UniqueConsecutiveOptions): Tensor | Tensor[];
export function uniqueConsecutive(input: Tensor, options?: UniqueConsecutiveOptions): Tensor | Tensor[] {
  const read = readOptions("uniqueConsecutive", options, RUN_RULES);
  const { returnInverse: inverse, returnCounts: counts, dim } = read;
  requireDim("uniqueConsecutive", input, dim);
  return chosen(consecutive(input, inverse, counts, dim), inverse, counts);
}

const nonzeroRows = makeOperator("nonzero");
const nonzeroColumns = makeOperator("nonzero_numpy");

export interface NonzeroOptions {
  /** One tensor for each dimension, and not one of shape [count, dims]. Default: false. */
  readonly asTuple?: boolean;
  /** Written to, where `asTuple` is false. Default: a new tensor. */
  readonly out?: Tensor;
}

/** Indices of the elements that are not zero: [count, dims], or with `asTuple` one tensor for each dimension. */
export function nonzero(input: Tensor, options?: NonzeroOptions & { readonly asTuple?: false }): Tensor;
export function nonzero(input: Tensor, options: NonzeroOptions): Tensor | Tensor[];
export function nonzero(input: Tensor, options?: NonzeroOptions): Tensor | Tensor[] {
  checkTensor("nonzero", "input", input);
  const { asTuple, out } = readOptions("nonzero", options, NONZERO_RULES);
  if (!asTuple) return (out === undefined ? nonzeroRows(input) : nonzeroRows(input, { out })) as Tensor;
  if (out !== undefined) throw new TypeError("nonzero: asTuple gives new tensors: leave out 'out'.");
  return nonzeroColumns(input) as Tensor[];
}

/** PyTorch's Python names, at the index of ATen's number. */
const CDIST_MODES = [
  "use_mm_for_euclid_dist_if_necessary",
  "use_mm_for_euclid_dist",
  "donot_use_mm_for_euclid_dist",
] as const;
export type CdistMode = (typeof CDIST_MODES)[number];

export interface CdistOptions {
  /** The norm's exponent, 0 to Infinity. Default: 2. */
  readonly p?: number;
  /** Whether a matrix product may compute Euclidean distances. Default: where there are more than 25 rows. */
  readonly computeMode?: CdistMode;
}

const CDIST_RULES = {
  p: number(2),
  computeMode: choice(CDIST_MODES[0], CDIST_MODES),
} satisfies OpenRules<CdistOptions>;

const distances = makeOperator("cdist");

/**
 * Distances by the p-norm between the rows of [..., m, d] and those of [..., n, d]: [..., m, n]. The mode says whether
 * a matrix product may compute the Euclidean ones, which is faster and less exact; by default where there are more
 * than 25 rows.
 */
export function cdist(
  x1: Tensor,
  x2: Tensor,
  p?: number | CdistOptions,
  computeMode?: CdistMode | Pick<CdistOptions, "computeMode">,
): Tensor;
export function cdist(named: ByName & CdistOptions & { readonly x1: Tensor; readonly x2: Tensor }): Tensor;
export function cdist(...given: unknown[]): Tensor {
  const [first, second, ...places] = neededByPlace<[Tensor, Tensor]>(["x1", "x2"], given);
  const x1 = checkTensor("cdist", "x1", first);
  const x2 = checkTensor("cdist", "x2", second);
  const options = optionsByPlace<CdistOptions>("cdist", ["p", "computeMode"], places);
  const { p, computeMode } = readOptions("cdist", options, CDIST_RULES);
  return distances(x1, x2, p, CDIST_MODES.indexOf(computeMode)) as Tensor;
}

type Dims = readonly number[];
/** How many dimensions are summed over, or which. */
type Contracted = number | Dims | readonly [Dims, Dims];

export interface TensordotOptions {
  /** How many dimensions are summed over, or which of both. Default: 2. */
  readonly dims?: Contracted;
  /** Written to. Default: a new tensor. */
  readonly out?: Tensor;
}

/** The arguments after the tensors, by their places. */
function contracted(given: TensordotOptions): unknown[] {
  const { dims = 2, out } = checkOptions("tensordot", given, ["dims", "out"]);
  return out === undefined ? [dims] : [dims, undefined, { out }];
}

const contract = makeOperator("tensordot");

/**
 * Sums products over dimensions of both: the last `dims` of `a` with the first of `b` (2 of them), those of
 * a pair of arrays, or those of two arrays.
 */
export function tensordot(
  a: Tensor,
  b: Tensor,
  dims?: Contracted | TensordotOptions,
  ...more: [dimsOther?: Dims, options?: Pick<TensordotOptions, "out">]
): Tensor;
export function tensordot(
  named: ByName & TensordotOptions & { readonly a: Tensor; readonly b: Tensor },
): Tensor;
export function tensordot(...given: unknown[]): Tensor {
  const [first, second, ...places] = neededByPlace<[Tensor, Tensor]>(["a", "b"], given);
  const input = checkTensor("tensordot", "a", first);
  const other = checkTensor("tensordot", "b", second);
  const [dims, ...more] = (
    isRecord(places[0]) ? contracted(places[0]) : [places[0] ?? 2, ...places.slice(1)]
  ) as [Contracted, ...more: unknown[]];
  if (typeof dims === "number") {
    const count = checkInteger("tensordot", "dims", dims, 0);
    const min = native.dim(input) - count;
    if (min < 0 || count > native.dim(other))
      throw new RangeError(
        `tensordot: tensors of ${native.dim(input)} and ${native.dim(other)} dimensions have no ${count} to sum over.`,
      );
    const counted = Array.from({ length: count }, (_, at) => at);
    return contract(
      input,
      other,
      counted.map((at) => min + at),
      counted,
      ...more.slice(1),
    ) as Tensor;
  }
  checkList<unknown>("tensordot", "dims", dims);
  if (dims.length === 2 && dims.every((one) => Array.isArray(one)))
    return contract(input, other, dims[0], dims[1], ...more.slice(1)) as Tensor;
  return contract(input, other, dims, ...more) as Tensor;
}

export interface StftOptions {
  /** Elements between two windows. Default: a quarter of `nFft`. */
  readonly hopLength?: number | null;
  /** The window's elements, which zeros on both sides fill up to `nFft`. Default: `nFft`. */
  readonly winLength?: number | null;
  /** [winLength]. Default: ones. */
  readonly window?: Tensor | null;
  /** Pads the input by half of `nFft` on both sides, so that window t is centred at t * hopLength. Default: true. */
  readonly center?: boolean;
  /** How it pads, as in `F.pad`. Default: "reflect". */
  readonly padMode?: string;
  /** Divides by the root of the window's length. Default: false. */
  readonly normalized?: boolean;
  /** Gives half of the frequencies, which tells the others too. Default: true of real numbers. */
  readonly onesided?: boolean | null;
  /**
   * False gives the real and the imaginary parts in a last dimension of size 2. Default: true of complex numbers; where
   * input and window are real it must be given.
   */
  readonly returnComplex?: boolean | null;
  /** Without `center`: counts windows by their own length and not by `nFft`. Default: false, as null. */
  readonly alignToWindow?: boolean | null;
}

const STFT_PLACES = [
  "hopLength",
  "winLength",
  "window",
  "center",
  "padMode",
  "normalized",
  "onesided",
  "returnComplex",
  "alignToWindow",
] as const satisfies readonly (keyof StftOptions)[];

// ATen's first form has no `center`, and would read it as `normalized`.
const windowed = makeOperator("stft", "center");

/**
 * The Fourier transform of windows that move over [..., length]: [..., frequencies, windows]. What follows `nFft` may
 * be given by place or by name.
 */
export function stft(input: Tensor, nFft: number, options?: StftOptions): Tensor;
export function stft(input: Tensor, nFft: number, hopLength: number | null, options?: StftOptions): Tensor;
export function stft(
  input: Tensor,
  nFft: number,
  hopLength: number | null,
  winLength: number | null,
  options?: StftOptions,
): Tensor;
export function stft(
  input: Tensor,
  nFft: number,
  hopLength: number | null,
  winLength: number | null,
  window: Tensor | null,
  center?: boolean | StftOptions,
  padMode?: string | StftOptions,
  normalized?: boolean | StftOptions,
  onesided?: boolean | null | StftOptions,
  returnComplex?: boolean | null | StftOptions,
  alignToWindow?: boolean | null,
): Tensor;
export function stft(input: unknown, nFft: unknown, ...given: unknown[]): Tensor {
  checkTensor("stft", "input", input);
  checkInteger("stft", "nFft", nFft, 1);
  const form = { first: "input", places: STFT_PLACES };
  return windowed(input, nFft, argumentsByName<StftOptions>("stft", form, given)) as Tensor;
}

const MAX_INT64 = 2n ** 63n - 1n;

function checkSize(name: string, size: number | bigint): bigint {
  if (typeof size !== "bigint") return BigInt(checkInteger("unravelIndex", name, size, 0));
  if (size < 0n || size > MAX_INT64)
    throw new RangeError(`unravelIndex: ${name} must be from 0 to 2^63 - 1, got ${size}.`);
  return size;
}

/** Indices by dimension of indices into the flattened tensor: the reverse of `ravel`. */
export function unravelIndex(
  indices: Tensor,
  shape: number | bigint | readonly (number | bigint)[] | Tensor,
): Tensor[] {
  checkTensor("unravelIndex", "indices", indices);
  const read = native.isTensor(shape) ? (shape.tolist() as number | number[]) : shape;
  const given: unknown = typeof read === "number" || typeof read === "bigint" ? [read] : read;
  if (!Array.isArray(given))
    throw new TypeError(`unravelIndex: shape must be an array of sizes, got ${describe(shape)}.`);
  const sizes = given.map((size: number | bigint, at) => checkSize(`shape[${at}]`, size));
  let step = 1n;
  const found: Tensor[] = [];
  for (const size of sizes.reverse().map((one) => (one === 0n ? 1n : one))) {
    if (step > MAX_INT64)
      throw new RangeError(
        `unravelIndex: a tensor of shape ${describe(given)} has more elements than an int64 index can tell.`,
      );
    found.unshift(indices.div(step, { roundingMode: "floor" }).remainder(size));
    step *= size;
  }
  return found;
}

/** The methods among them, and casts to the dtypes that Python has further names for. */
export const composedMethods = {
  unique(this: Tensor, options?: UniqueOptions) {
    return unique(this, options ?? {});
  },
  uniqueConsecutive(this: Tensor, options?: UniqueConsecutiveOptions) {
    return uniqueConsecutive(this, options ?? {});
  },
  nonzero(this: Tensor, options?: NonzeroOptions) {
    return nonzero(this, options ?? {});
  },
  stft(this: Tensor, nFft: number, ...given: [options?: StftOptions]) {
    return stft(this, nFft, ...given);
  },
  norm: normMethod,
  qscheme(this: Tensor) {
    return qscheme(this);
  },
  byte: cast("uint8"),
  char: cast("int8"),
  cfloat: cast("complex64"),
  cdouble: cast("complex128"),
};
