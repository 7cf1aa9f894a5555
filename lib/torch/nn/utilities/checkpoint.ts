// Gradient checkpointing: a part of a model keeps only its inputs, and is recomputed when backward needs the rest.
// Non-reentrant, as PyTorch's `use_reentrant=False`: the graph is the usual one and only saved tensors are replaced,
// so hooks, `inputs` and gradients of intermediate values work.
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { checkIterable, checkTensor } from "../../tensor/tensor_arguments.ts";
import { autocastState, inAutocastState } from "../../amp/autocast.ts";
import { checkFunction, checkInteger, describe, requireFunction } from "../../vocabulary/arguments.ts";
import { requireFinished } from "../../vocabulary/finished.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import { enableGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { noteCheckpoint } from "../../engine/step_strategy.ts";
import type { Tensor } from "../../tensor/tensor.ts";

export interface CheckpointOptions {
  /** Draws the same random numbers again, for dropout and its like. Default: true. */
  readonly preserveRngState?: boolean;
  /** Stops computing again as soon as all that is needed is there. Default: true. */
  readonly earlyStop?: boolean;
  /** Compares shapes and dtypes of what is computed again with the first time. Default: true. */
  readonly determinismCheck?: boolean;
}

/** Stands for a tensor in the graph. `number` counts the tensors that the part saved. */
interface Place {
  readonly number: number;
}

/** Thrown through the second run when it has given all that is needed. */
class Enough extends Error {}

type RngStates = readonly (readonly [DeviceName, Uint8Array])[];

function rngStates(inputs: readonly unknown[]): RngStates {
  const devices = new Set<DeviceName>(["cpu"]);
  for (const input of inputs) if (native.isTensor(input)) devices.add(native.device(input));
  return [...devices].map((device) => [device, native.getRngState(device)]);
}

function restore(states: RngStates): void {
  for (const [device, state] of states) native.setRngState(device, state);
}

const describeTensor = (tensor: Tensor) => `${native.dtype(tensor)} [${native.shape(tensor).join(", ")}]`;

/** One call of `checkpoint`: what it must do to compute again, and what it has computed again. */
class Frame<Inputs extends readonly unknown[]> {
  readonly #run: (...inputs: Inputs) => unknown;
  readonly #inputs: Inputs;
  readonly #options: Required<CheckpointOptions>;
  readonly #rng: RngStates | null;
  /** Backward stands outside of the block that the forward stood in. */
  readonly #casts = autocastState();
  /** The description of each saved tensor. */
  readonly #saved: string[] = [];
  #again: (Tensor | undefined)[] | null = null;
  #left = 0;

  constructor(run: (...inputs: Inputs) => unknown, inputs: Inputs, options: Required<CheckpointOptions>) {
    this.#run = run;
    this.#inputs = inputs;
    this.#options = options;
    this.#rng = options.preserveRngState ? rngStates(inputs) : null;
  }

