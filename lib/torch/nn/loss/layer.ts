// Makes a layer from a loss function: reads its options once and keeps them. Tensors among them become buffers, which
// move with the loss and are saved with it.
import { native } from "../../engine/native.ts";
import { readOptions } from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Loss } from "../functional/loss/index.ts";
import { Module } from "../module/base.ts";
import { Buffer } from "../module/parameter.ts";

/** A layer with the options of its loss as fields, which may be assigned. */
export type LossLayer<Inputs extends readonly unknown[], Options extends object> = Module & {
  -readonly [Name in keyof Options]-?: Options[Name];
} & {
  forward(...inputs: Inputs): Tensor;
};

/** The class of the layer that computes `loss`: `class MSELoss extends lossLayer(mseLoss) {}`. */
export function lossLayer<Inputs extends readonly unknown[], Options extends object>(
  loss: Loss<Inputs, Options>,
): new (options?: Options) => LossLayer<Inputs, Options> {
  abstract class LayerOfLoss extends Module {
    constructor(options?: Options) {
      super();
      const read = readOptions<Options>(`new nn.${this.constructor.name}`, options, loss.rules);
      for (const [name, value] of Object.entries(read)) {
        Object.assign(this, { [name]: native.isTensor(value) ? new Buffer(value) : value });
      }
    }

    override forward(...inputs: Inputs): Tensor {
      return loss.compute(this as unknown as Required<Options>, inputs);
    }
  }
  return LayerOfLoss as unknown as new (options?: Options) => LossLayer<Inputs, Options>;
}
