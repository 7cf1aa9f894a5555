// Sequential: layers one after the other. Lists of layers need no container: an array in a field is searched.
import type { Tensor } from "../tensor.ts";
import { native } from "../native.ts";
import { describe } from "../arguments.ts";
import { Module, type Layer } from "./module.ts";
import { keepsNothing } from "./transient.ts";

/**
 * `new Sequential(new Linear(2, 3), new ReLU())` with layers `model[0]`, `model[1]`, or
 * `new Sequential({ hidden: new Linear(2, 3), activation: new ReLU() })` with names of their own.
 */
export class Sequential extends Module implements Iterable<Layer> {
  readonly [index: number]: Layer;

  constructor(...layers: readonly Layer[] | readonly [Readonly<Record<string, Layer>>]) {
    super();
    const [first] = layers;
    const named = layers.length === 1 && typeof first === "object" && !Array.isArray(first);
    for (const [name, layer] of Object.entries(named ? (first as Record<string, Layer>) : layers))
      this.#add(name, layer);
  }

  #add(name: string, layer: Layer): void {
    if (!(layer instanceof Module)) {
      throw new TypeError(`Sequential: layer ${name} must be a module, got ${describe(layer)}.`);
    }
    if (name in this) {
      throw new TypeError(
        `Sequential: a layer cannot be named "${name}", which Sequential itself uses. Choose another name.`,
      );
    }
    Object.defineProperty(this, name, { value: layer, enumerable: true, writable: true, configurable: true });
  }

  #layers(): Layer[] {
    return Object.values(this).filter((field): field is Layer => field instanceof Module);
  }

  override get length(): number {
    return this.#layers().length;
  }

  [Symbol.iterator](): IterableIterator<Layer> {
    return this.#layers().values();
  }

  /** Adds a layer at the end, under its number. */
  append(layer: Layer): this {
    this.#add(String(this.length), layer);
    return this;
  }

  #keepsNothing(): boolean {
    return (
      this.forward === Sequential.prototype.forward &&
      this.#layers().every((layer) =>
        layer instanceof Sequential ? layer.#keepsNothing() : keepsNothing(layer),
      )
    );
  }

  override forward(input: Tensor): Tensor {
    let current = input;
    let ours = false; // whether nobody has seen `current` who could want it later
    for (const layer of this.#layers()) {
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
