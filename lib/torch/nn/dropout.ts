// Dropout layers: they drop while training and pass everything through under `eval()`.
import type { Tensor } from "../tensor/tensor.ts";
import { checkBoolean, checkNumber } from "../vocabulary/arguments.ts";
import { argumentsByName } from "../vocabulary/arguments_by_name.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { InPlaceOptions } from "./functional/in_place.ts";
import { checkChannels, inputShape } from "./input.ts";
import { Module } from "./module/base.ts";
import { keepNothing } from "./module/transient.ts";
import type { LayerCall } from "../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface DropoutOptions extends InPlaceOptions {
  /** Probability of an element, or a channel, to be dropped. Default: 0.5. */
  readonly p?: number;
}

type Operator = (input: Tensor, p: number, training: boolean) => Tensor;

interface DropoutLayer extends LayerCall<""> {}

abstract class DropoutLayer extends Module {
  /** Probability of an element, or a channel, to be dropped. */
  p: number;
  inplace: boolean;
  private readonly _operators: readonly [Operator, Operator];
  /** Dimensions of one item, which may come without a batch; null where a batch is one dimension like others. */
  private readonly _itemDims: number | null;

  protected constructor(
    operators: readonly [Operator, Operator],
    given: readonly unknown[],
    itemDims: number | null = null,
  ) {
    super();
    this._itemDims = itemDims;
    const call = `new nn.${this.constructor.name}`;
    const named = argumentsByName<DropoutOptions>(call, { places: ["p", "inplace"] }, given);
    const { p = 0.5, inplace = false } = named;
    this.p = checkNumber(call, "p", p, { min: 0, max: 1 });
    this.inplace = checkBoolean(call, "inplace", inplace);
    this._operators = operators;
  }

  override forward(input: Tensor): Tensor {
    this.checkInput(input);
    const operator = this._operators[this.inplace ? 1 : 0];
    if (input.ndim !== this._itemDims) return operator(input, this.p, this.training);
    const dropped = operator(input.unsqueeze(0), this.p, this.training);
    return this.inplace ? input : dropped.squeeze(0);
  }

  protected checkInput(input: Tensor): void {
    inputShape(this, input);
  }

  override extraRepr(): string {
    return `p=${this.p}${this.inplace ? ", inplace=true" : ""}`;
  }
}

const ELEMENTS = [torchFunctions.dropout, torchFunctions.dropout_] as const;
const CHANNELS = [torchFunctions.featureDropout, torchFunctions.featureDropout_] as const;

/** Drops single elements and scales the rest by 1 / (1 - p). */
export class Dropout extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super(ELEMENTS, given);
  }
}

/** Drops whole channels of [batch, channels, length] or [channels, length]. */
export class Dropout1d extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super(CHANNELS, given, 2);
  }

  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 1, null);
  }
}

/** Numbers of dimensions of which a warning was given. */
const warned = new Set<number>();

/** Drops whole channels of [batch, channels, height, width]: the first two dimensions choose, the others follow. */
export class Dropout2d extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super(CHANNELS, given);
  }

  protected override checkInput(input: Tensor): void {
    const { length } = inputShape(this, input);
    if (length === 4 || warned.has(length)) return;
    warned.add(length);
    // PyTorch warns too, and goes on; its own script mnist_rnn gives the layer [batch, features].
    process.emitWarning(
      `Dropout2d: an input of ${length} dimensions is read as [batch, channels${length > 2 ? ", ..." : ""}]: ` +
        (length > 2
          ? "all of a channel is dropped together"
          : "each element is dropped alone, as Dropout does") +
        ".",
    );
  }
}

/** Drops whole channels of [batch, channels, depth, height, width] or [channels, depth, height, width]. */
export class Dropout3d extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super(CHANNELS, given, 4);
  }

  protected override checkInput(input: Tensor): void {
    checkChannels(this, input, 3, null);
  }
}

/** Dropout for networks with SELU: keeps mean and variance. */
export class AlphaDropout extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super([torchFunctions.alphaDropout, torchFunctions.alphaDropout_], given);
  }
}

/** AlphaDropout of whole channels: the first two dimensions choose, the others follow. */
export class FeatureAlphaDropout extends DropoutLayer {
  constructor(p?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: DropoutOptions);
  constructor(...given: unknown[]) {
    super([torchFunctions.featureAlphaDropout, torchFunctions.featureAlphaDropout_], given);
  }
}

keepNothing(DropoutLayer, Dropout1d);
