// Computes the dtype of a result by PyTorch's rules, as far as the known dtypes decide it (`c10/core/ScalarType.cpp`,
// `aten/src/ATen/native/TypeProperties.cpp`).
import type { DType } from "../vocabulary/dtype.ts";
import type { Tensor as SomeTensor } from "./some_tensor.ts";
import type { DTypeOf, ShapeOf } from "./tensor_of.ts";
import type { Dimensioned } from "./arithmetic/text.ts";

export type Integer = "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64";
export type Float = "float16" | "bfloat16" | "float32" | "float64" | "float8_e4m3fn" | "float8_e5m2";
export type ComplexType = "complex32" | "complex64" | "complex128";

/** Within a row each dtype is promoted to those after it. Any other pair, such as float16 with bfloat16, is unknown. */
type Wider = {
  bool: Exclude<DType, "qint8" | "quint8" | "qint32">;
  uint8: "int16" | "int32" | "int64" | Float | ComplexType;
  int8: "int16" | "int32" | "int64" | Float | ComplexType;
  int16: "int32" | "int64" | Float | ComplexType;
  int32: "int64" | Float | ComplexType;
  int64: Float | ComplexType;
  float16: "float32" | "float64" | ComplexType;
  bfloat16: "float32" | "float64";
  float32: "float64" | "complex64" | "complex128";
  float64: "complex128";
  complex32: "complex64" | "complex128";
  complex64: "complex128";
};

type Pair<A, B> = DType extends A
  ? DType
  : DType extends B
    ? DType
    : A extends B
      ? B
      : B extends (A extends keyof Wider ? Wider[A] : never)
        ? B
        : A extends (B extends keyof Wider ? Wider[B] : never)
          ? A
          : DType;

/**
 * The dtype of two tensors' result: int64 and float32 -> float32. A tensor without dimensions counts less than one with
 * dimensions, so different dtypes are compared only if both are known to have some. For a tensor and a number see below.
 */
export type Promoted<A, B> = B extends SomeTensor
  ? DTypeOf<A> extends DTypeOf<B>
    ? DTypeOf<A>
    : ShapeOf<A> extends Dimensioned
      ? ShapeOf<B> extends Dimensioned
        ? Pair<DTypeOf<A>, DTypeOf<B>>
        : DType
      : DType
  : PromotedByNumber<DTypeOf<A>, B>;

/** A floating tensor keeps its dtype. JavaScript has one type of number: 2 keeps integers, and 0.5 makes them float32. */
type PromotedByNumber<Type, Value> = DType extends Type
  ? DType
  : Value extends { readonly re: number }
    ? Extract<Type, ComplexType> extends never
      ? DType
      : Type
    : Type extends Float | ComplexType
      ? Type
      : Value extends boolean
        ? Type
        : Type extends Integer
          ? Value extends bigint
            ? Type
            : Type | "float32"
          : DType;

/** The dtype of an operator whose results are never integers, such as division and `exp`: int64 -> float32; float16 -> float16 */
export type Floating<Type> = DType extends Type ? DType : Type extends Integer | "bool" ? "float32" : Type;

/** The dtype of two operands, either of which may be a number. JavaScript's numbers alone leave it open. */
export type PromotedOperands<A, B> = A extends SomeTensor
  ? Promoted<A, B>
  : B extends SomeTensor
    ? Promoted<B, A>
    : DType;

/** The dtype of `floatPower`: twice the precision, whatever it is given. */
export type Doubled<Type> = DType extends Type ? DType : Type extends ComplexType ? "complex128" : "float64";
