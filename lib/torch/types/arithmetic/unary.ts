// Decides at compile time whether a product of sizes equals a number, in unary: `32*14*14` and `6272` each become a
// string of 6,272 bars, and the strings are compared. The compiler handles strings of this length as fast as short
// ones. False means not equal, or too long to try; `layer.ts` then multiplies digit by digit.

/**
 * `ProductEquals<"32*14*14*", "6272">` -> true. False if the factors have more than ten characters or the number more than
 * seven, which could be millions of bars. (The last `infer` matches the rest, which may be empty.)
 */
export type ProductEquals<Factors, Whole> =
  Factors extends `${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer _8}${infer _9}${infer _10}${infer _11}`
    ? false
    : Whole extends `${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer _8}`
      ? false
      : Product<Factors> extends Repeated<"|", Whole>
        ? true
        : false;

type Product<Factors, Done extends string = "|"> = Factors extends `${infer First}*${infer Rest}`
  ? Product<Rest, Repeated<Done, First>>
  : Done;

/** Repeats a text: "||" and "12" -> 24 bars. Gives `never` for what is no number, such as "?". */
type Repeated<
  Text extends string,
  Count,
  Done extends string = "",
> = Count extends `${infer Digit}${infer Rest}`
  ? Repeated<Text, Rest, `${Tenfold<Done>}${Fold<Text>[Digit & keyof Fold<Text>]}`>
  : Done;

type Tenfold<T extends string> = `${T}${T}${T}${T}${T}${T}${T}${T}${T}${T}`;

interface Fold<T extends string> {
  "0": "";
  "1": T;
  "2": `${T}${T}`;
  "3": `${T}${T}${T}`;
  "4": `${T}${T}${T}${T}`;
  "5": `${T}${T}${T}${T}${T}`;
  "6": `${T}${T}${T}${T}${T}${T}`;
  "7": `${T}${T}${T}${T}${T}${T}${T}`;
  "8": `${T}${T}${T}${T}${T}${T}${T}${T}`;
  "9": `${T}${T}${T}${T}${T}${T}${T}${T}${T}`;
}
