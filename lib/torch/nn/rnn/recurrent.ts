// Parts that the recurrent layers share: weights for every layer and direction under PyTorch's names, checks of input
// and state, packed sequences. Each layer names the libtorch operator that runs all steps.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import { isFloatingDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { makeOperator, torchFunctions } from "../../tensor/operators.ts";
import { boolean, integer, number, type Rules } from "../../vocabulary/options.ts";
import { emptyParameter, type FactoryOptions, readLayerOptions } from "../factory.ts";
import * as init from "../init/init.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/module.ts";
import type { Parameter } from "../module/parameter.ts";
import { addressOf, flattenWeights, isOnCuda, type Layout, type Mode } from "./flatten.ts";
import { PackedSequence } from "./packed.ts";

export interface RecurrentOptions extends FactoryOptions {
  /** Layers one above the other. Default: 1. */
  readonly numLayers?: number;
  /** Whether biases are added. Default: true. */
  readonly bias?: boolean;
  /** Whether input and output are [batch, time, features] and not [time, batch, features]. Default: false. */
  readonly batchFirst?: boolean;
  /** Probability to drop an element between layers while training. Default: 0. */
  readonly dropout?: number;
  /** Runs over the sequence in both directions, and gives the features of both. Default: false. */
  readonly bidirectional?: boolean;
}

type Structure = Omit<RecurrentOptions, keyof FactoryOptions> & { readonly projSize?: number };

const RULES: Rules<Structure> = {
  numLayers: integer(1, 1),
  bias: boolean(true),
  batchFirst: boolean(false),
  dropout: number(0, { min: 0, max: 1 }),
  bidirectional: boolean(false),
  projSize: integer(0, 0),
};

/** What follows the two sizes, by place. */
export const RECURRENT_PLACES = [
  "numLayers",
  "bias",
  "batchFirst",
  "dropout",
  "bidirectional",
  "device",
  "dtype",
] as const satisfies readonly (keyof RecurrentOptions)[];

/** A layer's operators: over a padded batch, and over a packed one. */
export interface Kernel {
  readonly mode: Mode;
  readonly padded: (...args: unknown[]) => Tensor[];
  readonly packed: (...args: unknown[]) => Tensor[];
}

export function kernelOf(mode: Mode): Kernel {
  return {
    mode,
    padded: makeOperator(mode, "input") as Kernel["padded"],
    packed: makeOperator(mode, "data") as Kernel["packed"],
  };
}

export type Sequence = Tensor | PackedSequence;

/** Layers over time, several above one another and in both directions: what `RNN`, `LSTM` and `GRU` share. */
export abstract class Recurrent extends Module {
  readonly inputSize: number;
  readonly hiddenSize: number;
  readonly projSize: number;
  readonly numLayers: number;
  /** Whether the steps add learnt biases. */
  readonly bias: boolean;
  batchFirst: boolean;
  dropout: number;
  readonly bidirectional: boolean;
  /** The weights of each layer and direction: `lstm.weightIhL0`, [gates * hiddenSize, features], and `lstm.weightHhL0Reverse`. */
  readonly [weight: `weight${string}`]: Parameter;
  private readonly _weightNames: readonly string[];
  /** The address of the first weight when the weights were last moved together. */
  private _flattenedAt = -1n;

