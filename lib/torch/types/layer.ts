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
import type { Integer } from "./promote.ts";
import type { FirstOf, NoProblem, Unless } from "./refusal.ts";
import type { DeviceOf, DTypeOf, ShapeOf, TensorOf } from "./tensor_of.ts";
import type { ProductEquals } from "./arithmetic/unary.ts";
import type { MayEqual, Reversed, ShapeText } from "./arithmetic/text.ts";
import type { Flattened } from "./view.ts";
import type { Windowed } from "./window.ts";

/** Types only: no layer has these properties at run time. */
declare const RULE: unique symbol;
declare const PHANTOM: unique symbol;
declare const KIND: unique symbol;

/** Carries a rule in its parameter only. No member uses the parameter, so layers with different rules are assignable to each other. */
interface PhantomRule<_Rule> {
  readonly [PHANTOM]: true;
}

/** Any layer that has a rule. */
export interface HasRule {
  readonly [RULE]: unknown;
}

/** The call of a layer that has a rule. Layers with different rules are assignable to each other, so a list of both can be called. */
export interface LayerCall<Rule> {
  /** Runs the layer on a tensor. Calls `forward`, and the hooks around it. */
  <const A extends SomeTensor, Problem = LayersProblem<Rule, Reversed<ShapeOf<A>>, DTypeOf<A>>>(
    input: A & Unless<Problem>,
    ...others: OthersOf<this>
  ): LayerOutput<Rule, A>;
  readonly [RULE]: PhantomRule<Rule>;
  /** Always empty. The compiler cannot measure the variance of a mapped type's parameter, so it compares members instead. */
  readonly [KIND]?: { readonly [Key in Rule & string as never]: never };
}

/** Further parameters of `forward` in a class that inherits from a layer. */
type OthersOf<Called> = Called extends { forward(input: any, ...others: infer Others): any } ? Others : [];

/** "open|" for a module without a rule. */
export type RuleOf<Layer> = Layer extends { readonly [RULE]: PhantomRule<infer Rule> }
  ? Rule & string
  : "open|";

type LayerOutput<Rule, A> = Rule extends "indices|"
  ? [output: Tensor, indices: Tensor]
  : TensorOf<Reversed<Whole<Through<Rule, Reversed<ShapeOf<A>>>>>, DTypeAfter<Rule, DTypeOf<A>>, DeviceOf<A>>;

/** An embedding's rows have its own dtype, and an open layer's output is unknown. */
type DTypeAfter<Rule, Type> = Rule extends `${string}embedding;${string}` | `${string}open|${string}`
  ? DType
  : Type;

/** The shape after all of the layers. */
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
 * "14,14,32,64," -> "32*14*14*,64,": leaves the product open. Most often the next Linear only compares it with its
 * number of features, which takes a fifth of the time.
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

/** Why a layer, or the first of several that does, refuses a tensor. For an unknown shape no problem: see `ChainProblem`. */
type LayersProblem<Rule, S, Type> = S extends string
  ? Rule extends `${infer First}|${infer Rest}`
    ? RestProblem<LayerProblem<First, S, Type>, First, Rest, S, Type>
    : NoProblem
  : NoProblem;

type RestProblem<Problem, First extends string, Rest, S, Type> = Problem extends NoProblem
  ? LayersProblem<Rest, After<First, S>, DTypeAfter<`${First}|`, Type>>
  : Problem;

/**
 * The problem of layers that cannot follow one another, whatever the input. A Linear's output size is known, and passes
 * through layers without a rule. All others change it, or ask for another size.
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
    ? FirstOf<FeaturesProblem<S, Size, In, Out>, WeightedProblem<`Linear(${In}, ${Out})`, Type>>
    : NoProblem
  : Rule extends `window;${infer In};${infer Out};${infer Window}`
    ? ChannelsProblem<S, In, Out, Window, Type>
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

/** A layer's weights are floating, whichever of the floating dtypes they have. */
type WeightedProblem<Layer extends string, Type> = Type extends Integer | "bool"
  ? `${Layer}: the input must be floating, as the weights are, not ${Type}; .float() converts it`
  : NoProblem;

/** The channels come before as many sizes as the window has. "-" for a window that accepts any number of channels. */
type ChannelsProblem<S, In extends string, Out extends string, Window, Type> = In extends "-"
  ? NoProblem
  : Window extends `${string},${string};${string}`
    ? S extends `${string},${string},${infer Size},${string}`
      ? ChannelProblem<S, Size, In, Out, "Conv2d", Type>
      : NoProblem
    : S extends `${string},${infer Size},${string}`
      ? ChannelProblem<S, Size, In, Out, "Conv1d", Type>
      : NoProblem;

type ChannelProblem<
  S,
  Given extends string,
  In extends string,
  Out extends string,
  Name extends string,
  Type,
  May = MayEqual<Given, In>,
> = May extends true
  ? WeightedProblem<`${Name}(${In}, ${Out})`, Type>
  : `${Name}(${In}, ${Out}): the input must have ${In} channels, got ${Given} in shape ${ShapeText<Reversed<S>>}`;
