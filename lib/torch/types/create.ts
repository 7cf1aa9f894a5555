// Tensors from sizes and values: what is known of them when they are made. Pure types.
import type { TypedArray } from "../native.ts";

/** `[2, 3]` -> `[2, 3]`; `5` -> `[5]` */
export type SizesOf<Size> = Size extends number
  ? [Size]
  : Size extends readonly number[]
    ? [...Size]
    : number[];

/** `[[1, 2], [3, 4]]` -> `[2, 2]`; a `number[]` -> `[number]` */
export type NestedShape<Values> = Values extends TypedArray
  ? [number]
  : Values extends readonly []
    ? [0]
    : Values extends readonly [infer First, ...unknown[]]
      ? [Values["length"], ...NestedShape<First>]
      : Values extends readonly (infer Element)[]
        ? NestedShape<Element> extends infer Inner extends readonly number[]
          ? [number, ...Inner]
          : number[]
        : Values extends number | bigint | boolean | { readonly re: number }
          ? []
          : number[];
