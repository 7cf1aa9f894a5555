// Dropout functions. They draw from the session's generator, as PyTorch does.
import { checkBoolean, checkNumber } from "../../vocabulary/arguments.ts";
import { argumentsByName } from "../../vocabulary/arguments_by_name.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkTensor } from "../../tensor/tensor_arguments.ts";

export interface DropoutOptions {
  /** The probability of being dropped. Default: 0.5. */
  readonly p?: number;
  /** Whether anything is dropped. Default: true; false of `alphaDropout` and `featureAlphaDropout`, as in PyTorch. */
  readonly training?: boolean;
  /** Overwrites the input with the result, which saves its memory. Default: false. */
  readonly inplace?: boolean;
}

/** `F.dropout(x, 0.5, true)`, `F.dropout(x, 0.5, { training: true })`, `F.dropout(x, { p: 0.5 })`. */
export interface DropoutFunction {
  (input: Tensor, p?: number, training?: boolean, inplace?: boolean): Tensor;
  (input: Tensor, p: number, options: Omit<DropoutOptions, "p">): Tensor;
  (input: Tensor, options: DropoutOptions): Tensor;
}

type Operator = (input: Tensor, p: number, training: boolean) => Tensor;

const FORM = { first: "input", places: ["p", "training", "inplace"] } as const;

/** `itemDims`: how many dimensions one item without a batch has; null where a batch is one dimension like others. */
function dropping(
  call: string,
  [run, runInPlace]: readonly [Operator, Operator],
  trainingByDefault: boolean,
  itemDims: number | null = null,
): DropoutFunction {
  return (input: Tensor, ...given: unknown[]) => {
    const named = argumentsByName<DropoutOptions>(call, FORM, given);
    const { p = 0.5, training = trainingByDefault, inplace = false } = named;
    checkNumber(call, "p", p, { min: 0, max: 1 });
    checkBoolean(call, "training", training);
    const operator = checkBoolean(call, "inplace", inplace) ? runInPlace : run;
    if (checkTensor(call, "input", input).ndim !== itemDims) return operator(input, p, training);
    const dropped = operator(input.unsqueeze(0), p, training);
    return inplace ? input : dropped.squeeze(0);
  };
}

const ELEMENTS = [torchFunctions.dropout, torchFunctions.dropout_] as const;
const CHANNELS = [torchFunctions.featureDropout, torchFunctions.featureDropout_] as const;
const ALPHA = [torchFunctions.alphaDropout, torchFunctions.alphaDropout_] as const;
const ALPHA_CHANNELS = [torchFunctions.featureAlphaDropout, torchFunctions.featureAlphaDropout_] as const;

/** Sets elements to zero with probability `p` and scales the rest by 1 / (1 - p); the input itself unless `training`. */
export const dropout = dropping("dropout", ELEMENTS, true);

/** Drops whole channels: the first two dimensions choose, the others follow. */
export const featureDropout = dropping("featureDropout", CHANNELS, true);

/** Drops whole channels of [batch, channels, length] or [channels, length]. */
export const dropout1d = dropping("dropout1d", CHANNELS, true, 2);

/** Drops whole channels of [batch, channels, depth, height, width], or of that without a batch. */
export const dropout3d = dropping("dropout3d", CHANNELS, true, 4);

/** Dropout that keeps mean and variance of what SELU gives (Klambauer et al., 2017). `training` is false by default. */
export const alphaDropout = dropping("alphaDropout", ALPHA, false);

/** `alphaDropout` of whole channels: the first two dimensions choose, the others follow. */
export const featureAlphaDropout = dropping("featureAlphaDropout", ALPHA_CHANNELS, false);
