// Dropout layers: they drop while training and pass everything through under `eval()`.
import type { Tensor } from "../tensor.ts";
import { checkNumber } from "../arguments.ts";
import * as functional from "./functional/dropout.ts";
import { inputShape } from "./input.ts";
import { Module } from "./module.ts";
import { keepNothing } from "./transient.ts";

abstract class DropoutLayer extends Module {
  /** Probability of an element, or a channel, to be dropped. */
  readonly p: number;

  constructor(p = 0.5) {
    super();
    this.p = checkNumber(`new nn.${this.constructor.name}`, "p", p, { least: 0, most: 1 });
  }

  override extraRepr(): string {
    return `p=${this.p}`;
  }
}

/** Drops single elements and scales the rest by 1 / (1 - p). */
export class Dropout extends DropoutLayer {
  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return functional.dropout(input, this.p, this.training);
  }
}

/** Drops whole channels of [batch, channels, height, width]. */
export class Dropout2d extends DropoutLayer {
  override forward(input: Tensor): Tensor {
    const shape = inputShape(this, input);
    if (shape.length !== 4) {
      throw new RangeError(
        `${this}: the input must be [batch, channels, height, width], got shape [${shape.join(", ")}].`,
      );
    }
    return functional.featureDropout(input, this.p, this.training);
  }
}

/** Dropout for networks with SELU: keeps mean and variance. */
export class AlphaDropout extends DropoutLayer {
  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return functional.alphaDropout(input, this.p, this.training);
  }
}

keepNothing(Dropout, Dropout2d, AlphaDropout);
