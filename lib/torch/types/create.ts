// Computes what is known of a new tensor from its sizes or its values.
import type { DType } from "../vocabulary/dtype.ts";
import type { Size, TextOf } from "./arithmetic/text.ts";

/** `[2, 3]` -> "2,3,"; `5` -> "5,"; a `number[]` -> null */
export type SizesOf<Sizes> = Sizes extends number ? `${Size<Sizes>},` : TextOf<Sizes>;

/** Sizes or dimensions one by one or in one list: `[2, 3]` and `[[2, 3]]` -> "2,3," */
export type GivenSizes<Given> = Given extends [infer Only]
  ? unknown extends Only
    ? null
    : SizesOf<Only extends number ? Given : Only>
  : TextOf<Given>;

/** What sizes one by one must be besides numbers: at least one. */
export type SomeSizes<Sizes> = Sizes extends readonly [] ? readonly [size: number] : unknown;

/** The size of one dimension by a count: `torch.eye(3)`. */
export type CountOf<Count> = `${Size<Count>},`;

/** `torch.arange(5)` has 5 elements; the length of `arange(2.5)` is not computed. */
export type CountUpTo<End> = End extends number
  ? `${End}` extends `${string}${"." | "-" | "e"}${string}`
    ? "?,"
    : `${Size<End>},`
  : "?,";

/**
 * The shape of nested arrays, by their first elements: `[[1, 2], [3, 4], [5, 6]]` -> "3,2,". For an array that is no
 * literal only the number of dimensions is known; for values that may be nested or not, nothing. A typed array is one
 * dimension, and so is a table's column.
 */
export type ValuesShape<Values, Done extends string = ""> = Done extends Deep
  ? null
  : Values extends readonly [infer First, ...unknown[]]
    ? ValuesShape<First, `${Done}${Size<Values["length"]>},`>
    : Values extends readonly []
      ? `${Done}0,`
      : Values extends readonly (infer Each)[]
        ? ValuesShape<Each, `${Done}?,`>
        : Values extends { readonly length: number }
          ? `${Done}?,`
          : Done;

/** The most dimensions that are looked at; a type that contains itself comes to an end here. */
type Deep = `${string},${string},${string},${string},${string},${string}`;

/** The dtype of a tensor filled with a value: `1` -> "int64", `0.5` -> "float32"; of a number that is not known, any. */
export type FillDType<Value> = Value extends number
  ? number extends Value
    ? DType
    : `${Value}` extends `${bigint}`
      ? "int64"
      : "float32"
  : Value extends boolean
    ? "bool"
    : Value extends bigint
      ? "int64"
      : Value extends { readonly re: number }
        ? "complex64"
        : DType;
