// Sums, products and quotients of sizes, digit by digit as on paper, each digit as strokes: lengths of tuples, the usual
// way, end at 10,000, and 64 x 784 is past that. Pure types over texts. A size that is not known gives "?".
//
//     Plus<"27", "5"> -> "32"      Times<"64", "784"> -> "50176"      Divide<"7", "2"> -> ["3", "1"]

import type { Products } from "./products.ts";

/** `Plus<"27", "5">` -> "32" */
export type Plus<A, B> = A extends "?"
  ? "?"
  : B extends "?"
    ? "?"
    : A extends "0"
      ? B & string
      : B extends "0"
        ? A & string
        : Added<Turned<A>, Turned<B>>;

/** `Minus<"5", "2">` -> "3"; below 0 null */
export type Minus<A, B> = A extends "?"
  ? "?"
  : B extends "?"
    ? "?"
    : B extends "0"
      ? A
      : Subtracted<Turned<A>, Turned<B>>;

/** `Times<"12", "12">` -> "144"; 0 times anything is 0 */
export type Times<A, B> = A extends "0"
  ? "0"
  : B extends "0"
    ? "0"
    : A extends "1"
      ? B & string
      : B extends "1"
        ? A & string
        : A extends "?"
          ? "?"
          : B extends "?"
            ? "?"
            : Multiplied<Turned<A>, B>;

/** Whole quotient and rest: `Divide<"7", "2">` -> `["3", "1"]`. By 0: `["?", "?"]` */
export type Divide<A, B> = A extends "?"
  ? ["?", "?"]
  : B extends "?" | "0"
    ? ["?", "?"]
    : B extends "1"
      ? [A & string, "0"]
      : A extends B
        ? ["1", "0"]
        : B extends "2"
          ? Halved<A>
          : Divided<A, Turned<B>>;

/** Of all sizes: "2,3,4," -> "24"; "" -> "1" */
export type Product<Shape, Done extends string = "1"> = Shape extends `${infer First},${infer Rest}`
  ? Product<Rest, Times<Done, First>>
  : Done;

interface Strokes {
  "0": "";
  "1": "|";
  "2": "||";
  "3": "|||";
  "4": "||||";
  "5": "|||||";
  "6": "||||||";
  "7": "|||||||";
  "8": "||||||||";
  "9": "|||||||||";
}

interface Digits {
  "": "0";
  "|": "1";
  "||": "2";
  "|||": "3";
  "||||": "4";
  "|||||": "5";
  "||||||": "6";
  "|||||||": "7";
  "||||||||": "8";
  "|||||||||": "9";
}

type StrokesOf<Digit> = Digit extends keyof Strokes ? Strokes[Digit] : "";
type DigitOf<Few> = Few extends keyof Digits ? Digits[Few] : "0";

/** The last digit first: "123" -> "321" */
type Turned<Text, Done extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? Turned<Rest, `${First}${Done}`>
  : Done;

type Trimmed<Text> = Text extends `0${infer Rest}` ? (Rest extends "" ? Text : Trimmed<Rest>) : Text;

/** Of numbers whose last digits come first. What is left when one has ended stays as it is. */
type Added<A, B, Carry extends string = "", Done extends string = ""> = A extends `${infer X}${infer ARest}`
  ? B extends `${infer Y}${infer BRest}`
    ? AddedOn<Sum<X, Y, Carry>, ARest, BRest, Done>
    : AddedLast<A, Carry, Done>
  : AddedLast<B, Carry, Done>;

type AddedLast<A, Carry, Done extends string> = Carry extends ""
  ? `${Turned<A>}${Done}`
  : A extends `${infer X}${infer Rest}`
    ? AddedOn<Sum<X, "0", "|">, Rest, "", Done>
    : `1${Done}`;

type AddedOn<Total, A, B, Done extends string> = Total extends `+${infer Digit}`
  ? Added<A, B, "|", `${Digit}${Done}`>
  : Added<A, B, "", `${Total & string}${Done}`>;

/** Of two digits and a carry: "7" and "8" -> "+5", "2" and "3" -> "5" */
type Sum<X, Y, Carry extends string> = `${StrokesOf<X>}${StrokesOf<Y>}${Carry}` extends infer Total extends
  keyof Totals
  ? Totals[Total]
  : never;

