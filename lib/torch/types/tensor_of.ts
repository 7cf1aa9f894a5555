// Translates between tensors' types and the rules that compute results: reads what a rule needs of a tensor, and
// builds the tensor that it gives.
//
// The rules hold shapes as texts (`text.ts`). For an unknown dtype or device they hold all that it may be: `DType`,
// `DeviceName`. A conditional type takes both of its branches for `any`, so only this file tests for `any`, and
// writes it again. Each type tests its parameter alone (`A extends ...`). A class that inherits from a layer can
// replace the layer only if the checker can compare what the two make of any `A`.
import type { DType } from "../vocabulary/dtype.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import type { Tensor as SomeTensor } from "./some_tensor.ts";
import type { Tensor as ShownTensor, ValuesAndIndices } from "./shown.ts";
import type { Tensor } from "./tensor.ts";
import type { NumberOf, TextOf, TupleOf } from "./arithmetic/text.ts";

/** `Tensor<[2, 3]>` -> "2,3,"; `Tensor` -> null */
export type ShapeOf<A> = A extends Tensor<infer Shape, any, any> ? TextOf<Shape> : null;

/** The same of an operand that may be a number: `2` goes with every shape, as a tensor without dimensions does. */
export type OperandShapeOf<A> = A extends Tensor<infer Shape, any, any> ? TextOf<Shape> : "";

/** `Tensor<[2], "int64">` -> `"int64"`; `Tensor` -> `DType` */
export type DTypeOf<A> =
  A extends Tensor<any, infer Type extends DType, any> ? (DType extends Type ? DType : Type) : DType;

/** `Tensor<[2], "int64", "cpu">` -> `"cpu"`; `Tensor` -> `DeviceName`; `2` -> `"cpu"` */
export type DeviceOf<A> =
  A extends Tensor<any, any, infer Device extends DeviceName>
    ? DeviceName extends Device
      ? DeviceName
      : Device
    : A extends SomeTensor
      ? DeviceName
      : "cpu";

/** Writes only the known parts as type arguments. */
type Shown<Shape, Type, Device> = DeviceName extends Device
  ? DType extends Type
    ? unknown extends Shape
      ? ShownTensor
      : ShownTensor<Shape>
    : ShownTensor<Shape, NoInfer<Type>>
  : ShownTensor<Shape, DType extends Type ? any : NoInfer<Type>, NoInfer<Device>>;

/** "2,3,", `"int64"`, `DeviceName` -> `Tensor<[2, 3], "int64">` */
export type TensorOf<
  Shape,
  Type,
  Device,
  Done extends unknown[] = [],
> = Shape extends `${infer First},${infer Rest}`
  ? TensorOf<Rest, Type, Device, [...Done, NumberOf<First>]>
  : Shown<Shape extends "" ? Done : any, Type, Device>;

/** The same for the two results of `max(dim)`: values of the dtype, and indices. */
export type ValuesAndIndicesOf<Shape, Type, Device> =
  TupleOf<Shape> extends infer Sizes
    ? DeviceName extends Device
      ? DType extends Type
        ? ValuesAndIndices<Sizes>
        : ValuesAndIndices<Sizes, Type>
      : ValuesAndIndices<Sizes, DType extends Type ? any : Type, Device>
    : never;

/** A result that depends on what an argument is: `any` where that is not known. */
export type UnlessAny<Given, Result> = 0 extends 1 & Given ? any : Result;

/** A tensor of the same shape on the same device. */
export type Like<A, Type = DTypeOf<A>> =
  A extends Tensor<infer Shape, any, infer Device>
    ? Shown<unknown extends Shape ? any : Shape, Type, unknown extends Device ? any : Device>
    : never;
