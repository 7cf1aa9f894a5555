// Calls a module with other parameters and buffers than its own (`torch/_functorch/functional_call.py`). The module's
// tensors stand for the given ones while it runs, wherever it keeps them.
import { observeCells } from "../../session.ts";
import { native, whenLoaded } from "../engine/native.ts";
import { Module } from "../nn/module/module.ts";
import { requireModule } from "../nn/module/require_module.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { checkBoolean, describe, isRecord } from "../vocabulary/arguments.ts";
import { boolean, nullable, readOptions, type Rules } from "../vocabulary/options.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import type { Structure } from "./function_types.ts";

/** Tensors by their paths in a module: `{ "fc.weight": tensor }`. */
export type NamedTensors = Readonly<Record<string, Tensor>>;

export interface FunctionalCallOptions {
  /** The options of the model's forward, which become its last argument. Default: null, none. */
  readonly kwargs?: object | null;
  /** Whether every parameter and buffer of the module must be given. Default: false. */
  readonly strict?: boolean;
  /** Whether a tensor that two layers share is given once; nothing else can be asked for. Default: true. */
  readonly tieWeights?: boolean;
}

const RULES: Rules<FunctionalCallOptions> = {
  kwargs: nullable<object>({
    fallback: {},
    check(call, name, value) {
      if (isRecord(value)) return value;
      throw new TypeError(`${call}: ${name} must be an object of options, got ${describe(value)}.`);
    },
  }),
  strict: boolean(false),
  tieWeights: {
    fallback: true,
    check(call, name, value) {
      if (checkBoolean(call, name, value)) return true;
      throw new RangeError(
        `${call}: ${name} is true always: layers that share a tensor share the given one.`,
      );
    },
  },
};

/** The tensors that stand for others now, and those that they stand for, the last ones last. */
const substituted: { readonly own: Tensor; readonly former: Tensor }[] = [];

function restore(count: number): void {
  for (const { own, former } of substituted.splice(count).toReversed()) native.substitute(own, former);
}

// No `finally` runs in a cell that Stop ended.
whenLoaded(() => observeCells({ cellEnded: () => restore(0) }));

function ownTensors(module: Module): Map<string, Tensor> {
  const all = { removeDuplicate: false };
  return new Map<string, Tensor>([...module.namedParameters(all), ...module.namedBuffers(all)]);
}

function checked(call: string, given: unknown): [string, Tensor][] {
  const sets: readonly unknown[] = Array.isArray(given) ? given : [given];
  return sets.flatMap((set) => {
    if (!isRecord(set) || native.isTensor(set))
      throw new TypeError(
        `${call}: the tensors must be an object of names and tensors, got ${describe(set)}.`,
      );
    return Object.entries(set).map(([name, tensor]): [string, Tensor] => [
      name,
      checkTensor(call, name, tensor),
    ]);
  });
}

/**
 * `torch.func.functionalCall(model, tensors, inputs)`: what the model gives with these parameters and buffers, by their
 * paths, in the places of its own; those that are not named stay. The model is as before when it returns.
 *
 * @param tensors one object, or a list of them: `[parameters, buffers]`
 * @param inputs a list of the model's arguments, or its only argument
 * @throws RangeError for a name that the module has not
 */
export function functionalCall(
  module: Module,
  tensors: NamedTensors | readonly NamedTensors[],
  inputs: unknown,
  options?: FunctionalCallOptions,
): Structure {
  const call = "torch.func.functionalCall";
  requireModule(call, module);
  const { strict, kwargs } = readOptions<FunctionalCallOptions>(call, options, RULES);
  const own = ownTensors(module);
  const given = checked(call, tensors);
  for (const [name] of given) {
    if (!own.has(name))
      throw new RangeError(
        `${call}: ${module.constructor.name} has no parameter or buffer ${JSON.stringify(name)}; it has ${[...own.keys()].slice(0, 8).join(", ")}.`,
      );
  }
  const names = new Set(given.map(([name]) => name));
  const missing = strict ? [...own.keys()].filter((name) => !names.has(name)) : [];
  if (missing.length > 0)
    throw new RangeError(`${call}: with strict, ${missing.join(", ")} must be given too.`);
  const before = substituted.length;
  try {
    for (const [name, tensor] of given) {
      const place = own.get(name)!;
      substituted.push({ own: place, former: native.substitute(place, tensor) });
    }
    const list: readonly unknown[] = Array.isArray(inputs) ? inputs : [inputs];
    return requireFinished(
      call,
      module(...list, ...(kwargs === null ? [] : [kwargs])),
      "the module has its own tensors again when it returns: await outside of it.",
    );
  } finally {
    restore(before);
  }
}

/**
 * `const [parameters, buffers] = torch.func.stackModuleState(models)`: the tensors of several models of one kind, stacked
 * along a new first dimension, for `vmap` over all models at once.
 */
export function stackModuleState(
  models: readonly Module[],
): [parameters: Record<string, Tensor>, buffers: Record<string, Tensor>] {
  const call = "torch.func.stackModuleState";
  if (!Array.isArray(models) || models.length === 0)
    throw new TypeError(`${call}: expected a list of modules, got ${describe(models)}.`);
  for (const model of models) requireModule(call, model);
  const other = models.find((model) => model.constructor !== models[0]!.constructor);
  if (other !== undefined)
    throw new TypeError(
      `${call}: the modules must be of one class, got ${models[0]!.constructor.name} and ${other.constructor.name}.`,
    );
  const stack = (kind: "namedParameters" | "namedBuffers"): Record<string, Tensor> => {
    const each = models.map((model: Module) => new Map<string, Tensor>(model[kind]()));
    return Object.fromEntries(
      [...each[0]!.keys()].map((name) => {
        const tensors = each.map((all) => all.get(name)!);
        const stacked = torchFunctions.stack(tensors.map((tensor) => tensor.detach()));
        return [name, native.requiresGrad(tensors[0]!) ? stacked.requiresGrad_() : stacked];
      }),
    );
  };
  return [stack("namedParameters"), stack("namedBuffers")];
}
