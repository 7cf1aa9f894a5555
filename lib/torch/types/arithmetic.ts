// Sums, products and quotients of sizes, digit by digit as on paper: lengths of tuples, the usual way, end at 10,000,
// and 64 x 784 is past that. Pure types. A size that is not known gives `number`.
//
//     Plus<27, 5> -> 32      Times<64, 784> -> 50176      Over<50176, 784> -> 64      Minus<2, 3> -> never

/** `Plus<27, 5>` -> `32` */
export type Plus<A, B> =
  Known<A, B> extends true ? ToNumber<Added<Digits<`${A & number}`>, Digits<`${B & number}`>>> : number;

/** `Minus<5, 2>` -> `3`; below 0 never */
export type Minus<A, B> =
  Known<A, B> extends true
    ? ToNumber<Trimmed<Subtracted<Digits<`${A & number}`>, Digits<`${B & number}`>>>>
    : number;

/** `Times<12, 12>` -> `144` */
export type Times<A, B> =
  Known<A, B> extends true
    ? A extends 0
      ? 0
      : B extends 0
        ? 0
        : A extends 1
          ? B
          : B extends 1
            ? A
            : ToNumber<Multiplied<Digits<`${A & number}`>, Digits<`${B & number}`>>>
    : A extends 0
      ? 0
      : B extends 0
        ? 0
        : number;

/** Whole quotient and rest: `Divide<7, 2>` -> `[3, 1]`. By 0: `[number, number]` */
export type Divide<A, B> =
  Known<A, B> extends true
    ? B extends 0
      ? [number, number]
      : B extends 1
        ? [A, 0]
        : Divided<`${A & number}`, `${B & number}`> extends [
              infer Quotient extends string,
              infer Rest extends string,
            ]
          ? [ToNumber<Trimmed<Quotient>>, ToNumber<Rest>]
          : [number, number]
    : [number, number];

/** `[2, 3, 4]` -> `24`; `[]` -> `1` */
export type Product<Sizes extends readonly unknown[], Done = 1> = Sizes extends readonly [
  infer First,
  ...infer Rest,
]
  ? Product<Rest, Times<Done, First>>
  : Done;

/** Digits alone: no `number`, no -1, no 0.5 and no 1e21. */
type Known<A, B> = `${A & number}${B & number}` extends `${bigint}`
  ? `${A & number}` extends `-${string}`
    ? false
    : `${B & number}` extends `-${string}`
      ? false
      : number extends A | B
        ? false
        : true
  : false;

type ToNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;
type Trimmed<Text> = Text extends `0${infer Rest}` ? (Rest extends "" ? Text : Trimmed<Rest>) : Text;

/** The last digit first: "123" -> `["3", "2", "1"]` */
type Digits<Text extends string> = Text extends `${infer First}${infer Rest}` ? [...Digits<Rest>, First] : [];

/** As many elements as a digit says. */
interface Counted {
  "0": [];
  "1": [0];
  "2": [0, 0];
  "3": [0, 0, 0];
  "4": [0, 0, 0, 0];
  "5": [0, 0, 0, 0, 0];
  "6": [0, 0, 0, 0, 0, 0];
  "7": [0, 0, 0, 0, 0, 0, 0];
  "8": [0, 0, 0, 0, 0, 0, 0, 0];
  "9": [0, 0, 0, 0, 0, 0, 0, 0, 0];
}

type Count<Digit> = Digit extends keyof Counted ? Counted[Digit] : [];

/** Of a digit's sum or product: `17` -> `["1", "7"]` */
type Carried<Total> = `${Total & number}` extends `${infer Tens}${infer Ones}`
  ? Ones extends ""
    ? ["0", Tens]
    : [Tens, Ones]
  : never;

type Added<A, B, Carry = "0", Done extends string = ""> = [A, B] extends [[], []]
  ? Carry extends "0"
    ? Done
    : `${Carry & string}${Done}`
  : Carried<[...Count<Head<A>>, ...Count<Head<B>>, ...Count<Carry>]["length"]> extends [
        infer Next,
        infer Digit extends string,
      ]
    ? Added<Tail<A>, Tail<B>, Next, `${Digit}${Done}`>
    : never;

type Head<A> = A extends [infer First, ...unknown[]] ? First : "0";
type Tail<A> = A extends [unknown, ...infer Rest] ? Rest : [];

type Ten = [...Counted["9"], 0];

type Subtracted<A, B, Borrow extends unknown[] = [], Done extends string = ""> = [A, B] extends [[], []]
  ? Borrow extends []
    ? Done
    : never
  : [...Count<Head<A>>, ...Ten] extends [...Count<Head<B>>, ...Borrow, ...infer Left]
    ? Left extends [...Ten, ...infer Over]
      ? Subtracted<Tail<A>, Tail<B>, [], `${Over["length"]}${Done}`>
      : Subtracted<Tail<A>, Tail<B>, [0], `${Left["length"]}${Done}`>
    : never;

/** A number by each digit of the other, shifted, and added up. */
type Multiplied<A, B, Shift extends string = "", Done extends string = "0"> = B extends [
  infer Digit,
  ...infer Rest,
]
  ? Multiplied<A, Rest, `${Shift}0`, Added<Digits<Done>, Digits<`${ByDigit<A, Digit>}${Shift}`>>>
  : Trimmed<Done>;

type ByDigit<A, Digit, Carry = "0", Done extends string = ""> = A extends [infer First, ...infer Rest]
  ? Carried<[...Repeated<Count<First>, Count<Digit>>, ...Count<Carry>]["length"]> extends [
      infer Next,
      infer Ones extends string,
    ]
    ? ByDigit<Rest, Digit, Next, `${Ones}${Done}`>
    : never
  : `${Carry & string}${Done}`;

type Repeated<What extends unknown[], Times extends unknown[]> = Times extends [unknown, ...infer Rest]
  ? [...What, ...Repeated<What, Rest>]
  : [];

/** Long division: the first digits of A that B goes into, how often, and the rest goes on. */
type Divided<
  A extends string,
  B extends string,
  Rest extends string = "0",
  Quotient extends string = "",
> = A extends `${infer First}${infer Others}`
  ? HowOften<Trimmed<`${Rest}${First}`>, Digits<B>> extends [
      infer Digit extends string,
      infer Left extends string,
    ]
    ? Divided<Others, B, Left, `${Quotient}${Digit}`>
    : never
  : [Quotient, Rest];

type HowOften<A, B, Times extends unknown[] = []> = [Subtracted<Digits<A & string>, B>] extends [never]
  ? [`${Times["length"]}`, A]
  : HowOften<Trimmed<Subtracted<Digits<A & string>, B>>, B, [...Times, 0]>;
