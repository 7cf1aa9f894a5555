// What the rest of the library takes from the shape algebra.
export type { BroadcastShape, ElementwiseProblem } from "./broadcast.ts";
export type { NestedShape, SizesOf } from "./create.ts";
export type { MatmulProblem, MatmulShape, PlainProductProblem, ProductDType } from "./matmul.ts";
export type { CommonDevice } from "./place.ts";
export type { Floating, Promoted } from "./promote.ts";
export type { Unless } from "./refusal.ts";
export type { DeviceOf, DTypeOf, ShapeOf, TensorOf } from "./tensor_of.ts";
