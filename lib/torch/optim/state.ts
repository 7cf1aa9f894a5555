// Optimizer state dicts in PyTorch's form: parameters are numbered in the order of the groups, under PyTorch's names.
// So PyTorch's optimizers continue from our state, and ours from theirs.
import { getDefaultDtype } from "../tensor/default_dtype.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { describe, isRecord } from "../vocabulary/arguments.ts";
import { camelCase, snakeCase } from "../vocabulary/spelling.ts";
import { passInstead } from "../vocabulary/nested_state.ts";
import { restoreScheduleValues, scheduleValues } from "./schedule_values.ts";

/** A group with its options under PyTorch's names, and its parameters as numbers. */
type PackedGroup = Record<string, unknown> & { readonly params: readonly number[] };

/** `{ state: { 0: { step, exp_avg, ... } }, param_groups: [{ lr, weight_decay, ..., params: [0] }] }`. */
export interface OptimizerStateDict {
  /** The state of each parameter by its number. A step may be a plain number; L-BFGS has lists of tensors. */
  readonly state: Record<number, Record<string, Tensor | number | readonly Tensor[]>>;
  readonly param_groups: readonly PackedGroup[];
}

type Groups = readonly { readonly params: readonly Tensor[] }[];

/** Names of options that PyTorch does not spell as ours. */
const OPTION_KEYS: Readonly<Record<string, string>> = { adjustLr: "adjust_lr_fn", lambda: "lambd" };

const optionKey = (name: string): string => OPTION_KEYS[name] ?? snakeCase(name);

export function packState(
  groups: Groups,
  state: ReadonlyMap<Tensor, Record<string, Tensor>>,
): OptimizerStateDict {
  const numbers = new Map(
    groups.flatMap((group) => group.params).map((parameter, number) => [parameter, number]),
  );
  const packed: Record<number, Record<string, Tensor>> = {};
  for (const [parameter, tensors] of state) {
    packed[numbers.get(parameter)!] = Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => [snakeCase(name), tensor]),
    );
  }
  return { state: packed, param_groups: groups.map((group) => packGroup(group, numbers)) };
}

function packGroup(group: Groups[number], numbers: ReadonlyMap<Tensor, number>): PackedGroup {
  const { params, ...options } = group;
  const packed = Object.entries(options).map(([name, value]: [string, unknown]) => [
    optionKey(name),
    typeof value === "string" ? snakeCase(value) : structuredClone(value),
  ]);
  return {
    ...(Object.fromEntries(packed) as Record<string, unknown>),
    ...scheduleValues(group),
    params: params.map((parameter) => numbers.get(parameter)!),
  };
}

/** A state dict taken apart, checked, and not yet in use. */
interface Unpacked {
  readonly state: Map<Tensor, Record<string, Tensor>>;
  readonly options: Record<string, unknown>[];
  /** Gives each group the values that schedules had kept for it. */
  readonly restoreSchedules: () => void;
}

/** An optimizer's description of its state. */
interface Kinds {
  /** Names of what has a shape of its own. */
  readonly freeState: ReadonlySet<string>;
  /** Whether steps are counted in float32 beside the parameters, as fused kernels want it, and not on the CPU. */
  readonly countsOnDevice: boolean;
}

