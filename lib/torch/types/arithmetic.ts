// Sums, products and quotients of sizes, digit by digit as on paper, each digit as strokes: lengths of tuples, the usual
// way, end at 10,000, and 64 x 784 is past that. Pure types over texts. A size that is not known gives "?".
//
//     Plus<"27", "5"> -> "32"      Times<"64", "784"> -> "50176"      Divide<"7", "2"> -> ["3", "1"]

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
            : Multiplied<Turned<A>, Turned<B>>;

/** Whole quotient and rest: `Divide<"7", "2">` -> `["3", "1"]`. By 0: `["?", "?"]` */
export type Divide<A, B> = A extends "?"
  ? ["?", "?"]
  : B extends "?" | "0"
    ? ["?", "?"]
    : B extends "1"
      ? [A & string, "0"]
      : A extends B
        ? ["1", "0"]
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

/** Seventeen strokes -> `["|", "7"]` */
type Carried<Total, Tens extends string = ""> = Total extends `||||||||||${infer Rest}`
  ? Carried<Rest, `${Tens}|`>
  : [Tens, DigitOf<Total>];

/** Of numbers whose last digits come first, as all below. */
type Added<A, B, Carry extends string = "", Done extends string = ""> = A extends `${infer X}${infer ARest}`
  ? B extends `${infer Y}${infer BRest}`
    ? AddedOn<Carried<`${StrokesOf<X>}${StrokesOf<Y>}${Carry}`>, ARest, BRest, Done>
    : AddedOn<Carried<`${StrokesOf<X>}${Carry}`>, ARest, "", Done>
  : B extends `${infer Y}${infer BRest}`
    ? AddedOn<Carried<`${StrokesOf<Y>}${Carry}`>, "", BRest, Done>
    : Carry extends ""
      ? Done
      : `${DigitOf<Carry>}${Done}`;

type AddedOn<Column, A, B, Done extends string> = Column extends [
  infer Carry extends string,
  infer Digit extends string,
]
  ? Added<A, B, Carry, `${Digit}${Done}`>
  : never;

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

/** A number by each digit of the other, shifted, and added up. */
type Multiplied<
  A,
  B,
  Shift extends string = "",
  Done extends string = "0",
> = B extends `${infer Digit}${infer Rest}`
  ? Multiplied<A, Rest, `${Shift}0`, Added<Turned<Done>, Turned<`${ByDigit<A, StrokesOf<Digit>>}${Shift}`>>>
  : Trimmed<Done>;

type ByDigit<
  A,
  Digit extends string,
  Carry extends string = "",
  Done extends string = "",
> = A extends `${infer First}${infer Rest}`
  ? Carried<`${Repeated<StrokesOf<First>, Digit>}${Carry}`> extends [
      infer Next extends string,
      infer Ones extends string,
    ]
    ? ByDigit<Rest, Digit, Next, `${Ones}${Done}`>
    : never
  : `${DigitOf<Carry>}${Done}`;

type Repeated<What extends string, Times, Done extends string = ""> = Times extends `|${infer Rest}`
  ? Repeated<What, Rest, `${What}${Done}`>
  : Done;

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
