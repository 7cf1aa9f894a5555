// Sequential: layers one after the other.
import type { Tensor } from "../../tensor.ts";
import { native } from "../../native.ts";
import type { Layer } from "../module.ts";
import { keepsNothing } from "../transient.ts";
import { NumberedModules } from "./numbered.ts";

/**
 * `new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or
 * `new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.
 */
export class Sequential extends NumberedModules<Layer> {
  constructor(...layers: readonly Layer[] | readonly [Readonly<Record<string, Layer>>]) {
    super();
    const [first] = layers;
    const named = layers.length === 1 && typeof first === "object" && !Array.isArray(first);
    for (const [name, layer] of Object.entries(named ? (first as Record<string, Layer>) : layers))
      this.add(name, layer);
  }

  #keepsNothing(): boolean {
    return (
      this.forward === Sequential.prototype.forward &&
      this.members().every((layer) =>
        layer instanceof Sequential ? layer.#keepsNothing() : keepsNothing(layer),
      )
    );
  }

  override forward(input: Tensor): Tensor {
    let current = input;
    let ours = false; // whether nobody has seen `current` who could want it later
    for (const layer of this.members()) {
      const forgets = layer instanceof Sequential ? layer.#keepsNothing() : keepsNothing(layer);
      const output = layer(current);
      if (output === current) {
        ours &&= forgets;
        continue;
      }
      if (ours && forgets) native.dispose(current);
      current = output;
      ours = forgets;
    }
    return current;
  }
}