interface Totals extends Digits {
  "||||||||||": "+0";
  "|||||||||||": "+1";
  "||||||||||||": "+2";
  "|||||||||||||": "+3";
  "||||||||||||||": "+4";
  "|||||||||||||||": "+5";
  "||||||||||||||||": "+6";
  "|||||||||||||||||": "+7";
  "||||||||||||||||||": "+8";
  "|||||||||||||||||||": "+9";
}

type Subtracted<
  A,
  B,
  Borrow extends string = "",
  Done extends string = "",
> = A extends `${infer X}${infer ARest}`
  ? B extends `${infer Y}${infer BRest}`
    ? SubtractedFrom<StrokesOf<X>, `${StrokesOf<Y>}${Borrow}`, ARest, BRest, Done>
    : SubtractedFrom<StrokesOf<X>, Borrow, ARest, "", Done>
  : `${B & string}${Borrow}` extends ""
    ? Trimmed<Done>
    : null;

type SubtractedFrom<
  X extends string,
  Y extends string,
  A,
  B,
  Done extends string,
> = X extends `${Y}${infer Left}`
  ? Subtracted<A, B, "", `${DigitOf<Left>}${Done}`>
  : `${X}||||||||||` extends `${Y}${infer Left}`
    ? Subtracted<A, B, "|", `${DigitOf<Left>}${Done}`>
    : never;

/** A number, last digit first, by each digit of the other; what there is so far moves to the left. */
type Multiplied<A, B, Done extends string = ""> = B extends `${infer Digit}${infer Rest}`
  ? Multiplied<A, Rest, Plus<`${Done}0`, ByDigit<A, Digit>>>
  : Done;

type ByDigit<A, Digit> = Digit extends "0"
  ? "0"
  : Digit extends "1"
    ? Turned<A>
    : ByMoreThanOne<A, Digit & string>;

type ByMoreThanOne<
  A,
  Digit extends string,
  Carry extends string = "0",
  Done extends string = "",
> = A extends `${infer First}${infer Rest}`
  ? Products[`${First}${Digit}` & keyof Products] extends `${infer Tens}${infer Ones}`
    ? ByMoreOn<Sum<Ones, Carry, "">, Tens, Rest, Digit, Done>
    : never
  : Carry extends "0"
    ? Done
    : `${Carry}${Done}`;

type ByMoreOn<
  Total,
  Tens extends string,
  A,
  Digit extends string,
  Done extends string,
> = Total extends `+${infer Ones}`
  ? ByMoreThanOne<A, Digit, Sum<Tens, "1", ""> & string, `${Ones}${Done}`>
  : ByMoreThanOne<A, Digit, Tens, `${Total & string}${Done}`>;

/** Digit by digit; a rest of one stands before the next digit. The commonest division: a pooling window of two. */
type Halved<A, Odd extends string = "", Done extends string = ""> = A extends `${infer First}${infer Rest}`
  ? `${Odd}${First}` extends keyof Halves
    ? Halves[`${Odd}${First}`] extends `${infer Half},${infer Left}`
      ? Halved<Rest, Left, `${Done}${Half}`>
      : never
    : never
  : [Trimmed<Done>, Odd extends "1" ? "1" : "0"];

interface Halves {
  "0": "0,";
  "1": "0,1";
  "2": "1,";
  "3": "1,1";
  "4": "2,";
  "5": "2,1";
  "6": "3,";
  "7": "3,1";
  "8": "4,";
  "9": "4,1";
  "10": "5,";
  "11": "5,1";
  "12": "6,";
  "13": "6,1";
  "14": "7,";
  "15": "7,1";
  "16": "8,";
  "17": "8,1";
  "18": "9,";
  "19": "9,1";
}

/** Long division: the first digits of A that B goes into, how often, and the rest goes on. */
type Divided<
  A,
  B,
  Rest extends string = "0",
  Quotient extends string = "",
> = A extends `${infer First}${infer Others}`
  ? HowOften<Trimmed<`${Rest}${First}`>, B> extends [infer Digit extends string, infer Left extends string]
    ? Divided<Others, B, Left, `${Quotient}${Digit}`>
    : never
  : [Trimmed<Quotient>, Rest];

type HowOften<A, B, Times extends string = ""> = HowOftenMore<A, Subtracted<Turned<A>, B>, B, Times>;

type HowOftenMore<A, Left, B, Times extends string> = Left extends string
  ? HowOften<Left, B, `${Times}|`>
  : [DigitOf<Times>, A];
