// Computes the shape of a layer's output, and refuses inputs that do not fit. Each layer describes what it does to a
// shape in a text, its rule. A Sequential joins the rules of its layers, each with a bar behind it:
//
//     new Linear(784, 512)          "linear;784;512|"
//     new Conv2d(1, 16, 3)          "window;1;16;3,3;1,1;0,0;1,1|"
//     a ReLU, a norm, a dropout     "": the shape does not change
//     anything else                 "open|": the output is unknown
//
// Inside these types a shape has its last size first, "28,28,1,64,", because most layers ask for that one. An unknown
// shape is null. Every cell that calls a layer pays for each step of each type here.
import type { DType } from "../vocabulary/dtype.ts";
import type { Product } from "./arithmetic/arithmetic.ts";
import type { Tensor as SomeTensor } from "./some_tensor.ts";
import type { Tensor } from "./shown.ts";
import type { IndexSentence } from "./lookup.ts";
import type { NoProblem, Unless } from "./refusal.ts";
import type { DeviceOf, DTypeOf, ShapeOf, TensorOf } from "./tensor_of.ts";
import type { ProductEquals } from "./arithmetic/unary.ts";
import type { MayEqual, Reversed, ShapeText } from "./arithmetic/text.ts";
import type { Flattened } from "./view.ts";
import type { Windowed } from "./window.ts";

/** Types alone: no layer has these when it runs. */
declare const RULE: unique symbol;
declare const PHANTOM: unique symbol;
declare const KIND: unique symbol;

/** Says a rule by its parameter alone: no member has it, so layers of any two rules may be exchanged. */
interface PhantomRule<_Rule> {
  readonly [PHANTOM]: true;
}

/** Any layer that has a rule. */
export interface HasRule {
  readonly [RULE]: unknown;
}

/** How such a layer is called. A layer may take the place of one with another rule: a list of both can be called. */
export interface LayerCall<Rule> {
  /** Runs the layer on a tensor. Calls `forward`, and the hooks around it. */
  <const A extends SomeTensor, Problem = LayersProblem<Rule, Reversed<ShapeOf<A>>, DTypeOf<A>>>(
    input: A & Unless<Problem>,
    ...others: OthersOf<this>
  ): LayerOutput<Rule, A>;
  readonly [RULE]: PhantomRule<Rule>;
  /** Always empty, and a mapped type: what a difference in the rule means can't be measured, so members are compared. */
  readonly [KIND]?: { readonly [Key in Rule & string as never]: never };
}

/** What the forward of a class that inherits from a layer takes besides. */
type OthersOf<Called> = Called extends { forward(input: any, ...others: infer Others): any } ? Others : [];

/** "open|" of a module that has none. */
export type RuleOf<Layer> = Layer extends { readonly [RULE]: PhantomRule<infer Rule> }
  ? Rule & string
  : "open|";

type LayerOutput<Rule, A> = Rule extends "indices|"
  ? [output: Tensor, indices: Tensor]
  : TensorOf<Reversed<Whole<Through<Rule, Reversed<ShapeOf<A>>>>>, DTypeAfter<Rule, DTypeOf<A>>, DeviceOf<A>>;

/** Rows of an embedding are of its own dtype, and nothing is known of what an open layer gives. */
type DTypeAfter<Rule, Type> = Rule extends `${string}embedding;${string}` | `${string}open|${string}`
  ? DType
  : Type;

/** A shape after each of the layers. */
type Through<Rule, S> = S extends string
  ? Rule extends `${infer First}|${infer Rest}`
    ? Through<Rest, After<First, S>>
    : S
  : null;

type After<Rule, S> = Rule extends `linear;${string};${infer Out}`
  ? S extends `${string},${infer Leading}`
    ? `${Out},${Leading}`
    : null
  : Rule extends `window;${string};${infer Out};${infer Window}`
    ? Windowed<Whole<S>, Out, Window>
    : Rule extends "flatten;1;-1"
      ? Rows<Whole<S>>
      : Rule extends `flatten;${infer Start extends number};${infer End extends number}`
        ? Reversed<Flattened<Reversed<Whole<S>>, Start, End>>
        : Rule extends `embedding;${infer Size}`
          ? `${Size},${Whole<S> & string}`
          : null;

