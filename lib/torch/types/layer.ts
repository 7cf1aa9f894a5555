// What layers make of shapes, and which inputs they refuse. Pure types. Each layer says what it does in a text, its rule;
// a Sequential's is those of its layers, one after the other, each with a bar behind it:
//
//     new Linear(784, 512)          "linear;784;512|"
//     new Conv2d(1, 16, 3)          "window;1;16;3,3;1,1;0,0;1,1|"
//     a ReLU, a norm, a dropout     "same|"
//     anything else                 "open|": nothing is known of what it gives
import type { Tensor } from "../members.ts";
import type { DType } from "../native.ts";
import type { Tensor as SomeTensor } from "./known.ts";
import type { IndexSentence } from "./lookup.ts";
import type { Fine, FirstOf, Unless } from "./refusal.ts";
import type { DeviceOf, DTypeOf, ShapeOf, TensorOf } from "./tensor_of.ts";
import type { Dimensioned, MayEqual, Reversed, ShapeText } from "./text.ts";
import type { Flattened } from "./view.ts";
import type { Windowed } from "./window.ts";

/** Under it lies a layer's rule. Types alone: no layer has it when it runs. */
declare const RULE: unique symbol;

interface Anything {
  (): never;
}

interface Told<Rule> {
  (rule: Rule): void;
}

/** Any layer that has a rule. */
export interface Ruled {
  readonly [RULE]: unknown;
}

/** How such a layer is called. One may take another's place, as one tensor may another's. */
export interface Passing<Rule> {
  /** Runs the layer on a tensor. Calls `forward`, and the hooks around it. */
  <const A extends SomeTensor, Problem = PassProblem<Rule, ShapeOf<A>, DTypeOf<A>>>(
    input: A & Unless<Problem>,
  ): Passed<Rule, A>;
  readonly [RULE]: Anything & Told<Rule>;
}

/** "open|" of a module that has none. */
export type RuleOf<Layer> = Layer extends { readonly [RULE]: Told<infer Rule> } ? Rule & string : "open|";

type Passed<Rule, A> = Rule extends "indices|"
  ? [output: Tensor, indices: Tensor]
  : TensorOf<Complete<Through<Rule, ShapeOf<A>>>, DTypeAfter<Rule, DTypeOf<A>>, DeviceOf<A>>;

/** Rows of an embedding are of its own dtype, and nothing is known of what an open layer gives. */
type DTypeAfter<Rule, Type> = Rule extends `${string}embedding;${string}` | `${string}open|${string}`
  ? DType
  : Type;

/** Of a shape that is not known the last size may be: behind a Linear of 512 it is "~512". */
type Complete<S> = S extends `~${string}` ? null : S;

/** A shape after each of the layers. */
type Through<Rule, S> = Rule extends `same|${infer Rest}`
  ? Through<Rest, S>
  : Rule extends `${infer First}|${infer Rest}`
    ? Through<Rest, After<First, S>>
    : Rule extends ""
      ? S
      : null;

type After<Rule, S> = Rule extends "same"
  ? S
  : Rule extends `linear;${string};${infer Out}`
    ? Features<S, Out>
    : AfterOthers<Rule, Complete<S>>;

type AfterOthers<Rule, S> = Rule extends `window;${string};${infer Out};${infer Window}`
  ? Windowed<S, Out, Window>
  : Rule extends `flatten;${infer Start extends number};${infer End extends number}`
    ? Flattened<S, Start, End>
    : Rule extends `embedding;${infer Size}`
      ? S extends string
        ? `${S}${Size},`
        : `~${Size}`
      : null;

type Features<S, Out extends string> =
  Reversed<S> extends `${string},${infer Leading}` ? `${Reversed<Leading> & string}${Out},` : `~${Out}`;

/** Why a layer, or the first of several that does, refuses a tensor. */
export type PassProblem<Rule, S, Type> = Rule extends `same|${infer Rest}`
  ? PassProblem<Rest, S, Type>
  : Rule extends `${infer First}|${infer Rest}`
    ? FirstOf<LayerProblem<First, S, Type>, PassProblem<Rest, After<First, S>, DTypeAfter<`${First}|`, Type>>>
    : Fine;

/** The same without a tensor: of layers that cannot follow one another. */
export type ChainProblem<Rule> = PassProblem<Rule, null, DType>;

type LayerProblem<Rule, S, Type> = Rule extends `linear;${infer In};${infer Out}`
  ? FeaturesProblem<S, In, Out>
  : Rule extends `window;${infer In};${infer Out};${infer Window}`
    ? ChannelsProblem<S, In, Out, Window>
    : Rule extends `embedding;${string}`
      ? IndexSentence<"Embedding", S, Type>
      : Fine;

type FeaturesProblem<S, In extends string, Out extends string> = S extends Dimensioned
  ? LastProblem<S, Last<S>, In, Out>
  : S extends `~${infer Features}`
    ? AfterProblem<Features, In, Out>
    : Fine;

type Last<S> = Reversed<S> extends `${infer Size},${string}` ? Size : "?";

type LastProblem<
  S,
  Features,
  In extends string,
  Out extends string,
  May = MayEqual<Features, In>,
> = May extends true
  ? Fine
  : `Linear(${In}, ${Out}): the input's last dimension must be ${In}, got ${Features & string} in shape ${ShapeText<S>}`;

type AfterProblem<
  Features extends string,
  In extends string,
  Out extends string,
  May = MayEqual<Features, In>,
> = May extends true
  ? Fine
  : `Linear(${In}, ${Out}): the input's last dimension must be ${In}, and the layer before gives ${Features}`;

/** The channels stand before as many sizes as the window has. "-" of a window that takes any. */
type ChannelsProblem<S, In extends string, Out extends string, Window> = In extends "-"
  ? Fine
  : S extends Dimensioned
    ? ChannelProblem<S, Channels<Reversed<S>, Window>, In, Out, Named<Window>>
    : Fine;

type Named<Window> = Window extends `${string},${string};${string}` ? "Conv2d" : "Conv1d";

type Channels<Back, Window> = Window extends `${string},${string};${string}`
  ? Back extends `${string},${string},${infer Size},${string}`
    ? Size
    : "?"
  : Back extends `${string},${infer Size},${string}`
    ? Size
    : "?";

type ChannelProblem<
  S,
  Given extends string,
  In extends string,
  Out extends string,
  Name extends string,
  May = MayEqual<Given, In>,
> = May extends true
  ? Fine
  : `${Name}(${In}, ${Out}): the input must have ${In} channels, got ${Given} in shape ${ShapeText<S>}`;
