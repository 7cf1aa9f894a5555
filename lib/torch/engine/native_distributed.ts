// Declares the addon's functions for several processes (`native/distributed`). Types only, a part of `native.ts`.
import type { Tensor } from "../types/index.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";

/** A collective or a message that was started. */
export interface NativeOperation {
  readonly __operation: unique symbol;
}

/** libtorch's reducer of gradients. */
export interface NativeReducer {
  readonly __reducer: unique symbol;
}

/** Names of what `start` starts. */
export type OperationName =
  | "allReduce"
  | "broadcast"
  | "reduce"
  | "allGather"
  | "allGatherIntoTensor"
  | "gather"
  | "scatter"
  | "reduceScatter"
  | "reduceScatterTensor"
  | "allToAll"
  | "allToAllSingle"
  | "barrier"
  | "send"
  | "recv"
  | "recvAny";

/** Stores and groups are numbers. Calls that wait end within 10 ms of an interrupt. */
export interface NativeDistributed {
  // --- stores ------------------------------------------------------------------------------------------------
  /** Connects to a TCP store, and is its server where it is said so. Port 0: any that is free. */
  openStore(
    host: string,
    port: number,
    isServer: boolean,
    timeoutMs: number,
  ): { readonly store: number; readonly port: number };
  closeStore(store: number): void;
  storeSet(store: number, key: string, value: Uint8Array): void;
  /** Waits until the key is there. */
  storeGet(store: number, key: string, timeoutMs: number): Uint8Array;
  /**
   * Sets the value if the present one is the expected one; an empty one stands for none. Returns the value afterwards.
   */
  storeCompareSet(store: number, key: string, expected: Uint8Array, desired: Uint8Array): Uint8Array;
  storeAdd(store: number, key: string, amount: number): number;
  storeCheck(store: number, keys: readonly string[]): boolean;
  storeWait(store: number, keys: readonly string[], timeoutMs: number): void;
  storeDelete(store: number, key: string): boolean;
  storeNumKeys(store: number): number;

  // --- groups and what they do -------------------------------------------------------------------------------
  /** Connects the ranks of a group; waits for all of them. `checks`: compare collectives before they run. */
  makeGroup(
    store: number,
    /** The host of the store: if it is a loopback address, gloo listens only there. */
    host: string,
    /** The prefix of the group's keys in the store. */
    prefix: string,
    name: string,
    rank: number,
    size: number,
    timeoutMs: number,
    checks: boolean,
    /** Whether gloo carries tensors on the host. */
    gloo: boolean,
    /** Whether NCCL carries tensors on CUDA devices. */
    nccl: boolean,
    /** The GPU that NCCL connects at once; "" for that of the first collective. */
    device: string,
  ): number;
  /** Why this process cannot use NCCL, as a sentence without its period; empty if it can. */
  whyNoNccl(): string;
  /** Makes the error for a wait for the GPU on which a group's operation failed. */
  explainGpuFailures(explain: (group: number, reason: string) => unknown): void;
  /** Whether tensors of the device are copied to the host, because no backend of the group carries them. */
  stages(group: number, device: DeviceName): boolean;
  /** `waits`: whether to wait for operations in progress. */
  closeGroup(group: number, waits: boolean): void;
  /** `peer`: the root, or the other end of a message, as a rank of the group. `op`: c10d's number of a reduction. */
  start(
    group: number,
    name: OperationName,
    outputs: readonly Tensor[],
    inputs: readonly Tensor[],
    peer: number,
    op: number,
    tag: number,
    outputSplits: readonly number[],
    inputSplits: readonly number[],
  ): NativeOperation;
  operationIsDone(operation: NativeOperation): boolean;
  /** Throws the error with which the operation failed. */
  waitForOperation(operation: NativeOperation): void;
  operationEnd(operation: NativeOperation): Promise<void>;
  /** The rank of the group from which a received message came. */
  sourceRank(operation: NativeOperation): number;

  // --- DistributedDataParallel -------------------------------------------------------------------------------
  /** Gives the tensors of all ranks the values of one. `isRecorded`: whether a captured step repeats it. */
  broadcastAll(group: number, tensors: readonly Tensor[], root: number, isRecorded: boolean): void;
  makeReducer(
    group: number,
    parameters: readonly Tensor[],
    names: readonly string[],
    sparse: readonly number[],
    bucketBytes: number,
    firstBucketBytes: number,
    findUnused: boolean,
    gradientAsBucketView: boolean,
  ): NativeReducer;
  /**
   * The first time after a backward it communicates with the other ranks, and waits for them. Returns whether it did.
   */
  prepareForForward(reducer: NativeReducer): boolean;
  /** `outputs`: those of the forward if unused parameters are searched for; otherwise empty. */
  prepareForBackward(reducer: NativeReducer, outputs: readonly Tensor[]): void;
  releaseReducer(reducer: NativeReducer): void;
}
