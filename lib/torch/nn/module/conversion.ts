// Moves a module's tensors to another device, dtype or order in memory, in place. The wrapper stays, so an existing
// optimizer keeps training the same parameters.
import { isDeviceName, type DeviceName, type DeviceText } from "../../vocabulary/device_name.ts";
import {
  isComplexDType,
  isDType,
  isFloatingDType,
  type DType,
  type MemoryFormat,
} from "../../vocabulary/dtype.ts";
import { requireDevice } from "../../engine/device.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChoice, checkOptions, describe } from "../../vocabulary/arguments.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { ops } from "../../tensor/operators.ts";

export interface Conversion {
  readonly device?: DeviceText;
  readonly dtype?: DType;
  /**
   * The order of the elements in memory, of tensors that can have it: `channels_last` of those of four dimensions, as a
   * Conv2d's weight, and `channels_last_3d` of those of five.
   */
  readonly memoryFormat?: Exclude<MemoryFormat, "preserve_format">;
}

const FORMATS = ["contiguous_format", "channels_last", "channels_last_3d"] as const;

/** Of the tensors that a format needs; the others keep theirs, as in `torch/nn/modules/module.py`, `to`. */
const DIMENSIONS: Readonly<Record<(typeof FORMATS)[number], number | null>> = {
  contiguous_format: null,
  channels_last: 4,
  channels_last_3d: 5,
};

function canBeConverted(dtype: DType): boolean {
  return isFloatingDType(dtype) || isComplexDType(dtype);
}

/** `"mps"` -> `{ device: "mps" }`, `"float16"` -> `{ dtype: "float16" }`. */
export function conversionTarget(call: string, target: unknown): Conversion {
  if (typeof target === "string" && isDeviceName(target)) return { device: target };
  const conversion: Conversion =
    typeof target === "string"
      ? { dtype: target as DType }
      : checkOptions<Conversion>(call, target as Conversion, ["device", "dtype", "memoryFormat"]);
  const { device, dtype, memoryFormat } = conversion;
  if (memoryFormat !== undefined) checkChoice(call, "memoryFormat", memoryFormat, FORMATS);
  else if (device === undefined && dtype === undefined) {
    throw new TypeError(
      `${call}: expected a device, a floating dtype or { device, dtype, memoryFormat }, got ${describe(target)}.`,
    );
  }
  if (device !== undefined && !isDeviceName(String(device))) {
    throw new TypeError(`${call}: ${describe(device)} is not a device; use "cpu", "mps" or "cuda".`);
  }
  if (dtype !== undefined && !(isDType(dtype) && canBeConverted(dtype))) {
    throw new TypeError(
      `${call}: ${describe(dtype)} is neither a device nor a floating dtype; a module's dtype is one of ` +
        `"float32", "float64", "float16", "bfloat16", "complex64", "complex128".`,
    );
  }
  return conversion;
}

function fits(tensor: Tensor, memoryFormat: keyof typeof DIMENSIONS): boolean {
  const dimensions = DIMENSIONS[memoryFormat];
  return dimensions === null || native.shape(tensor).length === dimensions;
}

/** Returns a wrapper of the tensor for which `tensor` stood, where it stands for another one now. */
function replaceData(tensor: Tensor, converted: Tensor): Tensor | null {
  // A tensor without memory is of another class, which no tensor becomes: PyTorch makes a new parameter.
  if (native.device(converted) === "meta") {
    native.setRequiresGrad(converted, native.requiresGrad(tensor));
    return native.substitute(tensor, converted);
  }
  ops.aten.set_data.default(tensor, converted);
  return null;
}

export function convertTensor(tensor: Tensor, { device, dtype, memoryFormat }: Conversion): void {
  const options: { device?: DeviceName; dtype?: DType; memoryFormat?: MemoryFormat } = {};
  if (device !== undefined) options.device = requireDevice(device);
  if (dtype !== undefined && canBeConverted(native.dtype(tensor))) options.dtype = dtype;
  if (memoryFormat !== undefined && fits(tensor, memoryFormat)) options.memoryFormat = memoryFormat;
  noGrad(() => {
    const converted = tensor.to(options);
    if (converted === tensor) return;
    const grad = native.ownGrad(tensor);
    const convertedGrad = grad && grad.to(options);
    // The gradient is away while its tensor changes: libtorch refuses one of another device or dtype.
    native.setGrad(tensor, null);
    const former = replaceData(tensor, converted);
    native.setGrad(tensor, convertedGrad);
    // All of these are wrappers of our own; held until a collection, they would hold the old memory as well.
    for (const wrapper of [converted, former, grad, convertedGrad]) if (wrapper) native.dispose(wrapper);
  });
}
