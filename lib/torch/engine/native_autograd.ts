// Declares the addon's functions for autograd, autocast, anomaly mode and the profiler. Types only, a part of
// `native.ts`.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";

/** A node of the autograd graph: an instance of the class given to `setNodeClass`. */
export interface GraphNode {
  readonly name: string;
}

/** The node in which a backward failed, and where it was recorded. */
export interface FailedNode {
  readonly name: string;
  /** The user's lines of the stack; may be empty. */
  readonly recordedAt: string;
  /** The node of an earlier backward that recorded it, under `createGraph`; empty otherwise. */
  readonly parentName: string;
  readonly parentRecordedAt: string;
}

/** One operator, node of a backward or named block that ran under the profiler. */
export interface Span {
  readonly name: string;
  readonly scope: "operator" | "backward" | "user";
  /** The index of its caller among the spans; -1 for none. */
  readonly parent: number;
  /** A number that a recorded operator shares with its backward; -1 for none. */
  readonly sequence: number;
  /** Milliseconds from the start of the recording. */
  readonly beginMs: number;
  readonly endMs: number;
  /** Bytes that remained allocated when it ended; negative if it freed more than it allocated. */
  readonly hostBytes: number;
  readonly deviceBytes: number;
  readonly shapes: string;
  readonly stack: string;
  readonly deviceBeginMs?: number;
  readonly deviceEndMs?: number;
}

/** Tensors, with null for those that are missing. */
type Gradients = readonly (Tensor | null)[];

/** An object that the addon made. */
export interface Destinations {
  readonly __destinations: unique symbol;
}

export interface NativeAutograd {
  // --- transforms of functions -------------------------------------------------------------------------------
  /** How many transforms are entered. */
  transformDepth(): number;
  /** Randomness: 0 is an error, 1 is the same for all examples, 2 is different. Returns the transform's level. */
  pushVmap(batchSize: number, randomness: number): number;
  pushGrad(): number;
  /** Leaves transforms until so many are left. */
  popTransforms(depth: number): void;
  addBatchDimension(tensor: Tensor, dim: number, level: number): Tensor;
  removeBatchDimension(tensor: Tensor, dim: number, level: number, batchSize: number): Tensor;
  /** What a transform made of a tensor; null for any other. `dim` is that of the examples for which it stands. */
  wrapping(
    tensor: Tensor,
  ): { readonly level: number; readonly dim: number | null; readonly value: Tensor } | null;
  wrapForGrad(tensor: Tensor, level: number): Tensor;
  unwrapForGrad(tensor: Tensor, level: number): Tensor;
  /** Lets the wrapper of `tensor` stand for another tensor; returns a wrapper of the one for which it stood. */
  substitute(tensor: Tensor, other: Tensor): Tensor;

