// How a layer is made and what it is given, and the shapes that many of them are given.
import { nn, type Tensor } from "../../../../lib/index.ts";
import { ones, type RightCalls } from "./right_calls.ts";

export interface RightLayerCall {
  readonly make: readonly unknown[];
  readonly input: readonly unknown[];
}

export type LayerTable = Readonly<Record<string, () => RightLayerCall>>;

export const factory = { device: "cpu", dtype: "float32" };
export const line = (): Tensor => ones(2, 2, 8);
export const image = (): Tensor => ones(2, 2, 8, 8);
export const volume = (): Tensor => ones(2, 2, 8, 8, 8);
export const pooled = (make: unknown[], input: () => Tensor) => (): RightLayerCall => ({
  make,
  input: [input()],
});

type LayerClass = new (...args: unknown[]) => unknown;
const classes = nn as unknown as Readonly<Record<string, LayerClass>>;

/** Returns two calls for each layer: that of its constructor, and that of the layer. */
export function callsOf(table: LayerTable): RightCalls {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, call]) => [
      [`nn.${name}`, () => call().make],
      [`nn.${name}#forward`, () => [new classes[name]!(...call().make), ...call().input]],
    ]),
  );
}
