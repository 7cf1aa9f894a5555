// Creates tensors from values: `torch.tensor`, `torch.fromTypedArray`, `torch.full`. Factories without values
// (`zeros`, `randn`, ...) are operators.
import type { DeviceName, DeviceText } from "../vocabulary/device_name.ts";
import { checkDifferentiable, setRequiresGrad } from "./requires_grad.ts";
import { checkInteger, checkList, describe, isRecord } from "../vocabulary/arguments.ts";
import { neededByPlace } from "../vocabulary/arguments_by_name.ts";
import { boolean, checkedLater, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { defaultDevice, requireDevice } from "../engine/device.ts";
import {
  type DType,
  isDType,
  type Scalar,
  type Size,
  type TensorOptions,
  type TypedArray,
  type UnlessMisplaced,
} from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";
import type { ByName, FillDType, SizesOf, TensorOf, ValuesShape, Tensor } from "../types/index.ts";
import {
  heldDType,
  isTypedArray,
  requireDType,
  requireFits,
  shareArray,
  withoutHalf,
} from "./typed_arrays.ts";
import {
  AS_TENSOR,
  flatten,
  inferDType,
  makesTensor,
  type NestedValues,
  packElements,
  scalarsDType,
  type TensorValues,
} from "./values.ts";

export interface ValueOptions<Type extends DType = DType, Device extends DeviceText = DeviceText> {
  /**
   * The dtype of the tensor. Default: the dtype of the typed array, or of the values: bool; int64 for numbers that are
   * all whole, 1.0 too; the default dtype (float32) for others; complex64.
   */
  dtype?: Type;
  /** Where the tensor is. Default: the default device, the CPU unless `torch.setDefaultDevice` chose another. */
  device?: Device & UnlessMisplaced<Device, Type>;
  /** Autograd should record operations on the tensor. Default: false. */
  requiresGrad?: boolean;
}

function checkDType(call: string, _name: string, dtype: unknown): DType {
  if (typeof dtype === "string" && isDType(dtype)) return dtype;
  throw new TypeError(`${call}: ${describe(dtype)} is no dtype; "float32" is one.`);
}

const PLACE_RULES = { dtype: optional(checkDType), device: checkedLater<DeviceName | undefined>(undefined) };
const RULES = { ...PLACE_RULES, requiresGrad: boolean(false) } satisfies OpenRules<ValueOptions>;

function finish(
  tensor: Tensor,
  dtype: DType,
  { device = defaultDevice(), requiresGrad = false }: ValueOptions,
): Tensor {
  const placed = tensor.dtype === dtype && device === "cpu" ? tensor : tensor.to(device, dtype);
  if (requiresGrad) setRequiresGrad(placed, true);
  return placed;
}

/**
 * A tensor with a copy of the values: a number, nested arrays, or a typed array. Its shape is that of the nesting.
 *
 * A number is int64 where an int64 holds it exactly, and float32 (the default dtype) otherwise; one float32 makes all of them
 * float32. JavaScript does not distinguish 1 from 1.0, so `torch.tensor([1.0, 0.0])` is int64: for numbers that may have
 * fractions write `torch.tensor([1.0, 0.0], { dtype: "float32" })`.
 *
 * A column of a table is [rows], and a list of columns [columns, rows]: float32 without `dtype`, whatever its numbers, as
 * `column.toTensor()`. A missing value is NaN, and an error for a dtype that has none.
 *
 * @throws RangeError where arrays of one level have different lengths; TypeError for what is no value
 */
export function tensor<
  const Values extends NestedValues,
  Type extends DType = DType,
  Device extends DeviceText = DeviceName,
>(values: Values, given?: ValueOptions<Type, Device>): TensorOf<ValuesShape<Values>, Type, Device>;
export function tensor(values: NestedValues, given: ValueOptions = {}): Tensor {
  const options = readOptions("torch.tensor", given, RULES);
  if (isTypedArray(values)) {
    const held = requireDType(values);
    const copy = native.fromTypedArray(withoutHalf(values), [values.length], held);
    return finish(copy, options.dtype ?? held, options);
  }
  const ofTable = tensorOfColumns(values, options);
  if (ofTable !== null) return finish(ofTable, ofTable.dtype, { ...options, device: ofTable.device });
  const { elements, shape } = flatten(values);
  const wished = options.dtype ?? inferDType(values);
  const { data, dtype } = packElements(elements, wished);
  return finish(native.fromTypedArray(data, shape, dtype), wished, options);
}

const stack = makeOperator("stack");

/** A column as [rows], a list of them as [columns, rows]; null for other values. */
function tensorOfColumns(values: unknown, { dtype, device }: ValueOptions): Tensor | null {
  const place = { ...(dtype && { dtype }), ...(device && { device }) };
  const read = (column: TensorValues): Tensor => column[AS_TENSOR]("torch.tensor", place);
  if (makesTensor(values)) return read(values);
  const isList = Array.isArray(values) && values.length > 0 && values.every(makesTensor);
  return isList ? (stack(values.map(read)) as Tensor) : null;
}

/**
 * A tensor over the array's own memory, as `torch.from_numpy`: writing to one writes to the other. `dtype` says what
 * a Uint16Array (float16, bfloat16), a Uint8Array (bool) or pairs of floats (complex64) hold. Other dtypes and devices
 * make a copy. As in PyTorch, autograd does not see what is written to the array between forward and backward: for a buffer
 * that is filled anew for each batch, torch.tensor() copies.
 *
 * The memory stays for as long as the tensor, its views or the array live, whichever is last; `dispose()` leaves the
 * array as it is. The buffer must keep its memory meanwhile: from now on `postMessage` copies it, or refuses to, where it
 * would have moved it; `ArrayBuffer.prototype.transfer()` and a `WebAssembly.Memory` that grows are for the caller to
 * avoid.
 *
 * @throws RangeError where the shape does not fit; TypeError for a buffer that can be resized
 */
export function fromTypedArray<
  const Sizes extends Size | number[] = readonly [number],
  Type extends DType = DType,
  Device extends DeviceText = DeviceName,
>(
  data: TypedArray,
  shape?: Sizes,
  given?: ValueOptions<Type, Device>,
): TensorOf<SizesOf<Sizes>, Type, Device>;
export function fromTypedArray(data: TypedArray, shape?: Size, given: ValueOptions = {}): Tensor {
  const options = readOptions("torch.fromTypedArray", given, RULES);
  if (!isTypedArray(data)) {
    throw new TypeError(
      `fromTypedArray() takes a typed array, got ${describe(data)}; torch.tensor() takes nested arrays and numbers.`,
    );
  }
  const held = heldDType(data, options.dtype);
  const sizes = shape === undefined ? [data.length] : typeof shape === "number" ? [shape] : shape;
  for (const [at, size] of checkList("fromTypedArray", "shape", sizes).entries())
    checkInteger("fromTypedArray", `shape[${at}]`, size, 0);
  requireFits(data, sizes, held);
  return finish(shareArray(data, sizes, held), options.dtype ?? held, options);
}

/**
 * A tensor without a copy where none is needed: of a tensor itself, over a typed array's own memory, as
 * `torch.fromTypedArray`; of other values as `torch.tensor`.
 */
export function asTensor(
  values: Tensor | NestedValues,
  given: Pick<ValueOptions, "dtype" | "device"> = {},
): Tensor {
  const { dtype, device } = readOptions("torch.asTensor", given, PLACE_RULES);
  if (native.isTensor(values))
    return values.to(device ?? native.device(values), dtype ?? native.dtype(values));
  const options = { ...(dtype && { dtype }), ...(device && { device }) };
  return isTypedArray(values)
    ? fromTypedArray(values, [values.length], options)
    : tensor(values as NestedValues, options);
}

const fillNew = makeOperator("full", "");

/**
 * A tensor filled with one value, of the dtype that `torch.tensor(value)` has: 1 and 1.0 make int64, 0.5 the default dtype,
 * float32; a bigint int64, a boolean bool, a complex number complex64. `{ dtype: "float32" }` decides for any number.
 */
export function full<
  const Sizes extends Size | number[],
  Value extends Scalar,
  Type extends DType = FillDType<Value>,
  Device extends DeviceText = DeviceName,
>(
  size: Sizes,
  fillValue: Value,
  options?: TensorOptions<Type, Device>,
): TensorOf<SizesOf<Sizes>, Type, Device>;
export function full<
  const Sizes extends Size | number[],
  Value extends Scalar,
  Type extends DType = FillDType<Value>,
  Device extends DeviceText = DeviceName,
>(
  size: Sizes,
  options: ByName & { fillValue: Value } & TensorOptions<Type, Device>,
): TensorOf<SizesOf<Sizes>, Type, Device>;
export function full<
  const Sizes extends Size | number[],
  Value extends Scalar,
  Type extends DType = FillDType<Value>,
  Device extends DeviceText = DeviceName,
>(
  options: ByName & { size: Sizes; fillValue: Value } & TensorOptions<Type, Device>,
): TensorOf<SizesOf<Sizes>, Type, Device>;
// The compiler explains the last form.
export function full<
  const Sizes extends Size | number[],
  Value extends Scalar,
  Type extends DType = FillDType<Value>,
  Device extends DeviceText = DeviceName,
>(
  size: Sizes,
  fillValue: Value,
  options?: TensorOptions<Type, Device>,
): TensorOf<SizesOf<Sizes>, Type, Device>;
export function full(...given: unknown[]): Tensor {
  const [size, fillValue, last = {}] = neededByPlace<[Size, Scalar]>(["size", "fillValue"], given);
  if (!isRecord(last))
    throw new TypeError(
      `torch.full: the options must be an object like { dtype: ... }, got ${describe(last)}.`,
    );
  const options: TensorOptions = last;
  const dtype = options.dtype ?? scalarsDType([fillValue]);
  if (options.requiresGrad === true) checkDifferentiable(dtype);
  return fillNew(typeof size === "number" ? [size] : size, fillValue, {
    ...options,
    dtype,
    device: requireDevice(options.device ?? defaultDevice()),
  }) as Tensor;
}