/**
 * "14,14,32,64," -> "32*14*14*,64,": a product that is not worked out, since most often it is only asked whether it is as
 * many as the next Linear takes, which takes a fifth of the time.
 */
type Rows<S, Factors extends string = ""> = S extends `${infer Size},${infer Rest}`
  ? Rest extends ""
    ? Factors extends ""
      ? null
      : `${Factors},${S}`
    : Rows<Rest, `${Size}*${Factors}`>
  : null;

/** "32*14*14*,64," -> "6272,64,"; all else as it is. */
type Whole<S> = S extends `${infer Factors}*,${infer Rest}` ? `${Product<`${Factors}*`, "*">},${Rest}` : S;

/** Why a layer, or the first of several that does, refuses a tensor. Of one of unknown shape, nothing: see `ChainProblem`. */
type LayersProblem<Rule, S, Type> = S extends string
  ? Rule extends `${infer First}|${infer Rest}`
    ? RestProblem<LayerProblem<First, S, Type>, First, Rest, S, Type>
    : NoProblem
  : NoProblem;

type RestProblem<Problem, First extends string, Rest, S, Type> = Problem extends NoProblem
  ? LayersProblem<Rest, After<First, S>, DTypeAfter<`${First}|`, Type>>
  : Problem;

/**
 * Of layers that cannot follow one another, whatever the input: what a Linear gives is known, and goes on through layers
 * without a rule. All others change it, or ask for another size.
 */
export type ChainProblem<Rule> = Rule extends `${string}linear;${string};${infer Out}|${infer Rest}`
  ? NextProblem<Rest, Out>
  : NoProblem;

type NextProblem<Rule, Given> = Rule extends `linear;${infer In};${infer Out}|${infer Rest}`
  ? MayEqual<Given, In> extends true
    ? NextProblem<Rest, Out>
    : `Linear(${In}, ${Out}): the input's last dimension must be ${In}, and the layer before gives ${Given & string}`
  : ChainProblem<Rule>;

type LayerProblem<Rule, S, Type> = Rule extends `linear;${infer In};${infer Out}`
  ? S extends `${infer Size},${string}`
    ? FeaturesProblem<S, Size, In, Out>
    : NoProblem
  : Rule extends `window;${infer In};${infer Out};${infer Window}`
    ? ChannelsProblem<S, In, Out, Window>
    : Rule extends `embedding;${string}`
      ? IndexSentence<"Embedding", S, Type>
      : NoProblem;

type FeaturesProblem<
  S,
  Size extends string,
  In extends string,
  Out extends string,
  May = MayEqual<Size, In>,
> = May extends true
  ? NoProblem
  : Size extends `${string}*`
    ? ProductEquals<Size, In> extends true
      ? NoProblem
      : WholeProblem<Whole<S>, In, Out>
    : `Linear(${In}, ${Out}): the input's last dimension must be ${In}, got ${Size} in shape ${ShapeText<Reversed<S>>}`;

type WholeProblem<S, In extends string, Out extends string> = S extends `${infer Size},${string}`
  ? FeaturesProblem<S, Size, In, Out>
  : NoProblem;

/** The channels stand before as many sizes as the window has. "-" of a window that takes any. */
type ChannelsProblem<S, In extends string, Out extends string, Window> = In extends "-"
  ? NoProblem
  : Window extends `${string},${string};${string}`
    ? S extends `${string},${string},${infer Size},${string}`
      ? ChannelProblem<S, Size, In, Out, "Conv2d">
      : NoProblem
    : S extends `${string},${infer Size},${string}`
      ? ChannelProblem<S, Size, In, Out, "Conv1d">
      : NoProblem;

type ChannelProblem<
  S,
  Given extends string,
  In extends string,
  Out extends string,
  Name extends string,
  May = MayEqual<Given, In>,
> = May extends true
  ? NoProblem
  : `${Name}(${In}, ${Out}): the input must have ${In} channels, got ${Given} in shape ${ShapeText<Reversed<S>>}`;
