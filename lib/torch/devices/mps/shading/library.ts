// Runs custom Metal kernels on tensors: `mps.compileShader`, `mps.loadMetallib` (`torch.mps`). On a Mac PyTorch
// compiles and runs them. On simulated Metal the host's C++ compiler and processor do, in the order of the device's
// queue.
import { readFileSync } from "node:fs";
import { checkInteger, checkOptions, describe } from "../../../vocabulary/arguments.ts";
import { DeviceMismatchError, UnavailableError } from "../../../vocabulary/errors.ts";
import { native } from "../../../engine/native.ts";
import { simulation } from "../simulated_metal.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { requireMetal } from "../availability.ts";
import { compileForHost } from "./compile.ts";
import { bytesOf, type Cast, checkCast, type Constant } from "./constants.ts";
import { embedHeaders } from "./headers.ts";
import { type Kernel, type Parameter, readKernels, Refused, ShaderError } from "./kernels.ts";
import { tokenize } from "./tokens.ts";

export interface LaunchOptions {
  /** Threads of the whole grid, in one to three dimensions. Default: one for each element of the first tensor. */
  readonly threads?: number | readonly number[];
  /** Threads of a group, in as many dimensions. Default: as many as a group takes, all in the first dimension. */
  readonly groupSize?: number | readonly number[];
  /**
   * The type as which numbers are bound, for all arguments or by index: `"int32"`, `{ 1: "float16" }`. Default: the
   * kernel's own type.
   */
  readonly argCasts?: Cast | Readonly<Record<number, Cast>>;
  /**
   * Index of the buffer in which the kernel reports errors to PyTorch (`c10/metal/error.h`). On a Mac only. Default:
   * none.
   */
  readonly errorBufIdx?: number;
}

export type ShaderArgument = Tensor | Constant;

/** A kernel: called, it is queued with its arguments in the order of the buffers; options come last. */
export interface ShaderKernel {
  (...args: (ShaderArgument | LaunchOptions)[]): void;
  readonly maxThreadsPerThreadgroup: number;
  /** Threads of a SIMD-group. */
  readonly threadExecutionWidth: number;
  /** Bytes of threadgroup memory that the kernel declares. */
  readonly staticThreadgroupMemoryLength: number;
}

/** Kernels by name. */
export interface ShaderLibrary {
  readonly [kernel: string]: ShaderKernel;
}

const OPTIONS = ["threads", "groupSize", "argCasts", "errorBufIdx"] as const;
const MAX_THREADS = 2 ** 32 - 1;

/** Compiled libraries by source. A cell that is run again compiles nothing. */
const compiled = new Map<string, ShaderLibrary>();

/**
 * Compiles Metal source, whose kernels are then called with tensors and numbers.
 *
 * On simulated Metal: buffers of scalars and vectors, threadgroup arrays with barriers, SIMD functions, atomics,
 * templates with `host_name`, Metal's mathematics, and PyTorch's headers (`c10/metal/utils.h`). Indices into buffers are checked. Textures, matrices and function
 * constants are refused with their line.
 *
 * @throws ShaderError with the line, for a source that does not compile
 * @example
 * const library = mps.compileShader(
 *   "kernel void full(device float* out, constant float& value, uint i [[thread_position_in_grid]]) { out[i] = value; }",
 * );
 * const x = torch.zeros([16], { device: "mps" });
 * library.full(x, 3.14);
 */
export function compileShader(source: string): ShaderLibrary {
  const call = "mps.compileShader";
  if (typeof source !== "string")
    throw new TypeError(`${call}: the source must be a string, got ${describe(source)}.`);
  requireMetal(call);
  const known = compiled.get(source);
  if (known) return known;
  const library = simulation() === null ? compileOnMac(call, source) : compileOnHost(call, source);
  compiled.set(source, library);
  return library;
}

function compileOnHost(call: string, source: string): ShaderLibrary {
  const { file, kernels } = compileForHost(call, source);
  return libraryOf(native.shaders.load(file), kernels);
}

/** `program_source:3:5: error: ...`, the form of an error from Metal's compiler. */
const COMPLAINT = /program_source:(\d+):\d+: error: ([^\n]*)/;

function compileOnMac(call: string, source: string): ShaderLibrary {
  let library: number;
  try {
    library = native.shaders.compile(embedHeaders(source, "program_source"));
  } catch (error) {
    const complaint = COMPLAINT.exec(String((error as Error).message));
    if (!complaint) throw error;
    throw new ShaderError(call, source, Number(complaint[1]), complaint[2]!);
  }
  return libraryOf(library, kernelsFor(source));
}

/**
 * Reads the kernels' parameters from the source, for the types of numbers. Returns an empty list if the source is not
 * understood.
 */
function kernelsFor(source: string): readonly Kernel[] {
  try {
    return readKernels(tokenize(source));
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
}

/**
 * Loads a library that Apple's tools compiled beforehand.
 *
 * @param source a path, or the file's bytes
 * @throws UnavailableError on simulated Metal, which runs no code of Apple's GPUs
 */
export function loadMetallib(source: string | Uint8Array): ShaderLibrary {
  const call = "mps.loadMetallib";
  if (typeof source !== "string" && !(source instanceof Uint8Array))
    throw new TypeError(
      `${call}: expected a path or the bytes of a .metallib file, got ${describe(source)}.`,
    );
  requireMetal(call);
  if (simulation() !== null)
    throw new UnavailableError(
      `${call}: a .metallib is code for Apple's GPUs, which simulated Metal does not run; give the source to mps.compileShader.`,
    );
  return libraryOf(
    native.shaders.load(typeof source === "string" ? new Uint8Array(readFileSync(source)) : source),
    [],
  );
}

function libraryOf(library: number, kernels: readonly Kernel[]): ShaderLibrary {
  const made: Record<string, ShaderKernel> = Object.create(null) as Record<string, ShaderKernel>;
  for (const name of native.shaders.names(library)) {
    const known = kernels.find((kernel) => kernel.name === name);
    // Created at the first access, as Metal creates its pipeline then.
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const kernel = kernelOf(library, name, known?.parameters ?? null);
        Object.defineProperty(made, name, { value: kernel, enumerable: true });
        return kernel;
      },
    });
  }
  return new Proxy(made, { get: kernelNamed });
}

