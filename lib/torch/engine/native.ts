// Loads the addon and declares its types. No other file loads it or contains its path. Operators are numbers here,
// and tensors opaque handles; `tensor/tensor.ts` gives them a meaning.
//
// libtorch takes 110 MB and 0.4 s. A cell that imports `mpslab` to draw a slider needs none of it, so the addon is
// loaded at the first access to a member of `native`.
import type { Tensor } from "../types/index.ts";
import type { DeviceKind, DeviceName } from "../vocabulary/device_name.ts";
import type { DType, TypedArray } from "../vocabulary/dtype.ts";
import type { Fallback, Signpost, Simulation } from "./native_metal.ts";
import { createRequire } from "node:module";
import { addonToLoad } from "../../installation/addon.ts";
import { installedSession, noteTorchLoaded, observeCells, torchIsLoaded } from "../../session.ts";
import { deviceRefusal } from "./device_holder.ts";
import * as errors from "../vocabulary/errors.ts";
import { type Calls, type FastCallAddon, makeCalls, type OperatorId } from "./fast_call.ts";
import { collectGarbage, observeFullCollections } from "./garbage.ts";
import type { NativeMemoryHistory } from "./native_memory_history.ts";
import type { NativeDistributed } from "./native_distributed.ts";
import type { NativeMps } from "./native_mps.ts";
import type { NativeShaders } from "./native_shaders.ts";
import type { NativeShadow } from "./native_shadow.ts";
import type { CapturedProgram } from "./captured_program.ts";
import { refusedInstructionSet } from "./instruction_sets.ts";
import { makePropertyReaders, type PropertyAddon, type TensorProperties } from "./tensor_properties.ts";
import type { SimulatedKernels } from "./simulated_kernels.ts";
import type { SimulatedDevice } from "../vocabulary/simulation_options.ts";
import type { NativeAutograd } from "./native_autograd.ts";
import { Wrapper } from "./wrapper.ts";

/** One of the largest tensors at the time when memory ran out. Its storage is identified by its address. */
export interface HeldMemory extends Omit<errors.MemoryHolder, "variable"> {
  readonly address: bigint;
}

export interface RetainedByOrigin {
  readonly origin: string;
  readonly bytes: number;
  readonly tensors: number;
  /** The largest of them: `float32 [512, 512]`; "" if none has a storage. */
  readonly largest: string;
  /** How many nodes the graphs behind them have; at most 100,000 are counted for each tensor. */
  readonly graphNodes: number;
}

/** Byte counts of one device's allocator. */
export interface MemoryStats {
  readonly allocatedBytes: number;
  readonly driverBytes: number;
  readonly recommendedBytes: number;
  readonly peakBytes: number;
  readonly allocations: number;
}

/** An object that `wrapGenerator` was called with: `torch.Generator`. */
export interface GeneratorObject {
  readonly device: DeviceName;
}

/** The generator of a device, or one that the user made. */
type RandomSource = DeviceName | GeneratorObject;

/** `mps` to `cpu` */
export interface BackwardCopy {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

export interface Native extends Calls, TensorProperties, NativeAutograd, NativeMemoryHistory, NativeShadow {
  /** libtorch's version, `2.15.0`. */
  readonly version: string;

  // --- operators ---------------------------------------------------------------------------------------------
  /**
   * All overloads of `aten::<name>`: `call` takes the first whose schema fits the arguments, tensors before
   * scalars. Returns -1 where libtorch has no such operator.
   */
  operator(name: string): OperatorId;
  /** One overload, `""` for the unnamed one. Returns -1 where libtorch has no such operator. */
  overload(name: string, overload: string): OperatorId;
  /** The schemas of an operator, as libtorch prints them. */
  schemas(operator: OperatorId): string[];
  /** Schemas of every overload under `aten::`, in no order: all that `torch.ops` reaches, more than has a public name. */
  everySchema(): string[];
  /** The overload that `call` would run with these arguments; `""` for the unnamed one. Runs nothing. */
  resolvedOverload(operator: OperatorId, ...args: unknown[]): string;
  /**
   * Calls an operator. Positional arguments in the schema's order, `undefined` for a default (trailing ones count as
   * absent); keyword-only ones in a last plain object under their camelCase or schema names, where any argument not
   * given by position may stand too: `sum(x, 1, { keepdim: true })`. One result comes back alone, several as an array
   * that has them by name too where they have any, none as undefined. In-place operators return the same wrapper that they were given.
   *
   * @throws TypeError, RangeError, OutOfMemoryError, UnsupportedOperatorError, DeviceMismatchError,
   *   UseAfterDisposeError; the session's interruption if the stop flag is set
   */
  call(operator: OperatorId, ...args: unknown[]): unknown;