  pack(tensor: Tensor): Place {
    this.#saved.push(describeTensor(tensor));
    // The wrapper was made for this call only; what it shows is to be freed now, which is the point of it all.
    native.dispose(tensor);
    return { number: this.#saved.length - 1 };
  }

  unpack({ number }: Place): Tensor {
    if (!this.#again?.[number]) this.#computeAgain();
    const tensor = this.#again![number];
    if (!tensor) {
      throw new Error(
        `checkpoint: computed again, the function saved ${this.#again!.length} tensors for backward, and ${this.#saved.length} the first time. It must do the same both times.`,
      );
    }
    // Each saved tensor is asked for once in a backward; a second backward computes again.
    this.#again![number] = undefined;
    if (--this.#left === 0) this.#again = null;
    return tensor;
  }

  #computeAgain(): void {
    const again: Tensor[] = [];
    const { earlyStop, determinismCheck } = this.#options;
    const pack = (tensor: Tensor): Place => {
      const number = again.length;
      if (
        determinismCheck &&
        this.#saved[number] !== undefined &&
        this.#saved[number] !== describeTensor(tensor)
      ) {
        throw new Error(
          `checkpoint: computed again, tensor ${number} that backward needs is ${describeTensor(tensor)}, and it was ${this.#saved[number]} the first time. ` +
            `The function must do the same both times.`,
        );
      }
      native.keep(tensor);
      again.push(tensor);
      if (earlyStop && again.length === this.#saved.length) throw new Enough();
      return { number };
    };
    const unpack = ({ number }: Place) => again[number]!;
    const before = this.#rng && rngStates(this.#inputs);
    if (this.#rng) restore(this.#rng);
    const inputs = this.#inputs.map((input) => {
      if (!native.isTensor(input)) return input;
      const detached = input.detach();
      if (native.requiresGrad(input)) native.setRequiresGrad(detached, true);
      return detached;
    }) as unknown as Inputs;
    try {
      inAutocastState(this.#casts, () =>
        enableGrad(() => withHooks(pack, unpack, () => this.#run(...inputs))),
      );
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    } finally {
      if (before) restore(before);
    }
    this.#again = again;
    this.#left = again.length;
  }
}

function withHooks<Result>(
  pack: (tensor: Tensor) => Place,
  unpack: (place: Place) => Tensor,
  run: () => Result,
): Result {
  native.pushSavedTensorHooks(pack, unpack);
  try {
    return run();
  } finally {
    native.popSavedTensorHooks();
  }
}

const RULES: Rules<CheckpointOptions> = {
  preserveRngState: boolean(true),
  earlyStop: boolean(true),
  determinismCheck: boolean(true),
};

/**
 * `checkpoint((x) => block(x), [x])`: as `block(x)`, but what backward needs of it is not kept, only computed again.
 * The function must do the same both times, and reads what it needs from its inputs or from what does not change.
 */
export function checkpoint<Inputs extends readonly unknown[], Result>(
  run: (...inputs: Inputs) => Result,
  inputs: readonly [...Inputs],
  options?: CheckpointOptions,
): Result {
  const call = "torch.checkpoint";
  requireFunction(call, run);
  if (!Array.isArray(inputs)) {
    throw new TypeError(
      `${call}: expected the function's inputs in an array, as checkpoint(fn, [x]), got ${describe(inputs)}.`,
    );
  }
  const read = readOptions<CheckpointOptions>(call, options, RULES);
  const given = [...inputs] as unknown as Inputs;
  if (!native.gradEnabled()) return run(...given);
  const frame = new Frame(run, given, read);
  noteCheckpoint();
  const result = withHooks(
    (tensor) => frame.pack(tensor),
    (place) => frame.unpack(place),
    () => run(...given),
  );
  return requireFinished(call, result, "it would be computed again in the midst of backward.");
}

/** Runs layers one after the other in so many segments, each of which is checkpointed, but for the last. */
export function checkpointSequential(
  layers: Iterable<(input: Tensor) => Tensor>,
  segments: number,
  input: Tensor,
  options?: CheckpointOptions,
): Tensor {
  const call = "torch.checkpointSequential";
  const list = [...checkIterable(call, "the layers", layers)];
  for (const [at, layer] of list.entries()) checkFunction(call, `layers[${at}]`, layer);
  checkInteger(call, "segments", segments, 1);
  if (segments > list.length)
    throw new RangeError(`${call}: ${list.length} layers cannot make ${segments} segments.`);
  const size = Math.floor(list.length / segments);
  const through = (from: number, to: number) => (x: Tensor) =>
    list.slice(from, to).reduce((current, layer) => layer(current), x);
  let current = checkTensor(call, "input", input);
  for (let segment = 0; segment < segments - 1; segment++)
    current = checkpoint(through(segment * size, (segment + 1) * size), [current], options);
  return through((segments - 1) * size, list.length)(current);
}