function kernelNamed(library: Record<string, ShaderKernel>, name: string | symbol): ShaderKernel | undefined {
  if (typeof name === "symbol" || name in library) return library[name as string];
  // Names that promises, printing and JSON look up on any object, so they must not be taken for kernels.
  if (name === "then" || name === "toJSON" || name === "constructor" || name === "inspect") return undefined;
  throw new TypeError(
    `The library has no kernel ${describe(name)}; it has ${Object.keys(library).join(", ")}.`,
  );
}

function kernelOf(library: number, name: string, parameters: readonly Parameter[] | null): ShaderKernel {
  const { number, ...limits } = native.shaders.kernel(library, name);
  const buffers = parameters?.filter(({ stands }) => stands === "buffer") ?? null;
  const launch = (...args: readonly unknown[]) =>
    launchKernel(name, number, buffers, limits.maxThreadsPerThreadgroup, args);
  Object.defineProperty(launch, "name", { value: name });
  return Object.assign(launch, limits);
}

const isOptions = (value: unknown): value is LaunchOptions =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !native.isTensor(value) &&
  !ArrayBuffer.isView(value);

function launchKernel(
  name: string,
  number: number,
  buffers: readonly Parameter[] | null,
  mostThreads: number,
  args: readonly unknown[],
): void {
  const last = args.at(-1);
  const given = isOptions(last) ? args.slice(0, -1) : args;
  const options = checkOptions<LaunchOptions>(name, isOptions(last) ? last : undefined, OPTIONS);
  if (buffers !== null && given.length !== buffers.length) {
    const wanted = buffers.map((one) => one.name || one.type).join(", ");
    throw new TypeError(
      `${name}: the kernel takes ${buffers.length} arguments (${wanted}), got ${given.length}.`,
    );
  }
  const casts = checkCasts(name, options.argCasts);
  const bound = given.map((value, i) => {
    const parameter = buffers?.find(({ index }) => index === i);
    const what = `argument ${i}${parameter?.name ? `, "${parameter.name}",` : ""}`;
    if (native.isTensor(value)) return checkTensor(name, what, value);
    return bytesOf(name, what, value, parameter?.type ?? "", casts(i));
  });
  const first = given.find((value) => native.isTensor(value)) as Tensor | undefined;
  if (options.threads === undefined && first === undefined)
    throw new TypeError(`${name}: without a tensor the number of threads must be given: { threads: 16 }.`);
  const threads = checkSize(name, "threads", options.threads ?? first!.numel());
  const groupSize = options.groupSize === undefined ? null : checkSize(name, "groupSize", options.groupSize);
  if (groupSize !== null) checkGroup(name, threads, groupSize, mostThreads);
  if (threads.includes(0)) return;
  const errorBuffer =
    options.errorBufIdx === undefined ? null : checkInteger(name, "errorBufIdx", options.errorBufIdx, 0);
  if (errorBuffer !== null && simulation() !== null)
    throw new UnavailableError(`${name}: simulated Metal has no error buffer; leave errorBufIdx out.`);
  native.shaders.launch(number, bound, threads, groupSize, errorBuffer);
}

function checkTensor(name: string, what: string, tensor: Tensor): Tensor {
  if (tensor.device.startsWith("mps")) return tensor;
  throw new DeviceMismatchError(
    `${name}: ${what} is on ${tensor.device}, and kernels run on mps. Move it with .to("mps").`,
  );
}

/** Returns a function from an argument's index to the type that the caller chose for it, or undefined. */
function checkCasts(name: string, casts: LaunchOptions["argCasts"]): (index: number) => Cast | undefined {
  if (casts === undefined) return () => undefined;
  if (typeof casts === "string") {
    const all = checkCast(name, "argCasts", casts);
    return () => all;
  }
  if (typeof casts !== "object" || casts === null)
    throw new TypeError(
      `${name}: argCasts must be a type like "int32", or types by index like { 1: "int32" }, got ${describe(casts)}.`,
    );
  for (const [index, cast] of Object.entries(casts)) checkCast(name, `argCasts[${index}]`, cast);
  return (index) => casts[index];
}

function checkSize(name: string, what: string, size: number | readonly number[]): number[] {
  const sizes = Array.isArray(size) ? (size as readonly number[]) : [size as number];
  if (sizes.length === 0 || sizes.length > 3)
    throw new RangeError(`${name}: ${what} takes one to three numbers, got ${describe(size)}.`);
  return sizes.map((one) => {
    const checked = checkInteger(name, what, one, 0);
    if (checked > MAX_THREADS)
      throw new RangeError(`${name}: ${what} must be at most ${MAX_THREADS}, got ${checked}.`);
    return checked;
  });
}

function checkGroup(
  name: string,
  threads: readonly number[],
  groupSize: readonly number[],
  max: number,
): void {
  if (groupSize.length !== threads.length)
    throw new RangeError(
      `${name}: threads and groupSize must have as many dimensions, got ${describe(threads)} and ${describe(groupSize)}.`,
    );
  const count = groupSize.reduce((product, one) => product * one, 1);
  if (count < 1 || count > max)
    throw new RangeError(
      `${name}: a group has 1 to ${max} threads, and ${describe(groupSize)} makes ${count}.`,
    );
}
