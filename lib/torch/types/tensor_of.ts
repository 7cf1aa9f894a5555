// A tensor with what is known of it. Pure types.
import type { TensorMembers } from "../members.ts";
import type { DeviceName, DType } from "../native.ts";
import type { Facts, KnownTensor, OtherTensor, SomeTensor, Tensor as AnyTensor } from "./known.ts";
import type { TextOf } from "./text.ts";

/**
 * Bears the name that users know it by. What gives a tensor says `TensorOf<TupleOf<...>, ...>` in full, and no alias of
 * both: the compiler shows a union by the alias that made it.
 */
export type Tensor<Shape = number[], Type = DType, Device = DeviceName> =
  | TensorMembers
  | OtherTensor
  | KnownTensor<Shape, Type, Device>;

/** The same as users write it: plain `Tensor` where they say nothing. */
export type Named<Shape, Type, Device> = [number[]] extends [Shape]
  ? [DType, DeviceName] extends [Type, Device]
    ? AnyTensor
    : Tensor<number[], Type, Device>
  : Tensor<Shape, Type, Device>;

/** Of the parts of a tensor's type one says something. A number that stands where a tensor may goes with all of them. */
type FactsOf<A> =
  A extends KnownTensor<infer Shape, infer Type extends DType, infer Device extends DeviceName>
    ? unknown extends Shape
      ? never
      : Facts<TextOf<Shape>, Type, Device>
    : A extends SomeTensor
      ? SomeTensor extends A
        ? Facts<null, DType, DeviceName>
        : never
      : Facts<"", DType, "cpu">;

/** `Tensor<[2, 3]>` -> "2,3,"; `Tensor` -> null; `2` -> "" */
export type ShapeOf<A> = FactsOf<A>["shape"];
/** `Tensor<[2], "int64">` -> `"int64"`; `Tensor` -> `DType` */
export type DTypeOf<A> = FactsOf<A>["dtype"];
/** `Tensor<[2], "int64", "cpu">` -> `"cpu"`; `Tensor` -> `DeviceName` */
export type DeviceOf<A> = FactsOf<A>["device"];
