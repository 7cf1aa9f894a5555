// Adds, multiplies and divides sizes at compile time, digit by digit as on paper, each digit in unary. The usual
// method, lengths of tuples, is limited to 10,000, and 64 x 784 is more. An unknown size gives "?".
//
//     Plus<"27", "5"> -> "32"      Times<"64", "784"> -> "50176"      Quotient<"7", "2"> -> "3"
//
// Results of two digits are looked up in tables: a look-up costs the checker a tenth of a conditional type that infers.
import type {
  Carried,
  DigitOf,
  HalfOf,
  Kept,
  NineLess,
  OddOf,
  Ones,
  UnaryOf,
  Tens,
} from "./digits.generated.ts";

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

/** `Quotient<"7", "2">` -> "3"; by 0 "?" */
export type Quotient<A, B> = Divide<A, B> extends `${infer Whole} ${string}` ? Whole : never;

/** `Remainder<"7", "2">` -> "1"; by 0 "?" */
export type Remainder<A, B> = Divide<A, B> extends `${string} ${infer Rest}` ? Rest : never;

type Divide<A, B> = A extends "?"
  ? "? ?"
  : B extends "?" | "0"
    ? "? ?"
    : B extends "1"
      ? `${A & string} 0`
      : A extends B
        ? "1 0"
        : B extends "2"
          ? Halved<A>
          : Divided<A, Turned<B>>;

/** Multiplies sizes that each end with a comma, or with another character: "2,3,4," -> "24"; "" -> "1" */
export type Product<
  Sizes,
  Behind extends string = ",",
  Done extends string = "1",
> = Sizes extends `${infer First}${Behind}${infer Rest}` ? Product<Rest, Behind, Times<Done, First>> : Done;

/** The last digit first: "123" -> "321" */
type Turned<Text, Done extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? Turned<Rest, `${First}${Done}`>
  : Done;

type Trimmed<Text> = Text extends `0${infer Rest}` ? (Rest extends "" ? Text : Trimmed<Rest>) : Text;

/**
 * Adds numbers that are written with their last digit first. When one number has ended, the rest of the other is kept.
 */
type Added<A, B, Carry extends string = "", Done extends string = ""> = A extends `${infer X}${infer AMore}`
  ? B extends `${infer Y}${infer BMore}`
    ? AddedOn<AMore, BMore, `${UnaryOf[X]}${UnaryOf[Y]}${Carry}`, Done>
    : AddedLast<A, Carry, Done>
  : AddedLast<B, Carry, Done>;

type AddedOn<A, B, Total extends string, Done extends string> = Added<
  A,
  B,
  Carried[Total],
  `${Kept[Total]}${Done}`
>;

type AddedLast<A, Carry extends string, Done extends string> = Carry extends ""
  ? `${Turned<A>}${Done}`
  : A extends ""
    ? `1${Done}`
    : Added<A, "1", "", Done>;

/**
 * Subtracts by adding the complement: A plus the nines' complement of B plus one. 52 - 17 becomes 52 + 82 + 1, whose
 * first digit is dropped. If nothing is carried at the end, B was larger: null.
 */
type Subtracted<
  A,
  B,
  Carry extends string = "|",
  Done extends string = "",
> = A extends `${infer X}${infer AMore}`
  ? B extends `${infer Y}${infer BMore}`
    ? SubtractedOn<AMore, BMore, `${UnaryOf[X]}${NineLess[Y]}${Carry}`, Done>
    : Carry extends "|"
      ? Trimmed<`${Turned<A>}${Done}`>
      : Subtracted<A, "0", "", Done>
  : `${B & string}${Carry}` extends "|"
    ? Trimmed<Done>
    : null;

type SubtractedOn<A, B, Total extends string, Done extends string> = Subtracted<
  A,
  B,
  Carried[Total],
  `${Kept[Total]}${Done}`
>;

/** Multiplies A by each digit of B and adds what earlier digits left. Each step gives one digit of the product. */
type Multiplied<
  A,
  B,
  Left extends string = "",
  Done extends string = "",
> = B extends `${infer Digit}${infer More}`
  ? Row<A, Digit, Left> extends `${infer Last}${infer Others}`
    ? Multiplied<A, More, Others, `${Last}${Done}`>
    : never
  : Trimmed<`${Turned<Left>}${Done}`>;

/** A times a digit, plus what was left, which is padded with zeros. The result has one digit more than A. */
type Row<
  A,
  Digit extends string,
  Left extends string,
  Carry extends string = "",
  Done extends string = "",
> = A extends `${infer X}${infer AMore}`
  ? `${Left}0` extends `${infer Y}${infer LeftMore}`
    ? RowOn<
        AMore,
        Digit,
        LeftMore,
        Tens[`${X}${Digit}`],
        `${Ones[`${X}${Digit}`]}${UnaryOf[Y]}${Carry}`,
        Done
      >
    : never
  : `${Done}${DigitOf[Carry]}`;

type RowOn<
  A,
  Digit extends string,
  Left extends string,
  More extends string,
  Total extends string,
  Done extends string,
> = Row<A, Digit, Left, `${More}${Carried[Total]}`, `${Done}${Kept[Total]}`>;

/**
 * Halves digit by digit: an odd digit puts a one before the next digit. This is the commonest division, that of a
 * pooling window of two.
 */
type Halved<A, Odd extends string = "", Done extends string = ""> = A extends `${infer First}${infer Rest}`
  ? Halved<Rest, OddOf[First], `${Done}${HalfOf[`${Odd}${First}`]}`>
  : `${Trimmed<Done> & string} ${Odd extends "1" ? "1" : "0"}`;

/** Long division: how often B goes into the first digits of A; the remainder goes on to the next digit. */
type Divided<
  A,
  B,
  Rest extends string = "0",
  Done extends string = "",
> = A extends `${infer First}${infer Others}`
  ? HowOften<Trimmed<`${Rest}${First}`>, B> extends `${infer Digit} ${infer Left}`
    ? Divided<Others, B, Left, `${Done}${Digit}`>
    : never
  : `${Trimmed<Done> & string} ${Rest}`;

type HowOften<A, B, Times extends string = ""> = HowOftenMore<A, Subtracted<Turned<A>, B>, B, Times>;

type HowOftenMore<A, Left, B, Times extends string> = Left extends string
  ? HowOften<Left, B, `${Times}|`>
  : `${DigitOf[Times]} ${A & string}`;
