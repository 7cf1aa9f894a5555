// Computes sizes after a window moved over them: convolutions and pooling over one or two dimensions.
// https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html (Shape)
import type { Minus, Plus, Quotient, Times } from "./arithmetic/arithmetic.ts";
import type { Size } from "./arithmetic/text.ts";

/** The rule of a window over two dimensions: kernel, stride, padding, dilation. "?" of what is not known. */
export type Window2d<Kernel, Stride, Padding, Dilation> =
  `${Pair<Kernel>};${Pair<Stride>};${Pair<Padding>};${Pair<Dilation>}`;

/** The same over one. */
export type Window1d<Kernel, Stride, Padding, Dilation> =
  `${Single<Kernel>};${Single<Stride>};${Single<Padding>};${Single<Dilation>}`;

/** The same of a pooling window, whose size is not known where it may reach over the edge. */
export type PoolWindow2d<Kernel, Given, Stride, Padding, Dilation = 1> = "ceilMode" extends keyof Given
  ? "?,?;?,?;?,?;?,?"
  : Window2d<Kernel, Stride, Padding, Dilation>;

/** The same over one. */
export type PoolWindow1d<Kernel, Given, Stride, Padding, Dilation = 1> = "ceilMode" extends keyof Given
  ? "?;?;?;?"
  : Window1d<Kernel, Stride, Padding, Dilation>;

/** Options where none were given: of a layer whose kernel is known, none; of any layer, they are not known. */
export type OptionsBy<Kernel, Options> = number extends Kernel ? Options : object;

/** An option's type, or its default. */
export type OptionOf<Given, Name extends string, Otherwise> = Name extends keyof Given
  ? Given[Name]
  : Otherwise;

/** `3` -> "3,3"; `[3, 5]` -> "3,5". Of an option that may be there or not, nothing is known. */
export type Pair<Value> = undefined extends Value
  ? "?,?"
  : Value extends number
    ? `${Size<Value>},${Size<Value>}`
    : Value extends readonly [infer A, infer B]
      ? `${Size<A>},${Size<B>}`
      : Value extends "valid"
        ? "0,0"
        : Value extends "same"
          ? "same,same"
          : "?,?";

/** The same of one dimension. */
export type Single<Value> = undefined extends Value
  ? "?"
  : Value extends number
    ? Size<Value>
    : Value extends readonly [infer A]
      ? Size<A>
      : Value extends "valid"
        ? "0"
        : Value extends "same"
          ? "same"
          : "?";

/**
 * Computes the shape after a window with 16 channels and "3,3;1,1;0,0;1,1": "28,28,1,8," -> "26,26,16,8,", last sizes
 * first. Null if too little is known. "-" keeps the channels.
 */
export type Windowed<
  S,
  Out extends string,
  Window,
> = Window extends `${infer KH},${infer KW};${infer SH},${infer SW};${infer PH},${infer PW};${infer DH},${infer DW}`
  ? S extends `${infer W},${infer H},${infer C},${infer Batch}`
    ? `${Moved<W, KW, SW, PW, DW>},${Moved<H, KH, SH, PH, DH>},${Channels<C, Out>},${Batch}`
    : null
  : Window extends `${infer K};${infer Stride};${infer P};${infer D}`
    ? S extends `${infer L},${infer C},${infer Batch}`
      ? `${Moved<L, K, Stride, P, D>},${Channels<C, Out>},${Batch}`
      : null
    : null;

type Channels<Given extends string, Out extends string> = Out extends "-" ? Given : Out;

/**
 * (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1. Not known where the window is larger than what it moves
 * over. Without arithmetic for the windows that keep a size, and with a division alone for a pooling one.
 */
type Moved<Size extends string, Kernel, Stride, Padding, Dilation> = Padding extends "same"
  ? Size
  : Dilation extends "1"
    ? `${Kernel & string},${Stride & string},${Padding & string}` extends Keeping
      ? Size
      : Padding extends "0"
        ? Kernel extends Stride
          ? Whole<Quotient<Size, Kernel>>
          : MovedAnyhow<Size, Kernel, Stride, Padding, Dilation>
        : MovedAnyhow<Size, Kernel, Stride, Padding, Dilation>
    : MovedAnyhow<Size, Kernel, Stride, Padding, Dilation>;

/** Kernel, stride and padding after which a size is what it was. */
type Keeping = "1,1,0" | "3,1,1" | "5,1,2" | "7,1,3";

/** No window at all fits. */
type Whole<Count> = Count extends "0" ? "?" : Count;

type MovedAnyhow<Size extends string, Kernel, Stride, Padding, Dilation> = Steps<
  Minus<Plus<Size, Times<"2", Padding>>, Plus<Times<Dilation, Minus<Kernel, "1">>, "1">>,
  Stride
>;

type Steps<Room, Stride> = Room extends string ? Plus<Quotient<Room, Stride>, "1"> : "?";
