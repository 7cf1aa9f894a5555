// Gated recurrent units (Cho et al., arXiv:1406.1078) and Elman's recurrent layer, by libtorch's operators.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkChoice } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import {
  kernelOf,
  Recurrent,
  RECURRENT_PLACES,
  type Kernel,
  type RecurrentOptions,
  type Sequence,
} from "./recurrent.ts";
import type { ByName } from "../../types/index.ts";

const GRU_KERNEL = kernelOf("gru");

// Merging an interface is the way to give a class's instances a generic call signature, as in `Module`.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface GRU {
  <Input extends Sequence>(input: Input, state?: Tensor): [output: Input, state: Tensor];
}

/**
 * [time, batch, inputSize] -> `[output, state]`: the output of the last layer at every step, [time, batch, directions *
 * hiddenSize], and the state after the last step, [layers * directions, batch, hiddenSize].
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class GRU extends Recurrent {
  constructor(
    inputSize: number,
    hiddenSize: number,
    numLayers?: number | RecurrentOptions,
    bias?: boolean | RecurrentOptions,
    batchFirst?: boolean | RecurrentOptions,
    dropout?: number | RecurrentOptions,
    bidirectional?: boolean | RecurrentOptions,
    device?: DeviceText | null | RecurrentOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & RecurrentOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & RecurrentOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<RecurrentOptions>(`new nn.${new.target.name}`, RECURRENT_PLACES, given);
    super(3, inputSize, hiddenSize, options, RECURRENT_PLACES);
  }

  override forward<Input extends Sequence>(input: Input, state?: Tensor): [output: Input, state: Tensor] {
    const { output, states } = this.run(GRU_KERNEL, input, [this.hiddenSize], state ? [state] : null);
    return [output as Input, states[0]!];
  }
}

/** The activation that an RNN applies to its sum. */
export type Nonlinearity = "tanh" | "relu";

/** Options of `nn.RNN` by name: those of all recurrent layers, and its activation. */
export interface RNNOptions extends RecurrentOptions {
  /** The function of each step. Default: "tanh". */
  readonly nonlinearity?: Nonlinearity;
}

const RNN_PLACES = RECURRENT_PLACES.toSpliced(1, 0, "nonlinearity" as never) as readonly (keyof RNNOptions)[];

const RNN_KERNELS: Readonly<Record<Nonlinearity, Kernel>> = {
  tanh: kernelOf("rnn_tanh"),
  relu: kernelOf("rnn_relu"),
};

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface RNN {
  <Input extends Sequence>(input: Input, state?: Tensor): [output: Input, state: Tensor];
}

/** Elman's layer: h' = tanh(W x + b + U h + c). Input, output and state as in GRU. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class RNN extends Recurrent {
  nonlinearity: Nonlinearity;

  constructor(
    inputSize: number,
    hiddenSize: number,
    numLayers?: number | RNNOptions,
    nonlinearity?: Nonlinearity | RNNOptions,
    bias?: boolean | RNNOptions,
    batchFirst?: boolean | RNNOptions,
    dropout?: number | RNNOptions,
    bidirectional?: boolean | RNNOptions,
    device?: DeviceText | null | RNNOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & RNNOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & RNNOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<RNNOptions>(`new nn.${new.target.name}`, RNN_PLACES, given);
    super(1, inputSize, hiddenSize, options, RNN_PLACES);
    const { nonlinearity = "tanh" } = options ?? {};
    this.nonlinearity = checkChoice("new nn.RNN", "nonlinearity", nonlinearity, ["tanh", "relu"]);
  }

  override forward<Input extends Sequence>(input: Input, state?: Tensor): [output: Input, state: Tensor] {
    const kernel = RNN_KERNELS[this.nonlinearity];
    const { output, states } = this.run(kernel, input, [this.hiddenSize], state ? [state] : null);
    return [output as Input, states[0]!];
  }

  override extraRepr(): string {
    return super.extraRepr() + (this.nonlinearity === "tanh" ? "" : `, nonlinearity="${this.nonlinearity}"`);
  }
}