  // --- tensors -----------------------------------------------------------------------------------------------
  isTensor(value: unknown): value is Tensor;
  /**
   * Whether all lists are as long as the first, and each of their tensors has dtype, device, shape and place of elements
   * of the first list's tensor at its index, all of them dense.
   */
  lieAlike(tensors: readonly Tensor[], ...others: (readonly Tensor[])[]): boolean;
  /** Copies a typed array to a CPU tensor. float16 and bfloat16 are given as Uint16Array, bool as Uint8Array. */
  fromTypedArray(data: TypedArray, shape: readonly number[], dtype: DType): Tensor;
  /** A CPU tensor over the array's own memory, kept alive by the tensor. */
  shareTypedArray(data: TypedArray, shape: readonly number[], dtype: DType): Tensor;
  /**
   * Returns an array over the tensor's own memory, which must be contiguous and on the CPU. The caller copies any other
   * tensor beforehand.
   */
  typedArray(tensor: Tensor): TypedArray;
  /** Calls `use` with that array, and detaches it afterwards, so that the tensor's memory can be freed at once. */
  withTypedArray<Result>(tensor: Tensor, use: (array: TypedArray) => Result): Result;
  /** Sets the cell that new tensors are recorded as made by (`Cell [3]`); "" for none. */
  setOrigin(origin: string): void;
  /** The memory that live tensors of each origin hold. A storage counts for the first tensor that has it. */
  retainedByOrigin(): readonly RetainedByOrigin[];

  // --- captured steps: see `native/capture/` -----------------------------------------------------------------
  /**
   * Records from now on what a step does, and compares it with a step that was captured. `stream`: the device on whose
   * side stream it runs. `graph`: its work is captured there as the device's graph, and not done. `isFirst`: the step
   * may give tensors another memory, as cuDNN does with the weights of an LSTM.
   */
  beginCapture(
    inputs: readonly Tensor[],
    expected: CapturedProgram | null,
    options: { readonly stream?: DeviceName; readonly graph?: boolean; readonly isFirst?: boolean },
  ): void;
  /**
   * Ends the recording.
   *
   * @throws TypeError for what a replay could not repeat
   */
  endCapture(results: readonly Tensor[]): {
    readonly step: CapturedProgram;
    readonly device: DeviceName;
    readonly difference: { readonly text: string; readonly place: string } | null;
  };
  /** Discards the recording, if there is one. */
  abandonCapture(): void;
  /** Runs operators that are not part of the step. */
  pauseCapture(paused: boolean): void;
  /** How many instructions the recording has. */
  capturedInstructions(): number;
  /** Whether the step was captured with such inputs, and with such gradients as exist now. */
  fitsCapture(step: CapturedProgram, inputs: readonly Tensor[]): boolean;
  /** Runs the step. The inputs must fit. */
  replay(step: CapturedProgram, inputs: readonly Tensor[]): Tensor[];
  /** Changes a number with which an instruction calls its operator. */
  setCapturedNumber(step: CapturedProgram, instruction: number, argument: string, value: number): void;
  /** How many operators a step has. */
  capturedOperators(step: CapturedProgram): number;

  // --- tidy scopes -------------------------------------------------------------------------------------------
  /** Tensors made from now on belong to a new scope. Returns its number. */
  beginScope(): number;
  /** Disposes what the scope made, except `kept` and whatever that views; these move to the enclosing scope. */
  endScope(scope: number, kept: readonly Tensor[]): void;
  /** Removes a tensor from every scope, for state that outlives the step that made it: optimizers, shuffled orders. */
  keep(tensor: Tensor): void;

  // --- random state, threads ---------------------------------------------------------------------------------
  /** Makes an object a generator of its own, of a device. */
  wrapGenerator(object: GeneratorObject, device: DeviceName): void;
  generatorDevice(generator: GeneratorObject): DeviceName;
  /** Seeds a device or a generator. Default: all devices. */
  manualSeed(seed: number | bigint, source?: RandomSource): void;
  /** Seeds from the system's randomness; returns the seed. */
  randomSeed(source: RandomSource): number | bigint;
  initialSeed(source: RandomSource): number | bigint;
  getRngState(source: RandomSource): Uint8Array;
  setRngState(source: RandomSource, state: Uint8Array): void;
  /** Gives this thread its own CPU generator: for the workers of a DataLoader. */
  useOwnGenerator(seed: number | bigint): void;
  getNumThreads(): number;
  setNumThreads(threads: number): void;
  /** The process's dtype of floating-point numbers where none is named. */
  defaultDtype(): DType;
  setDefaultDtype(dtype: DType): void;
  /** `warn`: an operator without a deterministic algorithm warns and runs. */
  deterministicAlgorithms(): "off" | "warn" | "on";
  setDeterministicAlgorithms(mode: boolean, warnOnly: boolean): void;

