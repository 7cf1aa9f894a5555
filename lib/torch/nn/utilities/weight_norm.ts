// PyTorch's older weight normalization, whose names of parameters older checkpoints have: `weight_g` and `weight_v`.
// `parametrizations.ts` has the newer one. Source: torch/nn/utils/weight_norm.py.
import { noGrad } from "../../autograd/autograd.ts";
import { makeOperator, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, checkText } from "../../vocabulary/arguments.ts";
import { optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { checkedLater, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { setField } from "../module/members.ts";
import type { Module } from "../module/module.ts";
import { Parameter } from "../module/parameter.ts";
import { requireModule } from "../module/require_module.ts";
import { markedOf } from "./marked.ts";

export interface WeightNormOptions {
  /** The field of the tensor. Default: "weight". */
  readonly name?: string;
  /** The dimension along which each index has a length of its own; null for one length over all. Default: 0. */
  readonly dim?: number | null;
}

const RULES = {
  name: checkedLater("weight"),
  dim: checkedLater<number | null>(0),
} satisfies OpenRules<WeightNormOptions>;

/** The direction of `v` times the length `g`. */
export const weightNormOf = makeOperator("_weight_norm") as (v: Tensor, g: Tensor, dim: number) => Tensor;

/** A layer whose weight is computed, by the names of its parts. */
type Computed = Module & Record<string, Tensor>;

const fieldsOf = (name: string) => ({ length: `${name}G`, direction: `${name}V` });

/**
 * `utils.weightNorm(layer)`: `layer.weight` is `weightG`, a length for each index of `dim`, times the direction of `weightV`,
 * each learnt for itself (Salimans and Kingma, arXiv:1602.07868).
 *
 * @throws TypeError where the layer has no such parameter
 */
export function weightNorm<Layer extends Module>(
  module: Layer,
  name?: string | WeightNormOptions,
  dim?: number | null,
): Layer;
export function weightNorm(module: Module, ...given: unknown[]): Module {
  const call = "weightNorm";
  const options = optionsByPlace<WeightNormOptions>(call, ["name", "dim"], given);
  const { name, dim } = readOptions(call, options, RULES);
  checkText(call, "name", name);
  const along = dim === null ? -1 : checkInteger(call, "dim", dim, -Infinity);
  const weight = markedOf(call, module, name);
  const { length, direction } = fieldsOf(name);
  const lengths = noGrad(() => torchFunctions.normExceptDim(weight, 2, along));
  Reflect.deleteProperty(module, name);
  setField(module, length, new Parameter(lengths));
  setField(module, direction, new Parameter(weight.detach()));
  Object.defineProperty(module, name, {
    // It asks the module that it stands on, so that a copy of that has its own.
    get(this: Computed) {
      return weightNormOf(this[direction]!, this[length]!, along);
    },
    enumerable: false,
    configurable: true,
  });
  return module;
}

/** The weight is a parameter again, with the value that it had. */
export function removeWeightNorm<Layer extends Module>(module: Layer, name = "weight"): Layer {
  const call = "removeWeightNorm";
  requireModule(call, module);
  const { length, direction } = fieldsOf(checkText(call, "name", name));
  const owner = module as Layer & Computed;
  if (!(owner[length] instanceof Parameter && owner[direction] instanceof Parameter))
    throw new TypeError(`${call}: ${module.constructor.name}.${name} has no weight normalization.`);
  const value = noGrad(() => owner[name]!.clone());
  for (const field of [name, length, direction]) Reflect.deleteProperty(module, field);
  setField(module, name, new Parameter(value));
  return module;
}
