// Long short-term memory (Hochreiter and Schmidhuber, 1997), by libtorch's `lstm`.
import type { Tensor } from "../../tensor/tensor.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { kernelOf, Recurrent, RECURRENT_PLACES, type RecurrentOptions, type Sequence } from "./recurrent.ts";
import type { ByName } from "../../types/index.ts";

export interface LSTMOptions extends RecurrentOptions {
  /** Projects what each step gives to this many features (Sak et al., arXiv:1402.1128). Default: 0, for none. */
  readonly projSize?: number;
}

/** Hidden state [layers * directions, batch, hiddenSize or projSize], cell state [.., .., hiddenSize]. */
export type LSTMState = readonly [hidden: Tensor, cell: Tensor];

const LSTM_PLACES = RECURRENT_PLACES.toSpliced(-2, 0, "projSize" as never) as readonly (keyof LSTMOptions)[];

const KERNEL = kernelOf("lstm");

// Merging an interface is the way to give a class's instances a generic call signature, as in `Module`.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface LSTM {
  <Input extends Sequence>(input: Input, state?: LSTMState): [output: Input, state: LSTMState];
}

/**
 * [time, batch, inputSize] -> `[output, [hidden, cell]]`: the output of the last layer at every step, [time, batch,
 * directions * hiddenSize], and the state after the last step. Takes packed sequences too, and gives one then.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class LSTM extends Recurrent {
  constructor(
    inputSize: number,
    hiddenSize: number,
    numLayers?: number | LSTMOptions,
    bias?: boolean | LSTMOptions,
    batchFirst?: boolean | LSTMOptions,
    dropout?: number | LSTMOptions,
    bidirectional?: boolean | LSTMOptions,
    projSize?: number | LSTMOptions,
    device?: DeviceText | null | LSTMOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { inputSize: number; hiddenSize: number } & LSTMOptions);
  constructor(inputSize: number, named: ByName & { hiddenSize: number } & LSTMOptions);
  constructor(inputSize: number, hiddenSize: number);
  constructor(...all: unknown[]) {
    const [inputSize, hiddenSize, ...given] = neededByPlace<[inputSize: number, hiddenSize: number]>(
      ["inputSize", "hiddenSize"],
      all,
    );
    const options = optionsByPlace<LSTMOptions>(`new nn.${new.target.name}`, LSTM_PLACES, given);
    super(4, inputSize, hiddenSize, options, LSTM_PLACES);
  }

  override forward<Input extends Sequence>(
    input: Input,
    state?: LSTMState,
  ): [output: Input, state: LSTMState] {
    if (state !== undefined && (!Array.isArray(state) || state.length !== 2)) {
      throw new TypeError(`${this}: the state must be [hidden, cell], got ${describe(state)}.`);
    }
    const sizes = [this.outputSize, this.hiddenSize];
    const { output, states } = this.run(KERNEL, input, sizes, state ?? null);
    return [output as Input, states as unknown as LSTMState];
  }
}
