// Reads the numbers that a chart draws, as doubles: from lists, typed arrays and tensors on any device. Values that are
// not finite become NaN or stay infinite; the charts leave them out, and say so.
import { native } from "../../torch/engine/native.ts";
import type { Tensor } from "../../torch/types/index.ts";
import { describe, shapeText, TENSOR_MARK } from "../../torch/vocabulary/arguments.ts";
import { columnValues, isTableColumn, type TableColumn } from "./tables.ts";
import { isComplexDType, isQuantizedDType } from "../../torch/vocabulary/dtype.ts";

/** An element of a list. Null and undefined are gaps, and a tensor of one element is read. */
type Numeric = number | bigint | boolean | null | undefined | Tensor;

/** Numbers in one dimension: a tensor on any device and of any dtype, a typed array, a list, or a column of a table. */
export type Numbers = Tensor | ArrayLike<Numeric> | TableColumn;

/** Numbers in two dimensions: a tensor, or a list of rows. */
export type Matrix = Tensor | readonly Numbers[];

export interface Rectangle {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly values: Float64Array;
}

/** Whether it is a tensor. Loads libtorch only for objects that carry the mark of tensors. */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === "object" && value !== null && TENSOR_MARK in value && native.isTensor(value);
}

export function isTypedArray(value: unknown): value is ArrayLike<number | bigint> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** Whether `readNumbers` takes the value, apart from its elements. */
export function isListOfNumbers(value: unknown): value is Numbers {
  return Array.isArray(value) || isTypedArray(value) || isTensor(value) || isTableColumn(value);
}

/**
 * All elements of a tensor in row-major order. Copies them from the device at once, which waits for it.
 *
 * @throws TypeError for a tensor whose elements cannot be drawn: complex, sparse, on the meta device
 */
export function tensorNumbers(call: string, name: string, tensor: Tensor): Float64Array {
  // A disposed tensor throws here, with the message of every tensor property.
  const { dtype, device, layout } = tensor;
  const refuse = (what: string, instead: string) => new TypeError(`${call}: ${name} is ${what}, ${instead}.`);
  if (isComplexDType(dtype))
    throw refuse(`a tensor of ${dtype}`, "whose values have no order; draw its .abs() or .real");
  if (device === "meta") throw refuse("on the meta device", "where tensors have no values");
  if (layout !== "strided")
    throw refuse("a sparse tensor", "which has no values in order; pass its .toDense()");
  const plain = isQuantizedDType(dtype) ? tensor.dequantize() : tensor;
  const doubles = plain.detach().cpu().to("float64").contiguous();
  return native.withTypedArray(doubles, (values) => Float64Array.from(values as Float64Array));
}

/**
 * Numbers of one dimension.
 *
 * @param name what the values are to the user: `values`, `values.train`
 * @throws TypeError with the place of a value that is not a number, RangeError for a tensor of another rank
 */
export function readNumbers(call: string, name: string, values: unknown): Float64Array {
  if (isTableColumn(values)) {
    const { kind } = values;
    if (kind === "number" || kind === "boolean") return readNumbers(call, name, columnValues(values));
    throw new TypeError(
      `${call}: ${name} is the column ${JSON.stringify(values.name)} of the kind ${kind}, and takes one of numbers.`,
    );
  }
  if (isTensor(values)) {
    const numbers = tensorNumbers(call, name, values);
    if (values.shape.length !== 1)
      throw new RangeError(
        `${call}: ${name} is a tensor of shape ${shapeText(values.shape)}, and takes one of [N]; choose a row with .select(0, 0), or .flatten() it.`,
      );
    return numbers;
  }
  if (isTypedArray(values)) return Float64Array.from(values as ArrayLike<number>, Number);
  if (!Array.isArray(values))
    throw new TypeError(
      `${call}: ${name} must be a list of numbers, a typed array or a Tensor, got ${describe(values)}.`,
    );
  return Float64Array.from(values, (value: unknown, at) => numberOf(call, `${name}[${at}]`, value));
}

/** One number; NaN for null and undefined, which are gaps. */
export function numberOf(call: string, name: string, value: unknown): number {
  if (typeof value === "number") return value;
  if (value === null || value === undefined) return NaN;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  if (isTensor(value) && value.numel() === 1) return tensorNumbers(call, name, value)[0]!;
  const got = isTensor(value) ? `a tensor of shape ${shapeText(value.shape)}` : describe(value);
  throw new TypeError(`${call}: ${name} must be a number, got ${got}.`);
}

/**
 * Numbers of two dimensions.
 *
 * @throws TypeError for a value that is not a number, RangeError for another rank, for rows of several lengths, and for
 *   no numbers at all
 */
export function readMatrix(call: string, name: string, values: unknown): Rectangle {
  const wanted = "a Tensor of [rows, columns] or a list of rows";
  if (isTensor(values)) {
    const numbers = tensorNumbers(call, name, values);
    const [rows = 0, columns = 0] = values.shape;
    if (values.shape.length !== 2)
      throw new RangeError(
        `${call}: ${name} is a tensor of shape ${shapeText(values.shape)}, and takes ${wanted}; choose one matrix with .select(0, 0).`,
      );
    return checkedRectangle(call, name, { rows, columns, values: numbers });
  }
  if (!Array.isArray(values))
    throw new TypeError(`${call}: ${name} must be ${wanted}, got ${describe(values)}.`);
  const rows = Array.from(values, (row, at) => readNumbers(call, `${name}[${at}]`, row));
  const columns = rows[0]?.length ?? 0;
  const other = rows.findIndex((row) => row.length !== columns);
  if (other > 0)
    throw new RangeError(
      `${call}: the rows of ${name} differ in length: row 0 has ${columns} numbers, row ${other} has ${rows[other]!.length}.`,
    );
  const all = new Float64Array(rows.length * columns);
  rows.forEach((row, at) => all.set(row, at * columns));
  return checkedRectangle(call, name, { rows: rows.length, columns, values: all });
}

function checkedRectangle(call: string, name: string, rectangle: Rectangle): Rectangle {
  if (rectangle.values.length === 0) throw new RangeError(`${call}: ${name} holds no numbers to draw.`);
  return rectangle;
}
