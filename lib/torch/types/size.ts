// Single sizes: whether two may be the same. Pure types.

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";

/** Not known to be different: `3` and `3`, `3` and `number`; not `3` and `4`. */
export type MayEqual<A, B> = A extends number ? (B extends number ? SameText<`${A}`, `${B}`> : true) : true;

/** `number` is a text too, and no digit begins it. */
type SameText<A, B> = A extends `${Digit}${string}`
  ? B extends `${Digit}${string}`
    ? A extends B
      ? true
      : false
    : true
  : true;
