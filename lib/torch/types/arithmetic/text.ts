// Converts shapes to the form that the type rules use: texts with a comma after each size.
//
//     [2, 3] -> "2,3,"      [] -> ""      [any, 3] -> "?,3,"      any -> null, nothing is known
//
// Texts are cheap and tuples are not. To compare two tuples, or to take the rest of one, the checker makes the forty
// members of an array for each, and a cell has hundreds. So only this file reads and writes tuples.

/**
 * `[2, 3]` -> "2,3,". A shape of more than eight dimensions, or a mutable array, is unknown. `number[]` is tested
 * early, because finding that it is none of the nine tuples takes the checker 4 ms.
 */
export type TextOf<Shape> = number[] extends Shape
  ? null
  : Shape extends [infer A, infer B]
    ? `${Size<A>},${Size<B>},`
    : Shape extends [infer A, infer B, infer C, infer D]
      ? `${Size<A>},${Size<B>},${Size<C>},${Size<D>},`
      : Shape extends [infer A]
        ? `${Size<A>},`
        : Shape extends [infer A, infer B, infer C]
          ? `${Size<A>},${Size<B>},${Size<C>},`
          : Shape extends []
            ? ""
            : LongText<Shape>;

type LongText<Shape> = Shape extends [infer A, infer B, infer C, infer D, infer E]
  ? `${TextOf<[A, B, C, D]>}${Size<E>},`
  : Shape extends [infer A, infer B, infer C, infer D, infer E, infer F]
    ? `${TextOf<[A, B, C, D]>}${TextOf<[E, F]>}`
    : Shape extends [infer A, infer B, infer C, infer D, infer E, infer F, infer G]
      ? `${TextOf<[A, B, C, D]>}${TextOf<[E, F, G]>}`
      : Shape extends [infer A, infer B, infer C, infer D, infer E, infer F, infer G, infer H]
        ? `${TextOf<[A, B, C, D]>}${TextOf<[E, F, G, H]>}`
        : null;

/** `3` -> "3"; `number` and `any` -> "?" */
export type Size<Value> = number extends Value ? "?" : Value extends number ? `${Value}` : "?";

/** "2,3," -> `[2, 3]`; "?,3," -> `[any, 3]`; null -> `any` */
export type TupleOf<Shape, Done extends unknown[] = []> = Shape extends `${infer First},${infer Rest}`
  ? TupleOf<Rest, [...Done, NumberOf<First>]>
  : Shape extends ""
    ? Done
    : any;

/** "3" -> 3; "?" -> any */
export type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : any;

/** A shape of at least one dimension. */
export type Dimensioned = `${string},${string}`;

/** "2,3,4," -> "4,3,2," */
export type Reversed<Shape, Done extends string = ""> = Shape extends `${infer First},${infer Rest}`
  ? Reversed<Rest, `${First},${Done}`>
  : Shape extends ""
    ? Done
    : null;

/** PyTorch's text of a shape: "2,3," -> "[2, 3]"; "?,3," -> "[?, 3]"; null -> "?" */
export type ShapeText<Shape> = Shape extends `${infer First},${infer Rest}`
  ? `[${First}${More<Rest>}]`
  : Shape extends ""
    ? "[]"
    : "?";

type More<Shape> = Shape extends `${infer First},${infer Rest}` ? `, ${First}${More<Rest>}` : "";

/** True unless the sizes are known to differ: for "3" and "3", "3" and "?"; not for "3" and "4". */
export type MayEqual<A, B> = A extends B ? true : A extends "?" ? true : B extends "?" ? true : false;

/** Size by size. */
export type AllMayEqual<S, T> = S extends `${infer A},${infer More}`
  ? T extends `${infer B},${infer Others}`
    ? MayEqual<A, B> extends true
      ? AllMayEqual<More, Others>
      : false
    : false
  : T extends ""
    ? true
    : false;

/** The number of dimensions: "2,3," -> "2" */
export type Rank<Shape, Passed = "0"> = Shape extends `${string},${infer Rest}`
  ? Rank<Rest, Passed extends keyof Next ? Next[Passed] : "?">
  : Passed;

interface Next {
  "0": "1";
  "1": "2";
  "2": "3";
  "3": "4";
  "4": "5";
  "5": "6";
  "6": "7";
  "7": "8";
  "8": "9";
}
