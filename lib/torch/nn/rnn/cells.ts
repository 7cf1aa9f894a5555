// Recurrent cells: one step of a recurrent layer, for the user's own loops.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChoice, checkInteger, checkList, describe } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { emptyParameter, readLayerOptions, type FactoryOptions } from "../factory.ts";
import * as init from "../init/init.ts";
import { inputShape } from "../input.ts";
import { LINEAR_PLACES, LINEAR_RULES, type LinearOptions } from "../linear.ts";
import { Module } from "../module/module.ts";
import type { Parameter } from "../module/parameter.ts";
import type { Nonlinearity } from "./gru.ts";
import type { LSTMState } from "./lstm.ts";
import type { ByName } from "../../types/index.ts";

abstract class Cell extends Module {
  readonly inputSize: number;
  readonly hiddenSize: number;
  /** [gates * hiddenSize, inputSize] */
  weightIh: Parameter;
  /** [gates * hiddenSize, hiddenSize] */
  weightHh: Parameter;
  biasIh: Parameter | null;
  biasHh: Parameter | null;

  protected constructor(
    gates: number,
    inputSize: number,
    hiddenSize: number,
    options: LinearOptions | undefined,
    known: readonly string[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { read, factory } = readLayerOptions(call, options, LINEAR_RULES, known);
    this.inputSize = checkInteger(call, "inputSize", inputSize, 1);
    this.hiddenSize = checkInteger(call, "hiddenSize", hiddenSize, 1);
    const rows = gates * hiddenSize;
    this.weightIh = emptyParameter([rows, inputSize], factory);
    this.weightHh = emptyParameter([rows, hiddenSize], factory);
    this.biasIh = read.bias ? emptyParameter([rows], factory) : null;
    this.biasHh = read.bias ? emptyParameter([rows], factory) : null;
    this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: all of them uniform within 1 / sqrt(hiddenSize). */
  resetParameters(): void {
    const bound = 1 / Math.sqrt(this.hiddenSize);
    for (const parameter of this.parameters()) init.uniform_(parameter, -bound, bound);
  }

  /** Input [batch, inputSize] or [inputSize], and states [batch, hiddenSize] or [hiddenSize]. Default: zeros. */
  protected step(
    input: Tensor,
    states: readonly Tensor[] | undefined,
    count: number,
    run: (input: Tensor, states: Tensor[]) => Tensor[],
  ): Tensor[] {
    const shape = inputShape(this, input);
    if ((shape.length !== 1 && shape.length !== 2) || shape.at(-1) !== this.inputSize) {
      throw new RangeError(
        `${this}: the input must be [batch, ${this.inputSize}] or [${this.inputSize}], got shape [${shape.join(", ")}].`,
      );
    }
    const expected = [...shape.slice(0, -1), this.hiddenSize];
    for (const state of checkList(`${this}`, "the state", states ?? [])) {
      const given = inputShape(`${this}: the state`, state);
      if (given.join() !== expected.join()) {
        throw new RangeError(
          `${this}: the state must be [${expected.join(", ")}], got shape [${given.join(", ")}].`,
        );
      }
    }
    const where = { dtype: native.dtype(input), device: native.device(input) };
    const from = states ?? Array.from({ length: count }, () => torchFunctions.zeros(expected, where));
    if (shape.length === 2) return run(input, [...from]);
    const rows = from.map((state) => state.unsqueeze(0));
    return run(input.unsqueeze(0), rows).map((state) => state.squeeze(0));
  }

  override extraRepr(): string {
    return `${this.inputSize}, ${this.hiddenSize}${this.biasIh ? "" : ", bias=false"}`;
  }
}

/** One step of an LSTM: [batch, inputSize] and `[hidden, cell]` -> the next `[hidden, cell]`. */
export class LSTMCell extends Cell {
  constructor(
    inputSize: number,
    hiddenSize: number,
    bias?: boolean | LinearOptions,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & LinearOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & LinearOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<LinearOptions>(`new nn.${new.target.name}`, LINEAR_PLACES, given);
    super(4, inputSize, hiddenSize, options, LINEAR_PLACES);
  }

  override forward(input: Tensor, state?: LSTMState): [hidden: Tensor, cell: Tensor] {
    if (state !== undefined && (!Array.isArray(state) || state.length !== 2)) {
      throw new TypeError(`${this}: the state must be [hidden, cell], got ${describe(state)}.`);
    }
    const { weightIh, weightHh, biasIh, biasHh } = this;
    return this.step(input, state, 2, (x, states) =>
      torchFunctions.lstmCell(x, states, weightIh, weightHh, biasIh, biasHh),
    ) as [Tensor, Tensor];
  }
}

/** One step of a GRU: [batch, inputSize] and a state -> the next state, [batch, hiddenSize]. */
export class GRUCell extends Cell {
  constructor(
    inputSize: number,
    hiddenSize: number,
    bias?: boolean | LinearOptions,
    device?: DeviceText | null | FactoryOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & LinearOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & LinearOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<LinearOptions>(`new nn.${new.target.name}`, LINEAR_PLACES, given);
    super(3, inputSize, hiddenSize, options, LINEAR_PLACES);
  }

  override forward(input: Tensor, state?: Tensor): Tensor {
    const { weightIh, weightHh, biasIh, biasHh } = this;
    return this.step(input, state && [state], 1, (x, [h]) => [
      torchFunctions.gruCell(x, h!, weightIh, weightHh, biasIh, biasHh),
    ])[0]!;
  }
}

export interface RNNCellOptions extends LinearOptions {
  /** The function of each step. Default: "tanh". */
  readonly nonlinearity?: Nonlinearity;
}

const RNN_CELL_PLACES = ["bias", "nonlinearity", "device", "dtype"] as const;

/** One step of Elman's layer: [batch, inputSize] and a state -> the next state, [batch, hiddenSize]. */
export class RNNCell extends Cell {
  nonlinearity: Nonlinearity;

  constructor(
    inputSize: number,
    hiddenSize: number,
    bias?: boolean | RNNCellOptions,
    nonlinearity?: Nonlinearity | RNNCellOptions,
    device?: DeviceText | null | RNNCellOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & RNNCellOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & RNNCellOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<RNNCellOptions>(`new nn.${new.target.name}`, RNN_CELL_PLACES, given);
    super(1, inputSize, hiddenSize, options, RNN_CELL_PLACES);
    const { nonlinearity = "tanh" } = options ?? {};
    this.nonlinearity = checkChoice("new nn.RNNCell", "nonlinearity", nonlinearity, ["tanh", "relu"]);
  }

  override forward(input: Tensor, state?: Tensor): Tensor {
    const { weightIh, weightHh, biasIh, biasHh } = this;
    const cell = this.nonlinearity === "tanh" ? torchFunctions.rnnTanhCell : torchFunctions.rnnReluCell;
    return this.step(input, state && [state], 1, (x, [h]) => [
      cell(x, h!, weightIh, weightHh, biasIh, biasHh),
    ])[0]!;
  }

  override extraRepr(): string {
    return super.extraRepr() + (this.nonlinearity === "tanh" ? "" : `, nonlinearity="${this.nonlinearity}"`);
  }
}
