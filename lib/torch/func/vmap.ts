// Maps a function over a dimension of its inputs with one call of each operator (`torch/_functorch/vmap.py`).
import { isPlainObject } from "../../plain_object.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { tensorsIn } from "../tensor/nested.ts";
import { checkInteger, describe, isRecord, requireFunction, shapeText } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { choice, integer, nullable, readOptions, type Rules } from "../vocabulary/options.ts";
import { called, RANDOMNESS, type Randomness, withinVmap } from "./level.ts";
import type { Func, OfTensors, Opened } from "./function_types.ts";

/** A dimension for all tensors of a value, null for none, or one for each of its parts. */
export type Dimensions = number | null | readonly Dimensions[] | { readonly [name: string]: Dimensions };

export interface VmapOptions {
  /**
   * The dimension of each argument that is mapped over, null for an argument that all examples share: `[null, 0]`. One
   * number is for all arguments; an argument of several tensors may have an array or an object of them. Default: 0.
   */
  readonly inDims?: Dimensions;
  /** Where the mapped dimension stands in the results, null for a result that no example changes. Default: 0. */
  readonly outDims?: Dimensions;
  /** What a random operator does: fail, draw for each example anew, or draw once for all. Default: `"error"`. */
  readonly randomness?: Randomness;
  /** How many examples are computed at once, which bounds the memory; null for all. Default: null. */
  readonly chunkSize?: number | null;
}

/** The options in a last object, or by their places. */
export type VmapPlaces = [
  inDims?: Dimensions | VmapOptions,
  outDims?: Dimensions | VmapOptions,
  randomness?: Randomness | VmapOptions,
  options?: VmapOptions,
];

function checkDimensions(
  call: string,
  name: string,
  value: unknown,
  around: readonly unknown[] = [],
): Dimensions {
  if (value === null) return value;
  if (around.includes(value)) throw new TypeError(`${call}: ${name} holds itself: ${describe(value)}.`);
  const check = (part: unknown, of: string) => checkDimensions(call, of, part, [...around, value]);
  if (Array.isArray(value)) return value.map((part, at) => check(part, `${name}[${at}]`));
  if (!isRecord(value)) return checkInteger(call, name, value, -Infinity);
  const parts = Object.entries(value).map(([part, dims]) => [part, check(dims, `${name}.${part}`)]);
  return Object.fromEntries(parts) as Dimensions;
}

const RULES: Rules<VmapOptions> = {
  inDims: { fallback: 0, check: checkDimensions },
  outDims: { fallback: 0, check: checkDimensions },
  randomness: choice("error", RANDOMNESS),
  chunkSize: nullable(integer(1, 1)),
};

const CALL = "torch.func.vmap";

/** Calls `map` for each tensor of a value with its dimension. `at` says in messages where it stands. */
function mapWithDimensions(
  value: unknown,
  dims: Dimensions,
  at: string,
  map: (tensor: Tensor, dim: number | null, at: string) => unknown,
): unknown {
  if (native.isTensor(value)) {
    if (typeof dims === "object" && dims !== null)
      throw new TypeError(`${CALL}: ${at} is one tensor, and its dimension is ${describe(dims)}.`);
    return map(value, dims, at);
  }
  const isOne = typeof dims !== "object" || dims === null;
  if (Array.isArray(value)) {
    if (!isOne && !(Array.isArray(dims) && dims.length === value.length))
      throw new RangeError(
        `${CALL}: ${at} has ${value.length} parts, and its dimensions are ${describe(dims)}.`,
      );
    return value.map((part, i) =>
      mapWithDimensions(part, isOne ? dims : (dims as readonly Dimensions[])[i]!, `${at}[${i}]`, map),
    );
  }
  if (typeof value === "object" && isPlainObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const own = isOne ? dims : (dims as Readonly<Record<string, Dimensions>>)[name];
        if (own === undefined)
          throw new RangeError(
            `${CALL}: ${at}.${name} has no dimension in ${describe(dims)}; give null for none.`,
          );
        return [name, mapWithDimensions(part, own, `${at}.${name}`, map)];
      }),
    );
  }
  if (dims === null) return value;
  throw new TypeError(
    `${CALL}: ${at} is ${describe(value)}, and only tensors are mapped: give it null as its dimension.`,
  );
}

/** A dimension counted from 0. `more` is 1 where the dimension is yet to be put in. */
function dimensionOf(tensor: Tensor, dim: number, at: string, more: number): number {
  const count = native.dim(tensor) + more;
  if (dim < -count || dim >= count)
    throw new RangeError(
      `${CALL}: ${at} has shape ${shapeText(native.shape(tensor))}, and no dimension ${dim}${more === 0 ? " to map over" : " to put in"}.`,
    );
  return dim < 0 ? dim + count : dim;
}

