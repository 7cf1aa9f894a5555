// Dropout functions. They draw from the session's generator, as PyTorch does.
import { checkBoolean, checkNumber } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkTensor } from "../../tensor/tensor_arguments.ts";

function checked(call: string, p: number, training: boolean): void {
  checkNumber(call, "p", p, { min: 0, max: 1 });
  checkBoolean(call, "training", training);
}

/** Sets elements to zero with probability `p` and scales the rest by 1 / (1 - p); the input itself unless `training`. */
export function dropout(input: Tensor, p = 0.5, training = true): Tensor {
  checked("dropout", p, training);
  return torchFunctions.dropout(input, p, training);
}

/** Drops whole channels: the first two dimensions choose, the others follow. */
export function featureDropout(input: Tensor, p = 0.5, training = true): Tensor {
  checked("featureDropout", p, training);
  return torchFunctions.featureDropout(input, p, training);
}

/** `itemDims`: how many dimensions one item without a batch has. */
function dropChannels(call: string, itemDims: number, input: Tensor, p: number, training: boolean): Tensor {
  checked(call, p, training);
  if (native.dim(checkTensor(call, "input", input)) !== itemDims)
    return torchFunctions.featureDropout(input, p, training);
  return torchFunctions.featureDropout(input.unsqueeze(0), p, training).squeeze(0);
}

/** Drops whole channels of [batch, channels, length] or [channels, length]. */
export function dropout1d(input: Tensor, p = 0.5, training = true): Tensor {
  return dropChannels("dropout1d", 2, input, p, training);
}

/** Drops whole channels of [batch, channels, depth, height, width], or of that without a batch. */
export function dropout3d(input: Tensor, p = 0.5, training = true): Tensor {
  return dropChannels("dropout3d", 4, input, p, training);
}

/** Dropout that keeps mean and variance of what SELU gives (Klambauer et al., 2017). `training` is false by default. */
export function alphaDropout(input: Tensor, p = 0.5, training = false): Tensor {
  checked("alphaDropout", p, training);
  return torchFunctions.alphaDropout(input, p, training);
}

/** `alphaDropout` of whole channels: the first two dimensions choose, the others follow. */
export function featureAlphaDropout(input: Tensor, p = 0.5, training = false): Tensor {
  checked("featureAlphaDropout", p, training);
  return torchFunctions.featureAlphaDropout(input, p, training);
}
