// Tensors from sizes: what is known of them when they are made. Pure types.

/** `[2, 3]` -> `[2, 3]`; `5` -> `[5]`; a `number[]` -> `number[]` */
export type SizesOf<Size> = Size extends number
  ? [Size]
  : Size extends readonly number[]
    ? [...Size]
    : number[];
