// Makes the methods and functions that `ops.generated.ts` declares, and `torch.ops`: each public name leads to
// libtorch's dispatcher. An operator is looked up in libtorch at its first call, so that loading stays cheap.
import type { Tensor } from "../types/index.ts";
import { isRecord } from "../vocabulary/arguments.ts";
import { defaultDevice, requireDevice } from "../engine/device.ts";
import type { Calls, OperatorId } from "../engine/fast_call.ts";
import { native, useCalls } from "../engine/native.ts";
import { Generator } from "../random/generator.ts";
import { type DType, isInt64 } from "../vocabulary/dtype.ts";
import {
  type AtenOverloads,
  type fft as FftFunctions,
  type linalg as LinalgFunctions,
  type nn as NnFunctions,
  OPERATORS,
  type special as SpecialFunctions,
  type torch as TorchFunctions,
} from "./ops.generated.ts";
import { isArrayCallback, tooManyArguments } from "../../surplus_arguments.ts";

type Callable = (this: unknown, ...args: unknown[]) => unknown;

// Set when the addon is loaded. An operator's number comes from the addon, so no call comes earlier.
let call: Calls["call"];
let call1: Calls["call1"];
let call2: Calls["call2"];
let call3: Calls["call3"];
useCalls((calls) => ({ call, call1, call2, call3 } = calls));

const UNRESOLVED = -2 as OperatorId;

function resolve(name: string): OperatorId {
  const id = native.operator(name);
  if (id < 0) throw new TypeError(`libtorch ${native.version} has no operator aten::${name}.`);
  return id;
}

/**
 * Makes a function that calls an operator by ATen's name: one overload (`""` is the unnamed one), or the first that
 * fits. For the library's own use.
 */
export function makeOperator(name: string, overload?: string): (...args: unknown[]) => unknown {
  let id = UNRESOLVED;
  return (...args) => {
    if (id === UNRESOLVED) id = overload === undefined ? resolve(name) : native.overload(name, overload);
    return call(id, ...args);
  };
}

// One closure for each operator, with the counts that occur spelt out: a rest array costs more than a small operator.
function makeFunction(name: string, max: number, takesNumber = false): Callable {
  let id = UNRESOLVED;
  return function (a?: unknown, b?: unknown, c?: unknown, d?: unknown) {
    if (id === UNRESOLVED) id = resolve(name);
    if (arguments.length > max) {
      // One tensor and the options: `[x, y].map(torch.relu)`.
      if (max === 2 && isArrayCallback(arguments)) return call1(id, a);
      throw tooManyArguments(`torch.${name}`, max, arguments.length);
    }
    if (takesNumber && (typeof a !== "object" || a?.constructor === Object)) a = asOperand(a, b);
    switch (arguments.length) {
      case 0:
        return call(id);
      case 1:
        return call1(id, a);
      case 2:
        return call2(id, a, b);
      case 3:
        return call3(id, a, b, c);
      case 4:
        return call(id, a, b, c, d);
      default:
        return call(id, ...arguments);
    }
  };
}

function makeMethod(name: string, max: number): Callable {
  let id = UNRESOLVED;
  return function (this: unknown, a?: unknown, b?: unknown, c?: unknown) {
    if (id === UNRESOLVED) id = resolve(name);
    if (arguments.length > max) throw tooManyArguments(`Tensor.${name}`, max, arguments.length);
    switch (arguments.length) {
      case 0:
        return call1(id, this);
      case 1:
        return call2(id, this, a);
      case 2:
        return call3(id, this, a, b);
      case 3:
        return call(id, this, a, b, c);
      default:
        return call(id, this, ...arguments);
    }
  };
}

const resultType = makeOperator("result_type");
const scalarTensor = makeOperator("scalar_tensor");
const castTo = makeOperator("to", "dtype");

/** A number in place of the first tensor, of the dtype that PyTorch gives it beside the other: `torch.sub(2, x)`. */
function asOperand(value: unknown, other: unknown): unknown {
  if (value === undefined || !isTensor(other)) return value;
  return castTo(scalarTensor(value, wide(value)), resultType(value, other));
}

/** The widest dtype of a number's kind, which keeps all of it. */
function wide(value: unknown): { readonly dtype: DType } {
  if (typeof value === "boolean") return { dtype: "bool" };
  if (typeof value === "object") return { dtype: "complex128" };
  return { dtype: typeof value === "bigint" || isInt64(value as number) ? "int64" : "float64" };
}

/** `x.where(condition, y)`: the tensor is the operator's second argument. */
function makeSecondArgumentMethod(name: string, max: number): Callable {
  const run = makeFunction(name, max + 1);
  return function (this: unknown, first, ...rest) {
    return run(first, this, ...rest);
  };
}

/** Adds what libtorch's own factories do not know: a lone number as a size, and the default device. */
function makeFactory(name: string, max: number, sized: boolean): Callable {
  const make = makeFunction(name, max);
  return (...args) => {
    if (sized && typeof args[0] === "number") args[0] = [args[0]];
    const options = takeOptions(args);
    // `normal(mean, std)` of tensors alone has no device to choose: the result lies where they do.
    if (name === "normal" && args.some(isTensor))
      return options === undefined ? make(...args) : make(...args, options);
    const device = options?.["device"] ?? defaultDevice();
    if (typeof device === "string") requireDevice(device);
    if (options === undefined && device === "cpu") return make(...args);
    return make(
      ...args,
      options?.["out"] === undefined ? { ...options, device } : fillOptions(name, options),
    );
  };
}

