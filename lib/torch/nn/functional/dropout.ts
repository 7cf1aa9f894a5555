// Dropout without a layer. It draws from the session's generator, as PyTorch does.
import type { Tensor } from "../../tensor.ts";
import { checkBoolean, checkNumber } from "../../arguments.ts";
import { native } from "../../native.ts";
import { torchFunctions } from "../../operators.ts";

function checked(call: string, p: number, training: boolean): void {
  checkNumber(call, "p", p, { least: 0, most: 1 });
  checkBoolean(call, "training", training);
}

/** Sets elements to zero with probability `p` and scales the rest by 1 / (1 - p). */
export function dropout(input: Tensor, p = 0.5, training = true): Tensor {
  checked("dropout", p, training);
  return torchFunctions.dropout(input, p, training);
}

/** Drops whole channels: the first two dimensions choose, the others follow. */
export function featureDropout(input: Tensor, p = 0.5, training = true): Tensor {
  checked("featureDropout", p, training);
  return torchFunctions.featureDropout(input, p, training);
}

/** Drops whole channels of [batch, channels, length] or [channels, length]. */
export function dropout1d(input: Tensor, p = 0.5, training = true): Tensor {
  checked("dropout1d", p, training);
  if (native.dim(input) !== 2) return torchFunctions.featureDropout(input, p, training);
  return torchFunctions.featureDropout(input.unsqueeze(0), p, training).squeeze(0);
}

/** Dropout that keeps mean and variance of what SELU gives. */
export function alphaDropout(input: Tensor, p = 0.5, training = false): Tensor {
  checked("alphaDropout", p, training);
  return torchFunctions.alphaDropout(input, p, training);
}

/** AlphaDropout of whole channels. */
export function featureAlphaDropout(input: Tensor, p = 0.5, training = false): Tensor {
  checked("featureAlphaDropout", p, training);
  return torchFunctions.featureAlphaDropout(input, p, training);
}
