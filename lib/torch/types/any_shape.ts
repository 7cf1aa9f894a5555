// A tensor of which the dtype or the device is known, and the shape is not: `(x: Tensor) => x.to("float32")`. Pure types.
import type { Tensor as AnyTensor } from "../members.ts";
import type { DeviceName, DType } from "../native.ts";
import type { Carrier, FACTS, Facts, Says } from "./known.ts";

/**
 * Bears the name that users know it by: `Tensor<number[], "float32">`. Its own interface, since there is no shape to be
 * read: that a list is no tuple of one size, of two, of four, ... takes the checker 4 ms to find. As of
 * `Tensor` in `tensor_of.ts`, two parameters declare their variance and one, here the dtype, can't be measured.
 */
export interface Tensor<in out _Shape, Type = DType, in out Device = DeviceName>
  extends AnyTensor, Carrier<null, Type, Device> {
  readonly [FACTS]: Says<Facts<null, Type, Device>>;
}
