// Tensors from sizes: what is known of them when they are made. Pure types.
import type { Size, TextOf } from "./text.ts";

/** `[2, 3]` -> "2,3,"; `5` -> "5,"; a `number[]` -> null */
export type SizesOf<Sizes> = Sizes extends number ? `${Size<Sizes>},` : TextOf<Sizes>;
