// Sequential: layers one after the other.
import type { Tensor } from "../../tensor.ts";
import { native } from "../../native.ts";
import type { Layer } from "../module.ts";
import { keepsNothing } from "../transient.ts";
import { NumberedModules } from "./numbered.ts";
import type { ChainProblem, Passing, RuleOf, Unless } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

/** What the types ask of a layer; the constructor asks for the rest of it. To compare all of a module takes the checker long. */
interface Step {
  readonly training: boolean;
  forward(input: Tensor): Tensor;
}

type Layers = readonly Step[] | readonly [Readonly<Record<string, Step>>];

/** The rules of its layers, one after the other. Of named ones nothing is known. */
type Rules<Of> = Of extends readonly [infer A, infer B, infer C, ...infer Rest]
  ? `${RuleOf<A>}${RuleOf<B>}${RuleOf<C>}${Rules<Rest>}`
  : Of extends readonly [infer A, ...infer Rest]
    ? `${RuleOf<A>}${Rules<Rest>}`
    : Of extends readonly []
      ? ""
      : "open|";

export interface Sequential<Of extends Layers = readonly Step[]> extends Passing<Rules<Of>> {}

/**
 * `new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or
 * `new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.
 */
export class Sequential<const Of extends Layers = readonly Step[]> extends NumberedModules<Layer> {
  constructor(...layers: Of & Unless<ChainProblem<Rules<Of>>>) {
    super();
    const [first] = layers;
    const named = layers.length === 1 && typeof first === "object" && !Array.isArray(first);
    for (const [name, layer] of Object.entries(named ? (first as Record<string, Step>) : layers))
      this.add(name, layer as Layer);
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
