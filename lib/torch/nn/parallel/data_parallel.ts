// DistributedDataParallel: each process trains a copy of the model on its part of the data, and backward averages the
// gradients (torch/nn/parallel/distributed.py). The averaging is libtorch's reducer: it fills buckets with gradients,
// and sends a bucket while backward computes the next.
import { checkInteger, describe, requireFunction } from "../../vocabulary/arguments.ts";
import { requireFinished } from "../../vocabulary/finished.ts";
import { boolean, number, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { DeviceMismatchError } from "../../vocabulary/errors.ts";
import {
  guardCapture,
  isCapturing,
  noteMadeState,
  refuseInCapture,
  repeatedEffect,
} from "../../engine/captured_effects.ts";
import { native } from "../../engine/native.ts";
import type { NativeReducer } from "../../engine/native_distributed.ts";
import { registerHook } from "../../autograd/autograd.ts";
import { explainFailure, tellFailure } from "../../distributed/failures.ts";
import { groupOf, ProcessGroup } from "../../distributed/process_group.ts";
import { requireSameModel } from "../../distributed/same_model.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Module as Base } from "../module/base.ts";
import type { Module } from "../module/module.ts";
import type { Parameter } from "../module/parameter.ts";
import { requireModule } from "../module/require_module.ts";
import { tensorsIn } from "../../tensor/nested.ts";
import { throughSink } from "./outputs.ts";

/** Options of `nn.parallel.DistributedDataParallel` by name. */
export interface DataParallelOptions {
  /** Whose processes train the model together. Default: all. */
  readonly processGroup?: ProcessGroup | null;
  /** Whether each synchronized forward begins with the buffers of the first rank. Default: true. */
  readonly broadcastBuffers?: boolean;
  /** Whether all ranks begin with the parameters and buffers of the first rank. Default: true. */
  readonly initSync?: boolean;
  /** Gradients that are sent at once, in MiB. Default: 25, after a first bucket of 1. */
  readonly bucketCapMb?: number;
  /** Whether a forward may leave parameters out: each looks for them, which takes time. Default: false. */
  readonly findUnusedParameters?: boolean;
  /** Whether gradients are views of the buckets: saves their memory and a copy. Default: false. */
  readonly gradientAsBucketView?: boolean;
  /**
   * Whether a gradient that is NaN or infinite on one rank is an error on all, with the rank and the parameter, in place
   * of NaN everywhere. Each gradient is waited for. Not with a GradScaler, which expects infinities. Default: false.
   */
  readonly checkGradients?: boolean;
}

const RULES = {
  processGroup: optional((call, _name, value) => groupOf(call, value)),
  broadcastBuffers: boolean(true),
  initSync: boolean(true),
  bucketCapMb: optional((call, name, value) => number(25, { min: 0.001 }).check(call, name, value)),
  findUnusedParameters: boolean(false),
  gradientAsBucketView: boolean(false),
  checkGradients: boolean(false),
} satisfies OpenRules<DataParallelOptions>;

const MEBIBYTE = 1024 * 1024;
const CALL = "new nn.parallel.DistributedDataParallel";

/** Layers whose gradients have values for the looked-up rows only. */
const isSparse = (module: object): boolean => (module as { sparse?: unknown }).sparse === true;

/** The parameters to train, by path. */
function trained(module: Module): [string, Parameter][] {
  const found = [...module.namedParameters()].filter(([, parameter]) => native.requiresGrad(parameter));
  if (found.length === 0)
    throw new RangeError(
      `${CALL}: no parameter of ${module.constructor.name} requires a gradient, so there is nothing to average.`,
    );
  const [firstPath, first] = found[0]!;
  const device = native.device(first);
  if (device === "meta")
    throw new TypeError(
      `${CALL}: ${firstPath} is on "meta" and has no values: use toEmpty() and load them first.`,
    );
  for (const [path, parameter] of found) {
    if (native.device(parameter) !== device)
      throw new DeviceMismatchError(
        `${CALL}: ${firstPath} is on ${device}, and ${path} on ${native.device(parameter)}: move the model to one device with model.to(${JSON.stringify(device)}).`,
      );
  }
  return found;
}

/** Ends backward where the parameter's gradient of this rank is not finite, before it is averaged. */
function requireFinite(group: ProcessGroup, [path, parameter]: readonly [string, Parameter]): void {
  registerHook(parameter, (grad) => {
    if (tidy(() => native.item(grad.isfinite().all())) === true) return;
    const call = `backward, where the gradient of ${path} is not finite`;
    tellFailure(group, { call, what: "", count: 0 });
    const rank = group.ranks[group.rank()]!;
    throw new RangeError(
      `backward: the gradient of ${path} is not finite on rank ${rank}: look at its batch and loss, or lower the learning rate; autograd.detectAnomaly finds the operator.`,
    );
  });
}

/** The class over which `DistributedDataParallel` has its types. */
class DataParallel<Of extends Module> extends Base {
  /** The wrapped model: `ddp.module.stateDict()` has its own keys, `ddp.stateDict()` has them behind "module.". */
  readonly module: Of;
  readonly #group: ProcessGroup;
  readonly #reducer: NativeReducer;
  readonly #names: readonly string[];
  /** Found once, as in PyTorch: a walk through the modules takes as long as many operators. */
  readonly #buffers: readonly Tensor[];
  readonly #device: DeviceName;
  readonly #options: { readonly findUnusedParameters: boolean };
  #syncs = true;
  #bringsBuffers = true;

  constructor(module: Of, options?: DataParallelOptions) {
    super();
    requireModule(CALL, module);
    const read = readOptions(CALL, options, RULES);
    this.#group = read.processGroup ?? groupOf(CALL, null);
    this.#options = read;
    const handle = ProcessGroup.handleOf(CALL, this.#group);
    const parameters = trained(module);
    this.module = module;
    this.#names = parameters.map(([path]) => path);
    const tensors = parameters.map(([, parameter]) => parameter);
    this.#device = native.device(tensors[0]!);
    this.#buffers = read.broadcastBuffers ? module.buffers() : [];
    const sparse = new Set(module.modules().flatMap((layer) => (isSparse(layer) ? layer.parameters() : [])));
    const cap = Math.round((read.bucketCapMb ?? 25) * MEBIBYTE);
    this.#reducer = this.#explained(CALL, () => {
      requireSameModel(CALL, this.#group, parameters);
      if (read.initSync) {
        const state = [...module.parameters(), ...this.#buffers];
        native.distributed.broadcastAll(handle, state, 0, false);
      }
      return native.distributed.makeReducer(
        handle,
        tensors,
        this.#names,
        tensors.map((tensor) => (sparse.has(tensor) ? 1 : 0)),
        cap,
        read.bucketCapMb === undefined ? MEBIBYTE : cap,
        read.findUnusedParameters,
        read.gradientAsBucketView,
      );
    });
    ProcessGroup.addReducer(this.#group, this.#reducer);
    if (read.checkGradients) for (const named of parameters) requireFinite(this.#group, named);
  }

  /** Runs the model; the backward that follows averages its gradients over the ranks. */
  forward(...inputs: unknown[]): unknown {
    const call = "DistributedDataParallel.forward";
    const records = native.gradEnabled();
    const handle = ProcessGroup.handleOf(call, this.#group);
    if (isCapturing()) this.#checkCapture();
    this.#explained(call, () => {
      if (records && native.distributed.prepareForForward(this.#reducer))
        noteMadeState(
          () => "DistributedDataParallel orders its buckets at the second call: capture a later one.",
        );
      if (this.#bringsBuffers && this.#buffers.length > 0)
        native.distributed.broadcastAll(handle, this.#buffers, 0, isCapturing());
    });
    repeatedEffect(() => (this.#bringsBuffers = records && this.#syncs));
    const output: unknown = this.module(...inputs);
    if (!records || !this.#syncs) return output;
    const findUnused = this.#options.findUnusedParameters;
    native.distributed.prepareForBackward(this.#reducer, findUnused ? tensorsIn(output) : []);
    return findUnused ? throughSink(output) : output;
  }

  /**
   * Runs forwards and backwards that add up gradients on each rank alone; the first step outside sends the sums:
   *
   *     ddp.noSync(() => loss(ddp(first)).backward());
   *     loss(ddp(second)).backward();
   */
  noSync<Result>(run: () => Result): Result {
    const call = "DistributedDataParallel.noSync";
    requireFunction(call, run);
    const before = this.#syncs;
    this.#syncs = false;
    try {
      return requireFinished(
        call,
        run(),
        "the block is over when it returns: await before it, and run the step inside.",
      );
    } finally {
      this.#syncs = before;
    }
  }

  /** Whose processes train the model. */
  get processGroup(): ProcessGroup {
    return this.#group;
  }

  /** A captured step repeats the operators of the reducer, its collectives among them. */
  #checkCapture(): void {
    const [syncs, bringsBuffers] = [this.#syncs, this.#bringsBuffers];
    guardCapture(() => this.#syncs === syncs && this.#bringsBuffers === bringsBuffers);
    if (this.#options.findUnusedParameters)
      refuseInCapture(
        () =>
          "DistributedDataParallel looks for unused parameters in each call, and a replay does not: leave findUnusedParameters out, or train without torch.capture.",
      );
    if (ProcessGroup.stages("DistributedDataParallel.forward", this.#group, this.#device))
      refuseInCapture(
        () =>
          `DistributedDataParallel copies gradients of ${this.#device} to the host, and a replay does not: train without torch.capture.`,
      );
  }

  #explained<Result>(call: string, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      throw explainFailure(this.#inNames(error), this.#group, { call, what: "", count: 0 });
    }
  }

  /** libtorch's complaint of parameters without gradient, with their names for its numbers. */
  #inNames(error: unknown): unknown {
    const text = error instanceof Error ? error.message : "";
    if (!text.includes("Expected to have finished reduction")) return error;
    const list = /did not receive grad for rank \d+:([\d\s,]+)/.exec(text)?.[1] ?? "";
    const names = (list.match(/\d+/g) ?? []).map(
      (at) => this.#names[checkInteger(CALL, "index", Number(at), 0)],
    );
    return new Error(
      `DistributedDataParallel: ${names.length > 0 ? names.join(", ") : "some parameters"} got no gradient in the last backward, so it did not end on this rank. Pass { findUnusedParameters: true } if a forward may leave parameters out; otherwise let all outputs of forward enter the loss.`,
      { cause: error },
    );
  }

  override toString(): string {
    return `DistributedDataParallel(${describe(this.#group.ranks)})\n${this.module.toString()}`;
  }
}

/** A model that processes train together. It is called as the model is. */
export type DistributedDataParallel<Of extends Module = Module> = DataParallel<Of> &
  ((...inputs: Parameters<Of>) => ReturnType<Of>);

interface DataParallelConstructor {
  new <Of extends Module>(module: Of, options?: DataParallelOptions): DistributedDataParallel<Of>;
  readonly prototype: DistributedDataParallel;
}

/**
 * Trains a model on several processes: each has a copy and its part of the data, and backward averages the gradients, so
 * that all copies stay equal. Make it after `distributed.initProcessGroup()`, on every rank, from the same model.
 *
 *     const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(4, 2));
 *     const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1 });
 *     functional.mseLoss(ddp(x), y).backward(); // the same gradients on every rank
 *     optimizer.step();
 */
export const DistributedDataParallel = DataParallel as unknown as DataParallelConstructor;
