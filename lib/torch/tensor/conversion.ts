// Converts tensors to another dtype or device: `x.to(...)` in all its forms, and the casts that have their own names.
import type { Tensor } from "../types/index.ts";
import { isDeviceName, type DeviceText } from "../vocabulary/device_name.ts";
import { tooManyArguments } from "../../surplus_arguments.ts";
import { checkOptions, describe } from "../vocabulary/arguments.ts";
import { type DType, isDType, type MemoryFormat } from "../vocabulary/dtype.ts";
import { requireDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "./operators.ts";

export interface ToOptions {
  /** The dtype of the result. Default: the tensor's own. */
  dtype?: DType;
  /** Where the result is. Default: the tensor's own. */
  device?: DeviceText;
  /** Does not wait for the copy where the device allows it. Default: false. */
  nonBlocking?: boolean;
  /** Copies even if dtype and device are right already. Default: false. */
  copy?: boolean;
  /** The order of the elements in memory. Default: preserved. */
  memoryFormat?: MemoryFormat;
}

const convert = makeOperator("to", "dtype_layout");

const TO_OPTIONS = ["dtype", "device", "nonBlocking", "copy", "memoryFormat"] as const;

/** Sorts out `to`'s ways of being called. */
export function to(tensor: Tensor, args: readonly unknown[]): Tensor {
  const wished: ToOptions = {};
  for (const argument of args) {
    if (typeof argument === "string") {
      if (isDType(argument)) wished.dtype = argument;
      else if (isDeviceName(argument)) wished.device = argument;
      else
        throw new TypeError(
          `"${argument}" is neither a dtype nor a device: say x.to("float32"), x.to("cpu") or x.to({ dtype, device }).`,
        );
    } else if (native.isTensor(argument)) {
      wished.dtype = argument.dtype;
      wished.device = argument.device;
    } else if (typeof argument === "object" && argument !== null) {
      Object.assign(wished, checkOptions("x.to()", argument as ToOptions, TO_OPTIONS));
    } else if (argument !== undefined) {
      throw new TypeError(`x.to() takes a dtype, a device, a tensor or options, not ${describe(argument)}.`);
    }
  }
  const { dtype, device, copy = false, memoryFormat } = wished;
  if (device !== undefined && (typeof device !== "string" || !isOn(tensor, device))) requireDevice(device);
  else if (!copy && memoryFormat === undefined && (dtype === undefined || dtype === native.dtype(tensor)))
    return tensor;
  return convert(tensor, wished) as Tensor;
}

/** `mps` is `mps:0`. */
function isOn(tensor: Tensor, device: string): boolean {
  const own = native.device(tensor);
  return own === device || own.replace(/:0$/, "") === device.replace(/:0$/, "");
}

export function cast(dtype: DType) {
  const call = `The cast to ${dtype}`;
  return function (this: Tensor, options?: Pick<ToOptions, "memoryFormat">): Tensor {
    if (arguments.length > 1) throw tooManyArguments(call, 1, arguments.length, "{ memoryFormat }");
    return options === undefined
      ? to(this, [dtype])
      : to(this, [{ ...checkOptions(call, options, ["memoryFormat"]), dtype }]);
  };
}