  // --- devices and memory ------------------------------------------------------------------------------------
  /** Devices that libtorch was built with, and those of them that work here. */
  devices(): { readonly built: DeviceName[]; readonly available: DeviceName[] };
  /** The number of the GPU that "cuda" stands for. */
  currentCudaDevice(): number;
  setCudaDevice(device: DeviceName): void;
  memoryStats(device: DeviceName): MemoryStats;
  resetPeak(device: DeviceName): void;
  /** Gives cached blocks back to the driver or the system. Returns the bytes given back. */
  emptyCache(device: DeviceName): number;
  synchronize(device: DeviceName): void;
  /** How long, and how often, this session's main thread has waited for a device that queues its work. */
  waited(): { readonly waitedMs: number; readonly waits: number };
  /** A marker for the device's queue, by number. */
  acquireEvent(device: DeviceName, timing: boolean): number;
  releaseEvent(event: number): void;
  recordEvent(event: number): void;
  waitForEvent(event: number): void;
  queryEvent(event: number): boolean;
  synchronizeEvent(event: number): void;
  /**
   * Resolves when the device has passed the marker. Another thread waits, so this does not count as a wait of the main
   * thread.
   */
  eventPassed(event: number): Promise<void>;
  elapsedMs(start: number, end: number): number;
  /** Limits a device's memory to a fraction of the recommended bytes: PyTorch's high watermark, 0 for no limit. */
  setMemoryFraction(device: DeviceName, fraction: number): void;
  /**
   * Makes an mps device of this machine's processor and memory, for the life of the process. `kernels`: the operators
   * that it has, apart by spaces.
   */
  simulateMetal(device: SimulatedDevice, kernels: SimulatedKernels): void;
  /** Makes a kernel of the simulated device go wrong, in place of the last; null for none. */
  plantMetalFault(fault: string | null): void;
  /** The faults that can be planted. */
  metalFaults(): { readonly name: string; readonly report: string }[];
  /** Operators that ran on the CPU for the simulated device, the most called first. */
  metalFallbacks(): Fallback[];
  /**
   * Records copies between kinds of devices that a backward makes, until every caller has called `stopWatchingCopies`.
   *
   * @returns how many were recorded before
   */
  watchBackwardCopies(): number;
  /** The recorded copies without the first `seen`. */
  backwardCopiesAfter(seen: number): BackwardCopy[];
  stopWatchingCopies(): void;
  /** Signposts of the simulated device's last trace. */
  metalSignposts(): Signpost[];
  /** The Metal device beyond what all devices share. To be called where there is one. */
  readonly mps: NativeMps;
  /** Custom kernels. To be called where there is a Metal device. */
  readonly shaders: NativeShaders;
  /** Stores, groups of processes, and the reducer of gradients. */
  readonly distributed: NativeDistributed;
  /** Makes the creation of a tensor on a device throw a TypeError with this text. */
  refuseDevices(why: string): void;
  /** The folder of the libtorch that this process has loaded. */
  libtorchFolder(): string;
  /** The simulated device and its counters, null where there is none. */
  simulatedMetal(): Simulation | null;
  /** The bytes that the host allocator may hold before it is out of memory, and the bytes up to which it caches. */
  setHostLimits(limits: {
    readonly recommendedBytes?: number;
    readonly highWatermark?: number;
    readonly lowWatermark?: number;
  }): void;
  /** Called once, below: the class of all tensors. */
  setWrapper(wrapper: typeof Wrapper): void;
  /** Called once, below: the classes that errors of the addon are instances of. */
  setErrorClasses(classes: typeof errors): void;
  /**
   * Called once: makes the class of an operator's results where they have names, given ATen's name for it and theirs. It
   * extends Array, and is made of the results.
   */
  setResultsClassMaker(
    make: (operator: string, names: readonly string[]) => new (...results: unknown[]) => unknown[],
  ): void;
  /** Called once, with the function that makes the error for a failed allocation from libtorch's message. */
  setOutOfMemoryFormatter(
    format: (message: string, device: DeviceKind | null, holders: readonly HeldMemory[]) => Error,
  ): void;
  /** Sets the function that is called once, when tensors on mps hold `nearBytes`, nearly what Metal recommends. */
  setNearLimitHandler(warn: (nearBytes: number) => void): void;
  /**
   * Called once, with two functions: a full collection for when memory is short, and a collection of the young
   * generation for when many tensors were made since the last one.
   */
  setCollector(full: () => void, young: () => void): void;
  /** Shared flag that stops operators: `call` throws the interruption made by `interrupted` when element 0 is set. */
  setStopFlag(flag: Int32Array, interrupted: () => void): void;
  /**
   * Records in the file which operator ran last, and the memory then, so that both survive a crash of this process: see
   * `native/errors/flight_recorder.h`. Returns false if the system refuses.
   */
  setFlightRecorder(file: number): boolean;
}

/**
 * The functions that the addon itself exports. `FastCallAddon` replaces `call`: JavaScript makes the wrapper of a
 * result, and the addon fills it.
 */
type Addon = Omit<Native, keyof Calls | keyof TensorProperties> & FastCallAddon & PropertyAddon;

type LoadObserver = (loaded: Native) => void;
const observers: LoadObserver[] = [];

/** Calls `observer` when the addon is loaded, or at once if it already is. For code that must not load it. */
export function whenLoaded(observer: LoadObserver): void {
  if (torchIsLoaded()) observer(native);
  else observers.push(observer);
}

const callUsers: ((calls: Calls) => void)[] = [];

/**
 * Passes the functions that call operators to `observer` when the addon is loaded, and again whenever `replaceNative`
 * changes them.
 */
export function useCalls(user: (calls: Calls) => void): void {
  callUsers.push(user);
  whenLoaded(user);
}

/**
 * Replaces functions of the addon, for a tracer; files that keep calls in variables get the new ones. Costs nothing
 * while none are replaced. Returns a function that restores the earlier ones. End replacements in reverse order.
 */
export function replaceNative(replace: (own: Native) => Partial<Native>): () => void {
  if (!torchIsLoaded()) load();
  const own = { ...native };
  Object.assign(native, replace(own));
  for (const user of callUsers) user(native);
  return () => {
    Object.assign(native, own);
    for (const user of callUsers) user(native);
  };
}

/** This object stands in for `native` until its first use. */
const loader = new Proxy({} as Native, {
  get(_, name) {
    // Before the addon is loaded there are no tensors.
    if (name === "isTensor") return isTensor;
    if (!torchIsLoaded()) load();
    return native[name as keyof Native];
  },
});

function isTensor(value: unknown): boolean {
  return torchIsLoaded() && native.isTensor(value);
}

/** A module that imports `native` sees its present value, so no member may be taken out of it before it is used. */
export let native: Native = loader;

function requireAddon(): Addon {
  const file = addonToLoad();
  try {
    return createRequire(import.meta.url)(file) as Addon;
  } catch (cause) {
    const reason = (cause as Error).message.split("\n")[0] ?? "";
    throw new Error(`libtorch cannot be loaded: ${reason}. ${wayOutOf(reason)}`, { cause });
  }
}

/** A prebuilt addon needs C and C++ libraries at least as new as those that it was linked with. */
const wayOutOf = (reason: string): string =>
  /version `GLIBC(XX)?_/.test(reason)
    ? "The addon was built for a newer Linux: npx mpslab setup --compile builds it for this one."
    : "npx mpslab doctor says what is missing.";

function load(): void {
  const refusedSet = refusedInstructionSet();
  if (refusedSet !== null) throw new Error(refusedSet);
  const addon = requireAddon();
  // Spread into a new object, because V8 looks up properties by hash in an object that an addon fills.
  native = { ...addon, ...makePropertyReaders(addon), ...makeCalls(addon) };
  noteTorchLoaded();
  native.setWrapper(Wrapper);
  native.setErrorClasses(errors);
  native.setCollector(
    () => collectGarbage("full"),
    () => collectGarbage("minor"),
  );

  observeFullCollections({ before: () => native.loosenHooks(), after: () => native.tightenHooks() });

  const refusal = deviceRefusal();
  if (refusal !== null) native.refuseDevices(refusal);

  // Operators stop at the user's interrupt. Outside a kernel there is no such interrupt.
  const session = installedSession();
  if (session) {
    native.setStopFlag(session.stopFlag, session.interrupted);
    native.setFlightRecorder(session.flightRecorderFile);
  }

  // Errors name the cell that made a tensor. Code that runs between cells has no cell.
  observeCells({
    cellStarted: (cell) => native.setOrigin(cell),
    cellEnded: () => native.setOrigin(""),
  });
  for (const observer of observers.splice(0)) observer(native);
}