/**
 * Takes the elements of a list one by one too, from the place `at` to the options: `x.view(2, -1)`. `least` of them make
 * a list; one element alone may be an argument of its own.
 */
function takeSpread(run: Callable, at: number, least: number): Callable {
  return function (this: unknown) {
    const first: unknown = arguments[at];
    if ((typeof first !== "number" && !isTensor(first)) || arguments.length < at + least)
      return run.apply(this, arguments as unknown as unknown[]);
    const given: unknown[] = Array.from(arguments);
    const options = takeOptions(given);
    const list = given.splice(at);
    return run.call(this, ...given, list, ...(options === undefined ? [] : [options]));
  };
}

/** Asks libtorch only of what may be one. */
const isTensor = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && native.isTensor(value);

/**
 * Returns the options of a call that fills a given tensor. The tensor has a dtype and a device, so naming others
 * contradicts it.
 */
function fillOptions(name: string, options: Record<string, unknown>): Record<string, unknown> {
  const { dtype, device, layout, ...rest } = options;
  const out = options["out"];
  if (!native.isTensor(out)) return options;
  for (const [key, wished, own] of [
    ["dtype", dtype, out.dtype],
    ["device", device, out.device],
    ["layout", layout, out.layout],
  ]) {
    // "cuda" leaves open which of them it is: `out` lies on "cuda:0".
    const isOwn = wished === own || (key === "device" && String(own).startsWith(`${String(wished)}:`));
    if (wished !== undefined && wished !== null && !isOwn)
      throw new TypeError(
        `torch.${name}: ${key} is "${String(wished)}", but the tensor given as out is of ${key} "${String(own)}": leave ${key} out.`,
      );
  }
  return rest;
}

/** Takes the options object off the end of the arguments; a complex number is not one. */
function takeOptions(args: unknown[]): Record<string, unknown> | undefined {
  const last = args.at(-1);
  const isOptions = isRecord(last) && !(last instanceof Generator) && !("re" in last);
  return isOptions ? (args.pop() as Record<string, unknown>) : undefined;
}

const methods: PropertyDescriptorMap = {};

function makeModule(table: string): Record<string, Callable> {
  const functions: Record<string, Callable> = {};
  for (const entry of table.split(" ")) {
    const colon = entry.indexOf(":");
    const equals = entry.indexOf("=");
    const operator = entry.slice(equals + 1, colon);
    const name = equals < 0 ? operator : entry.slice(0, equals);
    const functionArity = entry.charAt(colon + 1);
    const methodArity = entry.charAt(colon + 2);
    const [, kind, alone, at] = /^([sf1n]?)(?:([*+])(\d))?$/.exec(entry.slice(colon + 3)) ?? [];
    const spread = (run: Callable) =>
      at === undefined ? run : takeSpread(run, Number(at), alone === "+" ? 2 : 1);
    if (functionArity !== "-") {
      const max = Number.parseInt(functionArity, 36);
      const factory = kind === "s" || kind === "f";
      const run = factory
        ? makeFactory(operator, max, kind === "s")
        : makeFunction(operator, max, kind === "n");
      functions[name] = methodArity === "-" ? spread(run) : run;
    }
    if (methodArity !== "-") {
      const max = Number.parseInt(methodArity, 36);
      const run = kind === "1" ? makeSecondArgumentMethod(operator, max) : makeMethod(operator, max);
      methods[name] = { value: spread(run), writable: false, configurable: true };
    }
  }
  return functions;
}

// The one place where generated declarations meet the closures that the same table made.
export const torchFunctions = makeModule(OPERATORS[""]) as unknown as TorchFunctions;
export const nnFunctions = makeModule(OPERATORS.nn) as unknown as NnFunctions;
export const linalg = makeModule(OPERATORS.linalg) as unknown as LinalgFunctions;
export const fft = makeModule(OPERATORS.fft) as unknown as FftFunctions;
export const special = makeModule(OPERATORS.special) as unknown as SpecialFunctions;

export function installOperators(prototype: object): void {
  Object.defineProperties(prototype, methods);
}

/** One overload of an operator, called as its schema says. */
export type Overload = <Result = Tensor>(...args: unknown[]) => Result;

type Overloads = {
  readonly [Name in keyof AtenOverloads]: { readonly [Variant in AtenOverloads[Name]]: Overload };
};

/** An interface, so that an error names it and does not list what is in it. */
export interface AtenOperators extends Overloads {}

/** `torch.ops.aten.add.Tensor(x, y, { alpha: 2 })`; the unnamed overload is `default`. */
export interface Operators {
  readonly aten: AtenOperators;
}

/** Properties made when first read, and kept. */
function lazy<Value>(make: (name: string) => Value): { readonly [name: string]: Value } {
  return new Proxy(Object.create(null) as Record<string, Value>, {
    get(made, name) {
      if (typeof name === "symbol") return undefined;
      return (made[name] ??= make(name));
    },
  });
}

function makeOverload(name: string, overload: string): Overload {
  const id = native.overload(name, overload === "default" ? "" : overload);
  if (id >= 0) return ((...args: unknown[]) => call(id, ...args)) as Overload;
  const all = native.operator(name);
  if (all < 0) throw new TypeError(`libtorch ${native.version} has no operator aten::${name}.`);
  const names = native
    .schemas(all)
    .map((schema) => /^aten::\w+(?:\.(\w+))?\(/.exec(schema)?.[1] ?? "default");
  throw new TypeError(`aten::${name} has no overload ${overload}; it has ${names.join(", ")}.`);
}

export const ops: Operators = {
  aten: lazy((name) => lazy((overload) => makeOverload(name, overload))) as unknown as AtenOperators,
};