  // --- autograd ----------------------------------------------------------------------------------------------
  setRequiresGrad(tensor: Tensor, value: boolean): void;
  gradFnName(tensor: Tensor): string | null;
  /** Returns the same wrapper as long as somebody holds it. */
  grad(tensor: Tensor): Tensor | null;
  /** Returns a wrapper that only the caller has, so that the caller may dispose it. */
  ownGrad(tensor: Tensor): Tensor | null;
  setGrad(tensor: Tensor, grad: Tensor | null): void;
  retainGrad(tensor: Tensor): void;
  retainsGrad(tensor: Tensor): boolean;
  backward(
    tensors: readonly Tensor[],
    gradients: readonly (Tensor | null)[],
    retainGraph: boolean,
    createGraph: boolean,
    inputs: readonly Tensor[],
  ): void;
  gradients(
    outputs: readonly Tensor[],
    inputs: readonly Tensor[],
    gradOutputs: readonly (Tensor | null)[],
    retainGraph: boolean,
    createGraph: boolean,
    allowUnused: boolean,
  ): (Tensor | null)[];
  /** The hook gets the gradient and may return another. Returns a number for `removeHook`. */
  registerHook(tensor: Tensor, hook: (grad: Tensor) => Tensor | undefined | void): number;
  removeHook(tensor: Tensor, hook: number): void;
  /** Called around a full collection: meanwhile only wrappers hold the functions of hooks that no graph needs. */
  loosenHooks(): void;
  tightenHooks(): void;
  /** The hook gets this wrapper of the leaf after its gradient was accumulated. */
  registerPostAccumulateGradHook(tensor: Tensor, hook: (parameter: Tensor) => void): number;
  removePostAccumulateGradHook(tensor: Tensor, hook: number): void;
  /** The number of the backward that is running; -1 if none is. */
  graphTask(): number;
  /** Returns the places where the gradients of tensors accumulate. Holds no graph. */
  destinations(tensors: readonly Tensor[]): Destinations;
  /** Returns for how many of them the running backward computes gradients. */
  countComputed(destinations: Destinations): number;
  /** Called once: the class of the objects that stand for nodes of the graph. */
  setNodeClass(nodeClass: new () => GraphNode): void;
  gradFn(tensor: Tensor): GraphNode | null;
  outputNr(tensor: Tensor): number;
  nodeName(node: GraphNode): string;
  nextFunctions(node: GraphNode): [node: GraphNode | null, output: number][];
  /** The leaf to which an `AccumulateGrad` belongs. */
  nodeVariable(node: GraphNode): Tensor | null;
  /**
   * Adds a hook that runs after the node; `addNodePrehook` adds one that runs before it. Both return a key for
   * `removeNodeHook`.
   */
  addNodeHook(
    node: GraphNode,
    hook: (gradInputs: Gradients, gradOutputs: Gradients) => Gradients | void,
  ): bigint;
  addNodePrehook(node: GraphNode, hook: (gradOutputs: Gradients) => Gradients | void): bigint;
  removeNodeHook(node: GraphNode, key: bigint): void;
  /** Outputs of `forward`, behind a node whose derivative is `backward`. */
  customFunction(
    name: string,
    inputs: readonly Tensor[],
    forward: () => {
      readonly outputs: Gradients;
      readonly saved: Gradients;
      readonly nonDifferentiable: readonly Tensor[];
      readonly dirty: readonly Tensor[];
      readonly materializeGrads: boolean;
    },
    backward: (gradients: (Tensor | null)[], saved: (Tensor | null)[]) => (Tensor | null)[],
  ): (Tensor | null)[];
  /** Tensors over the same memory, behind one node of the graph whose gradients go through `hook` together. */
  identity(
    tensors: readonly Tensor[],
    hook: (gradients: readonly (Tensor | null)[]) => readonly (Tensor | null)[],
  ): Tensor[];
  /**
   * Until they are popped, `pack` keeps an object in place of each tensor that the graph saves, and `unpack` gives the
   * tensor when backward asks for it.
   */
  pushSavedTensorHooks<Packed extends object>(
    pack: (tensor: Tensor) => Packed,
    unpack: (packed: Packed) => Tensor,
  ): void;
  popSavedTensorHooks(): void;
  gradEnabled(): boolean;
  setGradEnabled(enabled: boolean): void;
  inferenceMode(): boolean;
  setInferenceMode(enabled: boolean): void;

  // --- autocast: the casts of a kind of device ---------------------------------------------------------------
  autocastEnabled(deviceType: string): boolean;
  setAutocastEnabled(deviceType: string, enabled: boolean): void;
  autocastDtype(deviceType: string): "float16" | "bfloat16";
  setAutocastDtype(deviceType: string, dtype: "float16" | "bfloat16"): void;
  autocastCacheEnabled(): boolean;
  setAutocastCacheEnabled(enabled: boolean): void;
  /**
   * Opens a block. The weights that were cast are kept until the outermost block is left. Both functions return the
   * number of open blocks.
   */
  enterAutocast(): number;
  leaveAutocast(): number;
  clearAutocastCache(): void;

  // --- anomaly mode ------------------------------------------------------------------------------------------
  /** Nodes that are recorded from now on remember where; with `checkNan` backward looks at every gradient. */
  setAnomalyMode(enabled: boolean, checkNan: boolean): void;
  anomalyMode(): { readonly enabled: boolean; readonly checkNan: boolean };
  /**
   * Called once, with three functions. They return the user's lines on the stack, innermost first; the same stack
   * captured without being formatted; and the innermost line of a captured stack.
   */
  setCallSite(callSite: () => string, capture: () => Error, placeOf: (captured: Error) => string): void;
  /** Called once, with the function that adds to an error of backward the node in which it arose. */
  setAnomalyFormatter(format: (error: unknown, node: FailedNode, isOfUser: boolean) => void): void;

  // --- profiler ----------------------------------------------------------------------------------------------
  startProfiler(options: {
    readonly shapes: boolean;
    readonly memory: boolean;
    readonly stacks: boolean;
    /** A device that queues its work, whose times are recorded too. */
    readonly device: DeviceName | undefined;
  }): void;
  /** Stops the profiler and returns the spans since its start, in the order in which they began. */
  stopProfiler(): Span[];
  /** Runs a function under a name that the user gives. */
  recordFunction<Result>(name: string, run: () => Result): Result;
}
