// How layers make their parameters and buffers: on a device and as a dtype, with no second wrapper left behind that
// would hold the memory when the module moves to another device.
import { native, type DeviceName, type DType } from "../native.ts";
import { torchFunctions } from "../operators.ts";
import type { Tensor } from "../tensor.ts";
import { constant_ } from "./init.ts";
import { Buffer, Parameter } from "./parameter.ts";

/** Where and as what a layer makes its parameters: float32 on the default device unless given. */
export interface FactoryOptions {
  readonly device?: DeviceName;
  readonly dtype?: DType;
}

function marked<Marked>(data: Tensor, mark: (data: Tensor) => Marked): Marked {
  const result = mark(data);
  native.dispose(data);
  return result;
}

/** For an initialiser to fill. */
export function emptyParameter(size: readonly number[], factory: FactoryOptions): Parameter {
  return marked(torchFunctions.empty(size, factory), (data) => new Parameter(data));
}

export function filledParameter(size: readonly number[], value: number, factory: FactoryOptions): Parameter {
  return marked(constant_(torchFunctions.empty(size, factory), value), (data) => new Parameter(data));
}

export function filledBuffer(size: readonly number[], value: number, factory: FactoryOptions): Buffer {
  return marked(constant_(torchFunctions.empty(size, factory), value), (data) => new Buffer(data));
}
