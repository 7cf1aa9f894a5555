// A tensor with what is known of it. Pure types.
import type { Tensor as AnyTensor } from "../members.ts";
import type { DeviceName, DType } from "../native.ts";
import type { Tensor as TensorOfAnyShape } from "./any_shape.ts";
import type { Carrier, FACTS, Facts, Says, Telling } from "./known.ts";
import type { TextOf, TupleOf } from "./text.ts";

/**
 * What an operator gives: `TensorOf<"2,3,", "float32", DeviceName>` -> `Tensor<[2, 3], "float32", DeviceName>`; where
 * nothing is known, the plain `Tensor`, which is short to read and quick to compare.
 */
export type TensorOf<Shape, Type, Device> = Shape extends string
  ? Known<Shape, Type, Device>
  : DType extends Type
    ? DeviceName extends Device
      ? AnyTensor
      : KnownButShape<Shape, Type, Device>
    : KnownButShape<Shape, Type, Device>;

/**
 * Looked up, although there is one thing to find: where a plain `Tensor` is expected, as for an argument, the compiler
 * infers from it to the type parameters of the call's result, and would do so member by member of all that a tensor has
 * (30 ms). To find that there is nothing to infer it works out what the key can be: `Shape | 0` is no parameter, so it
 * takes the branches as they stand, where for `Shape extends ...` it would put all shapes of the constraint through the
 * algebra. The device stands beside the shape for results whose shape is always the same, as that of `sum()`; not
 * beside one that is not known, since in a function over any `T extends Tensor` less would be decided then.
 */
type Known<Shape, Type, Device> = {
  tensor: Tensor<TupleOf<Shape>, Type, Device>;
}[Key<Shape | Device>];

type KnownButShape<Shape, Type, Device> = {
  tensor: TensorOfAnyShape<number[], Type, Device>;
}[Key<Shape>];

type Key<Parts> = Parts | 0 extends never ? never : "tensor";

/**
 * What a factory gives, the same type found sooner: where `torch.zeros([2])` is an argument, the checker infers from the
 * parameter to the result, into both branches of a conditional type; a look-up has none. What it could be is plain
 * `Tensor`, under any other text than the three: it is asked for its members then, which those of three types together
 * would have to be worked out for. Not for results that depend on tensors: in a function over any `T extends Tensor` it
 * says less of them than a conditional type does.
 */
export type Made<Shape, Type, Device> = {
  known: Tensor<TupleOf<Shape>, Type, Device>;
  anyShape: TensorOfAnyShape<number[], Type, Device>;
  open: AnyTensor;
  [other: string]: AnyTensor;
}[Shape | 0 extends never ? string : MadeKey<Shape, Type, Device>];

type MadeKey<Shape, Type, Device> = Shape | 0 extends string | 0
  ? "known"
  : DType extends Type
    ? DeviceName extends Device
      ? "open"
      : "anyShape"
    : "anyShape";

/** The same as users write it: `Named<[2, 3], "float32", DeviceName>`. */
export type Named<Shape, Type, Device> = [number[]] extends [Shape]
  ? [DType, DeviceName] extends [Type, Device]
    ? AnyTensor
    : TensorOfAnyShape<number[], Type, Device>
  : Tensor<Shape, Type, Device>;

/**
 * Bears the name that users know it by. Its members come from an interface without parameters: made once, for all
 * shapes. The checker still fills and sorts a table of all of them for each shape that a method is asked of: of 90
 * million instructions that a cell of two dozen operators takes, 65 are left where there are twenty operators in place
 * of all. An intersection of plain `Tensor` with what is known has no such table, and takes 132: each member is asked
 * whether the two contradict each other.
 *
 * Before one tensor is assigned to another, the checker measures what a difference in each parameter means, and makes
 * the table nine times over for it (8 ms). Two parameters say so themselves; since the third can't be measured, and is
 * found to be so, two tensors are compared member by member all the same, and either may be assigned to the other.
 */
export interface Tensor<Shape, in out Type = DType, in out Device = DeviceName>
  extends AnyTensor, Carrier<TextOf<Shape>, Type, Device> {
  readonly [FACTS]: Says<Facts<TextOf<Shape>, Type, Device>>;
}

/** A number that stands where a tensor may goes with all of them. */
type FactsOf<A> = A extends Telling<infer Known extends AnyFacts> ? Known : Facts<"", DType, "cpu">;

type AnyFacts = Facts<string | null, DType, DeviceName>;

/** `Tensor<[2, 3]>` -> "2,3,"; `Tensor` -> null; `2` -> "" */
export type ShapeOf<A> = FactsOf<A>["shape"];
/** `Tensor<[2], "int64">` -> `"int64"`; `Tensor` -> `DType` */
export type DTypeOf<A> = FactsOf<A>["dtype"];
/** `Tensor<[2], "int64", "cpu">` -> `"cpu"`; `Tensor` -> `DeviceName` */
export type DeviceOf<A> = FactsOf<A>["device"];
