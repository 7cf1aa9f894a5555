// Batches of a dataset, in order or shuffled. Random numbers are drawn as PyTorch's DataLoader draws them, so equal
// seeds give equal batches: one at the start of every pass (PyTorch's seed for workers, drawn without them too), then,
// when shuffling, one that seeds the permutation. With `seed`, both come from a generator of the loader's own.
import { native } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { checkBoolean, checkInteger, checkOptions, describe } from "../arguments.ts";
import { torchFunctions } from "../operators.ts";
import { collate as defaultCollate, type Collated } from "./collate.ts";
import { TensorDataset, type Dataset } from "./dataset.ts";

export interface LoaderOptions<Item, Batch> {
  /** Items a batch, 1 unless given. */
  readonly batchSize?: number;
  readonly shuffle?: boolean;
  /** Makes the order independent of `manualSeed`; each pass goes on where the last one stopped. */
  readonly seed?: number | bigint;
  /** Leaves out a last batch that is not full. */
  readonly dropLast?: boolean;
  readonly collate?: (items: Item[]) => Batch;
  readonly pinMemory?: boolean;
}

const OPTIONS = ["batchSize", "shuffle", "seed", "dropLast", "collate", "pinMemory"] as const;

const INDICES = { dtype: "int64", device: "cpu" } as const;

/** Runs `draw` with the CPU's generator in another state, and returns the state after it. */
function withGeneratorState<T>(
  state: Uint8Array,
  draw: () => T,
): { readonly value: T; readonly state: Uint8Array } {
  const before = native.getRngState("cpu");
  native.setRngState("cpu", state);
  try {
    return { value: draw(), state: native.getRngState("cpu") };
  } finally {
    native.setRngState("cpu", before);
  }
}

function seededState(seed: number | bigint): Uint8Array {
  const before = native.getRngState("cpu");
  native.manualSeed(seed, "cpu");
  const state = native.getRngState("cpu");
  native.setRngState("cpu", before);
  return state;
}

function drawSeed(): number | bigint {
  const drawn = torchFunctions.empty([], INDICES).random_();
  const seed = native.item(drawn) as number | bigint;
  native.dispose(drawn);
  return seed;
}

function inOrder(length: number): Tensor {
  return torchFunctions.arange(length, INDICES);
}

function permutation(length: number): Tensor {
  return torchFunctions.randperm(length, INDICES);
}

function refusePinMemory(): never {
  const { available } = native.devices();
  throw new TypeError(
    available.includes("mps")
      ? "DataLoader: pinMemory does nothing on mps: CPU and GPU share one memory, so there is no page to pin. Leave it out."
      : `DataLoader: pinMemory is not supported (devices here: ${available.join(", ")}). Leave it out.`,
  );
}

export class DataLoader<Item, Batch = Collated<Item>> implements Iterable<Batch> {
  readonly dataset: Dataset<Item>;
  readonly batchSize: number;
  readonly shuffle: boolean;
  readonly dropLast: boolean;
  readonly #collate: ((items: Item[]) => Batch) | undefined;
  /** State of the loader's own generator, or undefined when the session's generator is used. */
  #ownState: Uint8Array | undefined;

  constructor(dataset: Dataset<Item>, options?: LoaderOptions<Item, Batch>) {
    const call = "new data.DataLoader";
    if (typeof dataset?.length !== "number" || typeof dataset.get !== "function") {
      throw new TypeError(
        `${call}: expected a dataset with length and get(index), got ${describe(dataset)}.`,
      );
    }
    const given = checkOptions(call, options, OPTIONS);
    this.dataset = dataset;
    this.batchSize = checkInteger(call, "batchSize", given.batchSize ?? 1, 1);
    this.shuffle = checkBoolean(call, "shuffle", given.shuffle ?? false);
    this.dropLast = checkBoolean(call, "dropLast", given.dropLast ?? false);
    if (given.collate !== undefined && typeof given.collate !== "function") {
      throw new TypeError(`${call}: collate must be a function, got ${describe(given.collate)}.`);
    }
    this.#collate = given.collate;
    if (checkBoolean(call, "pinMemory", given.pinMemory ?? false)) refusePinMemory();
    if (given.seed !== undefined) {
      if (typeof given.seed !== "bigint") checkInteger(call, "seed", given.seed, 0);
      this.#ownState = seededState(given.seed);
    }
  }

  /** Batches in one pass. */
  get length(): number {
    const batches = this.dataset.length / this.batchSize;
    return this.dropLast ? Math.floor(batches) : Math.ceil(batches);
  }

  *[Symbol.iterator](): Generator<Batch, void, undefined> {
    const order = this.#drawOrder();
    native.keep(order); // it lasts a whole pass, also where a step of the pass is run in tidy
    try {
      for (let batch = 0; batch < this.length; batch++) {
        const start = batch * this.batchSize;
        yield this.#batch(order.narrow(0, start, Math.min(this.batchSize, this.dataset.length - start)));
      }
      this.#endPass();
    } finally {
      native.dispose(order);
    }
  }

  /** The indices of one pass, as int64 on the CPU. */
  #drawOrder(): Tensor {
    const length = this.dataset.length;
    if (this.#ownState) {
      const { value, state } = withGeneratorState(this.#ownState, () => {
        drawSeed();
        return this.shuffle ? permutation(length) : inOrder(length);
      });
      this.#ownState = state;
      return value;
    }
    drawSeed();
    if (!this.shuffle) return inOrder(length);
    return withGeneratorState(seededState(drawSeed()), () => permutation(length)).value;
  }

  /** PyTorch's sampler draws a permutation more when a pass ends, which only a generator of its own remembers. */
  #endPass(): void {
    if (!this.#ownState || !this.shuffle) return;
    const { value, state } = withGeneratorState(this.#ownState, () => permutation(this.dataset.length));
    native.dispose(value);
    this.#ownState = state;
  }

  #batch(indices: Tensor): Batch {
    if (!this.#collate && this.dataset.getBatch) {
      const batch = this.dataset.getBatch(indices) as Batch;
      // Another dataset may have put the indices into the batch.
      if (this.dataset instanceof TensorDataset) native.dispose(indices);
      return batch;
    }
    const items = (indices.tolist() as number[]).map((index) => this.dataset.get(index));
    native.dispose(indices);
    return this.#collate ? this.#collate(items) : (defaultCollate(items) as Batch);
  }
}
