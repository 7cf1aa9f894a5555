// Drops gradients, or sets them to zero: `zeroGrad` of models and of optimizers.
import { checkBoolean } from "../vocabulary/arguments.ts";
import { argumentsByName } from "../vocabulary/arguments_by_name.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { noGrad } from "./autograd.ts";

export interface ZeroGradOptions {
  /** Frees the gradients' memory; false keeps it, filled with zeros. Default: true. */
  readonly setToNone?: boolean;
}

/** `given` is what the call was given: whether to set gradients to null, by place or by name. */
export function zeroGradients(call: string, parameters: Iterable<Tensor>, given: readonly unknown[]): void {
  const named = argumentsByName<ZeroGradOptions>(call, { places: ["setToNone"] }, given);
  const setToNone = checkBoolean(call, "setToNone", named.setToNone ?? true);
  for (const parameter of parameters) {
    if (setToNone) native.setGrad(parameter, null);
    else zero(parameter);
  }
}

function zero(parameter: Tensor): void {
  const gradient = native.ownGrad(parameter);
  if (!gradient) return;
  // What was recorded of the gradient itself belongs to the step before.
  const left = gradient.detach();
  noGrad(() => left.zero_());
  native.setGrad(parameter, left);
  gradient.dispose();
}
