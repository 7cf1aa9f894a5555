// The base of lazy layers, which take the number of their inputs from the first input. Until then their parameters
// have no shape. Then they are initialised, and the layer becomes an instance of the ordinary class.
// Source: torch/nn/modules/lazy.py (LazyModuleMixin).
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { defaultDevice, requireDevice } from "../../engine/device.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { FactoryOptions } from "../factory.ts";
import type { Module } from "../module/base.ts";
import { isUninitialized, makeUninitialized, materialize } from "../module/uninitialized.ts";

export interface LazyLayer extends Module {
  resetParameters(): void;
}

/** Describes how one class becomes another. */
export interface LazyPlan<Layer extends LazyLayer> {
  /** The class that the layer becomes one of. */
  readonly becomes: { readonly prototype: Layer };
  /** The field with the number of inputs, 0 until it is known. */
  readonly count: keyof Layer & string;
  /** The number, from the first input. */
  readonly countOf: (input: Tensor) => number;
  /** Fills the number into the shape of a parameter or buffer, divided if the layer divides it there. */
  readonly shapeOf: (shape: readonly number[], count: number) => readonly number[];
}

/**
 * Runs a constructor that draws initial values which nobody will see, and puts the generator back: PyTorch's lazy layers
 * draw when they are initialised. A layer's constructor must call `super` itself, so the two halves are apart.
 */
export function rememberDraws(options: FactoryOptions | undefined): () => void {
  const device: DeviceName = requireDevice(options?.device ?? defaultDevice());
  const state = native.getRngState(device);
  return () => native.setRngState(device, state);
}

/** Called at the end of a lazy layer's constructor, which made it for a placeholder of inputs. */
export function makeLazy<Layer extends LazyLayer>(layer: Layer, plan: LazyPlan<Layer>): void {
  const setCount = (count: number): void =>
    void Object.defineProperty(layer, plan.count, {
      value: count,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  const shapes = new Map<Tensor, readonly number[]>();
  // A number of batches has no channels.
  const tensors = [...layer.parameters(), ...layer.buffers()].filter((tensor) => native.dim(tensor) > 0);
  for (const tensor of tensors) {
    shapes.set(tensor, native.shape(tensor));
    makeUninitialized(tensor);
  }
  setCount(0);
  const hook = layer.registerForwardPreHook((_, [input]) => {
    if (!native.isTensor(input)) return; // The layer's own check says it.
    const count = plan.countOf(input);
    setCount(count);
    const unknown = tensors.filter(isUninitialized);
    for (const tensor of unknown) materialize(tensor, plan.shapeOf(shapes.get(tensor)!, count));
    if (unknown.length > 0) layer.resetParameters();
    Object.setPrototypeOf(layer, plan.becomes.prototype);
    hook.remove();
  });
}
