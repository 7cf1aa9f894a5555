// Sequential: layers one after the other.
import type { Tensor } from "../../tensor/tensor.ts";
import { native } from "../../engine/native.ts";
import type { Layer } from "../module/module.ts";
import { keepsNothing } from "../module/transient.ts";
import { NumberedModules } from "./numbered.ts";
import type { ChainProblem, LayerCall, HasRule, RuleOf, Unless } from "../../types/index.ts";

// The class that bears the interface's name is another: it is printed by it.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

/** The members of a layer that the types check. Comparing all members of a module would take the checker long. */
interface Step {
  readonly training: boolean;
  forward(input: Tensor): Tensor;
}

/**
 * Joins the rules of the layers: "linear;2;3|open|". It reads the list place by place, because taking it apart would
 * make the checker build all members of each part. A place behind the last is undefined. Nothing is known of a list of
 * unknown length.
 */
type Rules<Of extends readonly unknown[]> = number extends Of["length"]
  ? "open|"
  : `${Rule<Of[0], Of>}${Rule<Of[1], Of>}${Rule<Of[2], Of>}${Rule<Of[3], Of>}${Rule<Of[4], Of>}${Rule<Of[5], Of>}${Rule<Of[6], Of>}${Rule<Of[7], Of>}${Rule<Of[8], Of>}${Rule<Of[9], Of>}${Of[10] extends undefined ? "" : RulesFrom10<Of>}`;

type RulesFrom10<Of> = Of extends readonly [...Ten, ...infer Rest extends readonly unknown[]]
  ? Rules<Rest>
  : "open|";

type Ten = [unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown];

type Rule<Layer, Of> = Layer extends undefined
  ? ""
  : Layer extends HasRule
    ? RuleOf<Layer>
    : Layer extends Step
      ? "open|"
      : Of extends readonly [Readonly<Record<string, Step>>]
        ? "open|"
        : "none|";

type Problem<Of extends readonly unknown[]> =
  Rules<Of> extends infer Said
    ? Said extends `${string}none|${string}`
      ? "Sequential: each layer must be a module whose forward maps one tensor to one tensor; with names, all are in one object"
      : ChainProblem<Said>
    : never;

export interface Sequential<Of extends readonly unknown[] = readonly Step[]>
  extends NumberedModules<Layer>, LayerCall<Rules<Of>> {
  forward(input: Tensor): Tensor;
}

/**
 * A constructor by itself, for its second parameter: whether the layers fit is decided once, when all of them are known,
 * and what one of them is expected to be is unknown. As the type of an argument it is worked out for each, and what the
 * default says of them is compared with each.
 */
interface SequentialConstructor {
  new <Of extends readonly unknown[] = readonly unknown[], Fit = Unless<Problem<Of>>>(
    ...layers: Of & NoInfer<Fit>
  ): Sequential<Of>;
  readonly prototype: Sequential;
}

/**
 * `new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or
 * `new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.
 */
export const Sequential = class Sequential extends NumberedModules<Layer> {
  constructor(...layers: readonly Step[] | readonly [Readonly<Record<string, Step>>]) {
    super();
    const [first] = layers;
    const named = layers.length === 1 && typeof first === "object" && !Array.isArray(first);
    for (const [name, layer] of Object.entries(named ? (first as Record<string, Step>) : layers))
      this.add(name, layer as Layer);
  }

  private _keepsNothing(): boolean {
    return (
      this.forward === Sequential.prototype.forward &&
      this.members().every((layer) =>
        layer instanceof Sequential ? layer._keepsNothing() : keepsNothing(layer),
      )
    );
  }

  override forward(input: Tensor): Tensor {
    let current = input;
    let ours = false; // whether nobody has seen `current` who could want it later
    for (const layer of this.members()) {
      const forgets = layer instanceof Sequential ? layer._keepsNothing() : keepsNothing(layer);
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
} as unknown as SequentialConstructor;
