// PyTorch's `F.multi_head_attention_forward`: multi-head attention with the caller's weights. `attention.ts` computes
// it; `nn.MultiheadAttention` is the layer with its own weights.
import { checkOptionalTensor } from "../../tensor/tensor_arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkOptions, describe, shapeText } from "../../vocabulary/arguments.ts";
import { boolean, checkedLater, number, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import {
  type AttentionMasks,
  type AttentionSettings,
  type AttentionWeights,
  multiHeadAttentionForward as attend,
} from "./attention.ts";

/** `outProjWeight`, and either `inProjWeight` or one weight each for queries, keys and values. */
export type MultiHeadWeights = Partial<AttentionWeights> & Pick<AttentionWeights, "outProjWeight">;

export interface MultiHeadOptions extends AttentionMasks {
  /** Probability to drop an attention weight. Default: 0. */
  readonly dropout?: number;
  /** Whether weights are dropped. Default: true. */
  readonly training?: boolean;
  /** Whether to give the weights too. Default: true. */
  readonly needWeights?: boolean;
  /** The mean of the heads' weights, and not each. Default: true. */
  readonly averageAttnWeights?: boolean;
  /** Adds a key and a value of zeros. Default: false. */
  readonly addZeroAttn?: boolean;
}

const RULES = {
  keyPaddingMask: checkedLater<Tensor | null>(null),
  attnMask: checkedLater<Tensor | null>(null),
  isCausal: boolean(false),
  dropout: number(0, { min: 0, max: 1 }),
  training: boolean(true),
  needWeights: boolean(true),
  averageAttnWeights: boolean(true),
  addZeroAttn: boolean(false),
} satisfies OpenRules<MultiHeadOptions>;

const WEIGHTS = [
  "inProjWeight",
  "qProjWeight",
  "kProjWeight",
  "vProjWeight",
  "inProjBias",
  "biasK",
  "biasV",
  "outProjWeight",
  "outProjBias",
] as const;

/**
 * `[output, weights]` of query [target, batch, size], key and value [source, batch, ...] with `numHeads` heads. The
 * weights are `[batch, target, source]`, or null with `needWeights: false`, which runs one fused operator.
 */
export function multiHeadAttentionForward(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  numHeads: number,
  weights: MultiHeadWeights,
  options?: MultiHeadOptions,
): [output: Tensor, weights: Tensor | null] {
  const call = "multiHeadAttentionForward";
  const inputs = [query, key, value];
  for (const input of inputs) {
    if (!native.isTensor(input)) throw new TypeError(`${call}: expected a tensor, got ${describe(input)}.`);
  }
  const shapes = inputs.map((input) => native.shape(input));
  if (shapes.some(({ length }) => length !== 3) || new Set(shapes.map(([, batch]) => batch)).size !== 1) {
    throw new RangeError(
      `${call}: query, key and value must be [length, batch, size], got shapes ${shapes.map(shapeText).join(", ")}.`,
    );
  }
  checkInteger(call, "numHeads", numHeads, 1);
  const size = shapes[0]![2]!;
  if (size % numHeads !== 0)
    throw new RangeError(
      `${call}: the query's size must be a multiple of numHeads, got ${size} and ${numHeads}.`,
    );
  const given = checkOptions<MultiHeadWeights>(call, weights, WEIGHTS);
  for (const [name, weight] of Object.entries(given)) checkOptionalTensor(call, name, weight);
  const separate = given.qProjWeight && given.kProjWeight && given.vProjWeight;
  if (!given.outProjWeight || !(given.inProjWeight || separate)) {
    throw new TypeError(
      `${call}: the weights must have outProjWeight, and inProjWeight or qProjWeight, kProjWeight and vProjWeight.`,
    );
  }
  const all = Object.fromEntries(
    WEIGHTS.map((name) => [name, given[name] ?? null]),
  ) as unknown as AttentionWeights;
  return attend(call, query, key, value, all, readSettings(call, numHeads, options));
}

function readSettings(
  call: string,
  numHeads: number,
  options: MultiHeadOptions | undefined,
): AttentionSettings {
  return { numHeads, ...readOptions(call, options, RULES) };
}
