// Exports tensor types under the names that users write and that tools show.
import type { ValuesAndIndices as ResultsInterface } from "./results.ts";
import type { Tensor as TensorInterface } from "./tensor.ts";

/**
 * The compiler prints every argument of an interface, `Tensor<[2, 3], "float32", any>`. Of an alias that is imported from
 * another module it prints the arguments that are written, `Tensor<[2, 3], "float32">`. Results are therefore written
 * through this alias (`tensor_of.ts`).
 */
export type Tensor<Shape = any, Type = any, Device = any> = TensorInterface<Shape, Type, Device>;

/** The same of `x.max(1)`. */
export type ValuesAndIndices<Shape = any, Type = any, Device = any> = ResultsInterface<Shape, Type, Device>;