/** What is mapped over, with its dimension from 0 on. */
function mappedOf(
  inputs: readonly unknown[],
  inDims: Dimensions,
): { tensor: Tensor; dim: number; at: string }[] {
  const mapped: { tensor: Tensor; dim: number; at: string }[] = [];
  mapWithDimensions(inputs, inDims, "inputs", (tensor, dim, at) => {
    if (dim !== null) mapped.push({ tensor, dim: dimensionOf(tensor, dim, at, 0), at });
    return tensor;
  });
  return mapped;
}

function batchSizeOf(inputs: readonly unknown[], inDims: Dimensions): number {
  const sizes = mappedOf(inputs, inDims).map(({ tensor, dim, at }) => ({
    size: native.shape(tensor)[dim]!,
    at,
  }));
  const [first] = sizes;
  if (first === undefined)
    throw new TypeError(
      `${CALL}: there is no tensor to map over: an input has a dimension that is not null.`,
    );
  const other = sizes.find(({ size }) => size !== first.size);
  if (other !== undefined)
    throw new RangeError(
      `${CALL}: all examples come at once, but ${first.at} has ${first.size} of them and ${other.at} ${other.size}.`,
    );
  return first.size;
}

function runAtOnce(
  func: Func,
  inputs: readonly unknown[],
  { inDims, outDims, randomness }: Required<VmapOptions>,
): unknown {
  const batchSize = batchSizeOf(inputs, inDims);
  return withinVmap(batchSize, randomness, (level) => {
    const given = mapWithDimensions(inputs, inDims, "inputs", (tensor, dim, at) =>
      dim === null ? tensor : native.addBatchDimension(tensor, dimensionOf(tensor, dim, at, 0), level),
    );
    const result = called(CALL, func, given as unknown[]);
    return mapWithDimensions(result, outDims, "the result", (tensor, dim, at) => {
      if (dim !== null)
        return native.removeBatchDimension(tensor, dimensionOf(tensor, dim, at, 1), level, batchSize);
      if (native.wrapping(tensor)?.dim != null)
        throw new RangeError(`${CALL}: ${at} differs from example to example, and outDims says null for it.`);
      return tensor;
    });
  });
}

function runInChunks(
  func: Func,
  inputs: readonly unknown[],
  options: Required<VmapOptions> & { readonly chunkSize: number },
): unknown {
  const { inDims, outDims, chunkSize } = options;
  const batchSize = batchSizeOf(inputs, inDims);
  const results: unknown[] = [];
  for (let start = 0; start < batchSize; start += chunkSize) {
    const length = Math.min(chunkSize, batchSize - start);
    const chunk = mapWithDimensions(inputs, inDims, "inputs", (tensor, dim) =>
      dim === null ? tensor : tensor.narrow(dim, start, length),
    );
    results.push(runAtOnce(func, chunk as unknown[], options));
  }
  const parts = results.map(tensorsIn);
  let next = 0;
  return mapWithDimensions(results[0], outDims, "the result", (_, dim) => {
    const at = next++;
    return dim === null
      ? parts[0]![at]!
      : torchFunctions.cat(
          parts.map((tensors) => tensors[at]!),
          dim,
        );
  });
}

/**
 * A function that maps `func` over a dimension of its arguments: `func` is written for one example, and each of its operators
 * runs once for all. Results get the dimension back. Per-example gradients are `vmap(grad(loss), { inDims: [null, 0, 0] })`.
 *
 *     const dot = torch.func.vmap((a, b) => a.dot(b));
 *     dot(torch.randn([5, 3]), torch.randn([5, 3]))   // [5]
 *
 * @throws where `func` asks for one number of a tensor (`item()`), chooses by its values, or changes in place what all
 *   examples share
 */
export function vmap<F extends OfTensors>(
  func: F,
  ...given: VmapPlaces
): (...inputs: Parameters<F>) => Opened<ReturnType<F>>;
export function vmap<F extends Func>(
  func: F,
  ...given: VmapPlaces
): (...inputs: Parameters<F>) => Opened<ReturnType<F>>;
export function vmap(func: Func, ...given: readonly unknown[]): Func {
  requireFunction(CALL, func);
  const placed = optionsByPlace<VmapOptions>(CALL, ["inDims", "outDims", "randomness"], given);
  const options = readOptions<VmapOptions>(CALL, placed, RULES);
  const { chunkSize } = options;
  return (...inputs) =>
    chunkSize === null
      ? runAtOnce(func, inputs, options)
      : runInChunks(func, inputs, { ...options, chunkSize });
}
