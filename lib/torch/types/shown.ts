// Types of tensors under the names that people write and that tools show. Pure types.
import type { ValuesAndIndices as ResultsInterface } from "./results.ts";
import type { Tensor as TensorInterface } from "./tensor.ts";

/**
 * Of an interface the compiler prints all arguments, `Tensor<[2, 3], "float32", any>`; of an alias that another module
 * imports, those that are written: `Tensor<[2, 3], "float32">`. So results are written through this one (`tensor_of.ts`).
 */
export type Tensor<Shape = any, Type = any, Device = any> = TensorInterface<Shape, Type, Device>;

/** The same of `x.max(1)`. */
export type ValuesAndIndices<Shape = any, Type = any, Device = any> = ResultsInterface<Shape, Type, Device>;