/** Copies of the saved tensors on each parameter's device, and the saved options of each group. */
export function unpackState(
  call: string,
  groups: Groups,
  saved: OptimizerStateDict,
  optionNames: readonly string[],
  kinds: Kinds,
): Unpacked {
  const isGroup = (group: unknown) => isRecord(group) && Array.isArray(group["params"]);
  const packed = saved?.param_groups;
  if (!Array.isArray(packed) || !packed.every(isGroup) || !isRecord(saved.state)) {
    throw new TypeError(
      `${call}: expected { state, param_groups } as stateDict() gives, got ${describe(saved)}.${passInstead(saved, (value) => Array.isArray(value["param_groups"]))}`,
    );
  }
  const sizes = (list: readonly { readonly params: readonly unknown[] }[]) =>
    list.map((g) => g.params.length).join(", ");
  if (sizes(packed as PackedGroup[]) !== sizes(groups)) {
    throw new RangeError(
      `${call}: the state has groups of ${sizes(packed as PackedGroup[])} parameters, the optimizer of ${sizes(groups)}. Nothing was loaded.`,
    );
  }
  const byNumber = new Map<number, Tensor>();
  for (const [index, group] of saved.param_groups.entries()) {
    for (const [position, number] of group.params.entries())
      byNumber.set(number, groups[index]!.params[position]!);
  }
  const state = new Map<Tensor, Record<string, Tensor>>();
  for (const [number, tensors] of Object.entries(saved.state)) {
    const parameter = byNumber.get(Number(number));
    if (!parameter)
      throw new RangeError(`${call}: the state has a parameter ${number} that is in none of its groups.`);
    const copies: Record<string, Tensor> = {};
    for (const [key, value] of Object.entries(tensors))
      copies[camelCase(key)] = copyFor(call, parameter, key, value, kinds);
    state.set(parameter, copies);
  }
  return {
    state,
    options: saved.param_groups.map((group) => savedOptions(call, group, optionNames)),
    restoreSchedules: () => {
      for (const [index, group] of saved.param_groups.entries()) restoreScheduleValues(groups[index]!, group);
    },
  };
}

/** Options of ours under our names; what PyTorch keeps beside them (`foreach`, `fused`) says how it computes, not what. */
function savedOptions(call: string, group: PackedGroup, names: readonly string[]): Record<string, unknown> {
  const missing = names.map(optionKey).find((key) => !Object.hasOwn(group, key));
  if (missing !== undefined) {
    throw new TypeError(
      `${call}: the groups of the state have no "${missing}"; it is another optimizer's. Nothing was loaded.`,
    );
  }
  const options = names.map((name) => {
    const value = group[optionKey(name)];
    return [name, typeof value === "string" ? camelCase(value) : structuredClone(value)];
  });
  return Object.fromEntries(options) as Record<string, unknown>;
}

function kept(tensor: Tensor): Tensor {
  native.keep(tensor);
  return tensor;
}

/**
 * A count of steps, a factor: on the CPU, where reading it waits for no device, in the dtype that
 * torch/optim/optimizer.py's _get_scalar_dtype says, whatever the default: float16 counts to 2048.
 */
export function stateNumber(value = 0): Tensor {
  const dtype = getDefaultDtype() === "float64" ? "float64" : "float32";
  return torchFunctions.zeros([], { device: "cpu", dtype }).fill_(value);
}

/**
 * Copies one saved value. A value with a shape of its own keeps its dtype. Every other value takes the parameter's
 * dtype and must have its shape.
 */
function copyFor(
  call: string,
  parameter: Tensor,
  key: string,
  value: unknown,
  { freeState, countsOnDevice }: Kinds,
): Tensor {
  const isStep = key === "step" && typeof value === "number";
  const tensor = isStep ? native.fromTypedArray(Float32Array.of(value), [], "float32") : value;
  if (!native.isTensor(tensor))
    throw new TypeError(`${call}: ${key} must be a tensor, got ${describe(tensor)}.`);
  const device = native.device(parameter);
  if (key === "step")
    return kept(
      tensor.to({ ...(countsOnDevice ? { device, dtype: "float32" } : { device: "cpu" }), copy: true }),
    );
  // A single number is computed with on the CPU.
  if (freeState.has(camelCase(key)))
    return kept(tensor.to({ ...(native.dim(tensor) > 0 && { device }), copy: true }));
  const [own, given] = [native.shape(parameter).join(", "), native.shape(tensor).join(", ")];
  if (own !== given) {
    throw new RangeError(
      `${call}: ${key} is [${given}] in the state, its parameter is [${own}]. Nothing was loaded.`,
    );
  }
  return kept(tensor.to({ device, dtype: native.dtype(parameter), copy: true }));
}
