// Makes a layer from a loss function: reads its options once and keeps them. Tensors among them become buffers, which
// move with the loss and are saved with it.
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OptionsAt } from "../../types/index.ts";
import { readLossOptions, type Loss } from "../functional/loss/loss.ts";
import { Module } from "../module/base.ts";
import { Buffer } from "../module/parameter.ts";

/** A layer with the options of its loss as fields, which may be assigned. */
export type LossLayer<Inputs extends readonly unknown[], Options extends object> = Module & {
  -readonly [Name in keyof Options]-?: Options[Name];
} & {
  forward(...inputs: Inputs): Tensor;
};

/** Makes the layer, with options at their places or by name. */
export interface LossConstructor<
  Inputs extends readonly unknown[],
  Options extends object,
  Names extends readonly string[],
> {
  new (options?: Options): LossLayer<Inputs, Options>;
  new (...options: OptionsAt<Options, Names>): LossLayer<Inputs, Options>;
  // The compiler explains the last form.
  new (options?: Options): LossLayer<Inputs, Options>;
}

/** The class of the layer that computes `loss`: `class MSELoss extends lossLayer(mseLoss) {}`. */
export function lossLayer<
  Inputs extends readonly unknown[],
  Options extends object,
  Names extends readonly string[],
>(
  loss: Pick<Loss<Inputs, Options, Names>, "rules" | "places" | "compute">,
): LossConstructor<Inputs, Options, Names> {
  abstract class LayerOfLoss extends Module {
    constructor(...given: unknown[]) {
      super();
      const read = readLossOptions(`new nn.${this.constructor.name}`, loss, given);
      for (const [name, value] of Object.entries(read)) {
        Object.assign(this, { [name]: native.isTensor(value) ? new Buffer(value) : value });
      }
    }

    override forward(...inputs: Inputs): Tensor {
      return loss.compute(this as unknown as Required<Options>, inputs);
    }
  }
  return LayerOfLoss as unknown as LossConstructor<Inputs, Options, Names>;
}
