// Reads layers' options, device and dtype, and makes their parameters. Leaves no second wrapper behind: it would keep
// the memory alive when the module moves to another device.
import type { DType } from "../vocabulary/dtype.ts";
import type { DeviceText } from "../vocabulary/device_name.ts";
import { checkOptions } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import { readOptions, type Rules } from "../vocabulary/options.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { constant_ } from "./init/init.ts";
import { Buffer, Parameter } from "./module/parameter.ts";

/** Device and dtype of a layer's parameters. Default: the default dtype, float32, on the default device. */
export interface FactoryOptions {
  /** Where the parameters are. Default: the default device, as null. */
  readonly device?: DeviceText | null;
  /** The dtype of the parameters. Default: the default dtype, float32, as null. */
  readonly dtype?: DType | null;
}

/** The same without null, which is as if it were not given. */
export interface ReadFactory {
  readonly device?: DeviceText;
  readonly dtype?: DType;
}

/**
 * A layer's options by a table of rules, and apart from them those of its parameters.
 *
 * @param known names that the layer takes, where those are others than the table's: more are read elsewhere, fewer are
 *   refused
 */
export function readLayerOptions<Structure extends object>(
  call: string,
  options: (Structure & FactoryOptions) | undefined,
  rules: Rules<Structure>,
  known: readonly string[] = Object.keys(rules),
): { readonly read: Required<Structure>; readonly factory: ReadFactory } {
  const names = [...known, "device", "dtype"] as (keyof (Structure & FactoryOptions) & string)[];
  const given = checkOptions<Structure & FactoryOptions>(call, options, names);
  const { device, dtype } = given;
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(rules, name));
  const read = readOptions<Structure>(call, Object.fromEntries(own) as Partial<Structure>, rules);
  return { read, factory: { ...(device && { device }), ...(dtype && { dtype }) } };
}

function marked<Marked>(data: Tensor, mark: (data: Tensor) => Marked): Marked {
  const result = mark(data);
  native.dispose(data);
  return result;
}

function empty(size: readonly number[], { device, dtype }: FactoryOptions): Tensor {
  return torchFunctions.empty(size, { ...(device && { device }), ...(dtype && { dtype }) });
}

/** Returns a parameter with undefined values, which an initialiser must fill. */
export function emptyParameter(size: readonly number[], factory: FactoryOptions): Parameter {
  return marked(empty(size, factory), (data) => new Parameter(data));
}

export function filledParameter(size: readonly number[], value: number, factory: FactoryOptions): Parameter {
  return marked(constant_(empty(size, factory), value), (data) => new Parameter(data));
}

export function filledBuffer(size: readonly number[], value: number, factory: FactoryOptions): Buffer {
  return marked(constant_(empty(size, factory), value), (data) => new Buffer(data));
}
