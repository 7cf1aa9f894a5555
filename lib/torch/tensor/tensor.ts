// Defines the Tensor that cells hold: its properties, the ways to read its values, its conversions. Operators are
// generated (`ops.generated.ts`). Gradients (`autograd/`), indexing and printing have their own files.
import type { Index } from "../types/indices.ts";
import { describe, shapeText } from "../vocabulary/arguments.ts";
import { DISPLAY } from "../../display.ts";
import { composedMethods } from "./composed.ts";
import { cast, to, type ToOptions } from "./conversion.ts";
import { at, setAt } from "./indexing.ts";
import { installMembers } from "./install_members.ts";
import type { Tensor as TensorMembers } from "./members.ts";
import { native } from "../engine/native.ts";
import "./named_results.ts";
import { installOperators } from "./operators.ts";
import { formatTensor } from "./print/print.ts";
import { properties } from "./properties.ts";
import { dataAsync, item, itemAsync } from "./reading.ts";
import { tensorHtml } from "./view/html.ts";
import type { Tensor as TensorType } from "../types/index.ts";
import { toNestedList } from "./values.ts";
import { Wrapper } from "../engine/wrapper.ts";

/**
 * An n-dimensional array of numbers on a device, with what is known of it: `Tensor<[2, 3], "float32", "cpu">`, or
 * `Tensor` where nothing is. Made by `torch.tensor`, `torch.zeros` and their like. It cannot leave its thread:
 * `structuredClone` and `postMessage` throw; send `x.data()` and `x.shape` instead.
 */
export type Tensor<Shape = any, Type = any, Device = any> = TensorType<Shape, Type, Device>;

/** `-1` -> the last. */
function pick(values: readonly number[], dim: number): number {
  const value = Number.isInteger(dim) ? values.at(dim) : undefined;
  if (value === undefined)
    throw new RangeError(
      `dim ${describe(dim)} is not one of the ${values.length} dimensions of this tensor.`,
    );
  return value;
}

declare module "../types/tensor.ts" {
  interface Members extends TensorMembers {}
}

/** Called by `console.log`. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

const methods = {
  size(dim?: number) {
    const sizes = native.shape(this);
    return dim === undefined ? sizes : pick(sizes, dim);
  },
  stride(dim?: number) {
    const strides = native.stride(this);
    return dim === undefined ? strides : pick(strides, dim);
  },
  storageOffset() {
    return native.storageOffset(this);
  },
  dim() {
    return native.dim(this);
  },
  numel() {
    return native.numel(this);
  },
  isContiguous() {
    return native.isContiguous(this);
  },
  item() {
    return item(this);
  },
  itemAsync() {
    return itemAsync(this);
  },
  dataAsync() {
    return dataAsync(this);
  },
  tolist() {
    return toNestedList(this);
  },
  untypedStorage() {
    const { bytes, address } = native.storage(this);
    return { nbytes: bytes, dataPtr: address };
  },
  to(...args: unknown[]) {
    return to(this, args);
  },
  cpu() {
    return to(this, ["cpu"]);
  },
  mps(options?: ToOptions) {
    return to(this, ["mps", options]);
  },
  cuda(options?: ToOptions) {
    return to(this, ["cuda", options]);
  },
  float: cast("float32"),
  double: cast("float64"),
  half: cast("float16"),
  bfloat16: cast("bfloat16"),
  long: cast("int64"),
  int: cast("int32"),
  short: cast("int16"),
  bool: cast("bool"),
  at(...indices: Index[]): Tensor {
    return at(this, indices);
  },
  setAt(...indicesAndValue: readonly unknown[]) {
    return setAt(this, indicesAndValue);
  },
  dispose() {
    native.dispose(this);
  },
  [Symbol.dispose]() {
    native.dispose(this);
  },
  [Symbol.iterator]() {
    if (native.dim(this) === 0)
      throw new TypeError("A tensor without dimensions cannot be iterated over; item() reads its value.");
    return this.unbind(0)[Symbol.iterator]();
  },
  toString(this: Tensor) {
    return formatTensor(this);
  },
  /** Text is of any tensor, a number of one that has a single element; of others -x, x * 2 and x > 0 would be NaN. */
  [Symbol.toPrimitive](this: Tensor, hint: "string" | "number" | "default") {
    if (hint !== "number") return formatTensor(this);
    const value = native.numel(this) === 1 ? item(this) : null;
    if (typeof value !== "object") return value;
    throw new TypeError(
      `A tensor of ${native.dtype(this)} ${shapeText(native.shape(this))} is no number: use its methods, as neg(), mul() and gt(), or item() of one element.`,
    );
  },
  toJSON() {
    throw new TypeError(
      "A tensor is no JSON: JSON.stringify(x.tolist()) writes its values, and torch.tensor() reads them back.",
    );
  },
  [INSPECT](this: Tensor) {
    // An object that only inherits from one can be looked at too.
    return native.isTensor(this) ? formatTensor(this) : "Tensor {}";
  },
  [DISPLAY](this: Tensor) {
    const html = tensorHtml(this);
    const text = { "text/plain": formatTensor(this) };
    return html === null ? text : { ...text, "text/html": html };
  },
} satisfies Record<PropertyKey, (this: Tensor, ...args: never[]) => unknown>;

/** Serves `x instanceof Tensor`. Tensors are made by `torch.tensor` and other factories. */
export const Tensor = function Tensor() {
  throw new TypeError("A Tensor is not made with new: use torch.tensor, torch.zeros or another factory.");
} as unknown as {
  readonly prototype: Tensor;
  [Symbol.hasInstance](value: unknown): value is Tensor;
};

installOperators(Wrapper.prototype);
for (const members of [properties, composedMethods, methods, { constructor: Tensor }])
  installMembers(members);
Object.defineProperty(Tensor, "prototype", { value: Wrapper.prototype, writable: false });