  protected constructor(
    gates: number,
    inputSize: number,
    hiddenSize: number,
    options: (RecurrentOptions & { readonly projSize?: number }) | undefined,
    known: readonly string[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { read, factory } = readLayerOptions<Structure>(call, options, RULES, known);
    this.inputSize = checkInteger(call, "inputSize", inputSize, 1);
    this.hiddenSize = checkInteger(call, "hiddenSize", hiddenSize, 1);
    this.projSize = read.projSize;
    if (this.projSize >= hiddenSize) {
      throw new RangeError(`${call}: projSize must be below hiddenSize ${hiddenSize}, got ${this.projSize}.`);
    }
    this.numLayers = read.numLayers;
    this.bias = read.bias;
    this.batchFirst = read.batchFirst;
    this.dropout = read.dropout;
    this.bidirectional = read.bidirectional;
    this._weightNames = this._makeWeights(gates, factory);
    this.resetParameters();
  }

  private get _directions(): number {
    return this.bidirectional ? 2 : 1;
  }

  /** The number of features that a step returns: `projSize`, or `hiddenSize` without a projection. */
  protected get outputSize(): number {
    return this.projSize || this.hiddenSize;
  }

  private _makeWeights(gates: number, factory: FactoryOptions): string[] {
    const names: string[] = [];
    const rows = gates * this.hiddenSize;
    for (let layer = 0; layer < this.numLayers; layer++) {
      for (const suffix of this.bidirectional ? ["", "Reverse"] : [""]) {
        const features = layer === 0 ? this.inputSize : this.outputSize * this._directions;
        const sizes: Record<string, readonly number[]> = {
          weightIh: [rows, features],
          weightHh: [rows, this.outputSize],
          ...(this.bias ? { biasIh: [rows], biasHh: [rows] } : {}),
          ...(this.projSize > 0 ? { weightHr: [this.projSize, this.hiddenSize] } : {}),
        };
        for (const [kind, size] of Object.entries(sizes)) {
          const name = `${kind}L${layer}${suffix}`;
          Object.assign(this, { [name]: emptyParameter(size, factory) });
          names.push(name);
        }
      }
    }
    return names;
  }

  /** Draws the weights anew, as the constructor does: all of them uniform within 1 / sqrt(hiddenSize). */
  resetParameters(): void {
    const bound = 1 / Math.sqrt(this.hiddenSize);
    for (const parameter of this.parameters()) init.uniform_(parameter, -bound, bound);
  }

  private _layout(mode: Mode): Layout {
    const { inputSize, hiddenSize, projSize, numLayers, bias, batchFirst, bidirectional } = this;
    return { mode, inputSize, hiddenSize, projSize, numLayers, bias, batchFirst, bidirectional };
  }

  /** All weights in the order that libtorch takes them in. */
  private _weights(): Tensor[] {
    const fields = this as unknown as Record<string, Tensor>;
    return this._weightNames.map((name) => fields[name]!);
  }

  /**
   * The same, where cuDNN finds them in one piece on CUDA. Whatever moved them there since (`to`, of this module or of
   * one around it; `setData`) shows in the address of the first; loading a state dict leaves them in place.
   */
  private _weightsFor({ mode }: Kernel): Tensor[] {
    const weights = this._weights();
    const first = weights[0]!;
    if (isOnCuda(first) && addressOf(first) !== this._flattenedAt) {
      flattenWeights(weights, this._layout(mode));
      this._flattenedAt = addressOf(first);
    }
    return weights;
  }

  /**
   * Runs over a whole sequence. `sizes` are the features of each state (LSTM has two), `states` those given: without
   * them it starts from zeros.
   */
  protected run(
    kernel: Kernel,
    input: Sequence,
    sizes: readonly number[],
    states: readonly Tensor[] | null,
  ): { readonly output: Sequence; readonly states: Tensor[] } {
    return input instanceof PackedSequence
      ? this._runPacked(kernel, input, sizes, states)
      : this._runPadded(kernel, input, sizes, states);
  }

  private _runPadded(
    kernel: Kernel,
    input: Tensor,
    sizes: readonly number[],
    states: readonly Tensor[] | null,
  ) {
    const shape = inputShape(this, input);
    if ((shape.length !== 2 && shape.length !== 3) || shape.at(-1) !== this.inputSize) {
      const order = this.batchFirst ? "batch, time" : "time, batch";
      throw new RangeError(
        `${this}: the input must be [${order}, ${this.inputSize}] or [time, ${this.inputSize}], got shape [${shape.join(", ")}].`,
      );
    }
    this._checkDType(input);
    const batched = shape.length === 3;
    const batchDim = this.batchFirst ? 0 : 1;
    const sequence = batched ? input : input.unsqueeze(batchDim);
    const batch = batched ? shape[batchDim]! : 1;
    this._checkStates(states, sizes, batched ? batch : null);
    const given = batched ? states : states?.map((state) => state.unsqueeze(1));
    const { bias, numLayers, dropout, training, bidirectional, batchFirst } = this;
    const [output, ...final] = kernel.padded(
      sequence,
      this._stateArgument(given ?? this._zeros(input, sizes, batch)),
      this._weightsFor(kernel),
      bias,
      numLayers,
      dropout,
      training,
      bidirectional,
      batchFirst,
    ) as [Tensor, ...Tensor[]];
    if (batched) return { output, states: final };
    return { output: output.squeeze(batchDim), states: final.map((state) => state.squeeze(1)) };
  }

  private _runPacked(
    kernel: Kernel,
    input: PackedSequence,
    sizes: readonly number[],
    states: readonly Tensor[] | null,
  ) {
    const { data, batchSizes, sortedIndices, unsortedIndices } = input;
    const features = native.shape(data).at(-1);
    if (features !== this.inputSize)
      throw new RangeError(
        `${this}: the input's steps must have ${this.inputSize} features, got ${features}.`,
      );
    this._checkDType(data);
    const batch = Number(native.item(batchSizes.select(0, 0)));
    this._checkStates(states, sizes, batch);
    const given = states?.map((state) => (sortedIndices ? state.indexSelect(1, sortedIndices) : state));
    const { bias, numLayers, dropout, training, bidirectional } = this;
    const [output, ...final] = kernel.packed(
      data,
      batchSizes,
      this._stateArgument(given ?? this._zeros(data, sizes, batch)),
      this._weightsFor(kernel),
      bias,
      numLayers,
      dropout,
      training,
      bidirectional,
    ) as [Tensor, ...Tensor[]];
    const inOrder = (state: Tensor) => (unsortedIndices ? state.indexSelect(1, unsortedIndices) : state);
    return { output: input.withData(output), states: final.map(inOrder) };
  }

  private _stateArgument(states: readonly Tensor[]): Tensor | readonly Tensor[] {
    return states.length === 1 ? states[0]! : states;
  }

  private _zeros(like: Tensor, sizes: readonly number[], batch: number): Tensor[] {
    const where = { dtype: native.dtype(like), device: native.device(like) };
    const rows = this.numLayers * this._directions;
    return sizes.map((size) => torchFunctions.zeros([rows, batch, size], where));
  }

  private _checkDType(input: Tensor): void {
    const own = native.dtype(this.weightIhL0!);
    const given = native.dtype(input);
    if (given === own || isFloatingDType(given)) return;
    throw new TypeError(
      `${this}: the input must be ${own}, got ${given}; convert it with input.to("${own}").`,
    );
  }

  private _checkStates(
    states: readonly Tensor[] | null,
    sizes: readonly number[],
    batch: number | null,
  ): void {
    if (!states) return;
    for (const [i, size] of sizes.entries()) {
      const expected = [this.numLayers * this._directions, ...(batch === null ? [] : [batch]), size];
      const shape = inputShape(`${this}: state ${i}`, states[i]!);
      if (shape.join() === expected.join()) continue;
      throw new RangeError(
        `${this}: the state must be [${expected.join(", ")}], got shape [${shape.join(", ")}].`,
      );
    }
  }

  override extraRepr(): string {
    const parts = [`${this.inputSize}, ${this.hiddenSize}`];
    if (this.projSize !== 0) parts.push(`projSize=${this.projSize}`);
    if (this.numLayers !== 1) parts.push(`numLayers=${this.numLayers}`);
    if (!this.bias) parts.push("bias=false");
    if (this.batchFirst) parts.push("batchFirst=true");
    if (this.dropout !== 0) parts.push(`dropout=${this.dropout}`);
    if (this.bidirectional) parts.push("bidirectional=true");
    return parts.join(", ");
  }
}
