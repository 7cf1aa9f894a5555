// Optimizer state dicts: parameters become numbers in the order of the groups, as PyTorch writes them. It knows no
// optimizer's arithmetic.
import { native } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { describe, isRecord } from "../arguments.ts";

/** A group with its options, and its parameters as numbers. */
type PackedGroup = Record<string, unknown> & { readonly params: number[] };

export interface OptimizerStateDict {
  /** By parameter number. */
  readonly state: Record<number, Record<string, Tensor>>;
  readonly paramGroups: PackedGroup[];
}

type Groups = readonly { readonly params: readonly Tensor[] }[];

export function packState(
  groups: Groups,
  state: ReadonlyMap<Tensor, Record<string, Tensor>>,
): OptimizerStateDict {
  const numbers = new Map(
    groups.flatMap((group) => group.params).map((parameter, number) => [parameter, number]),
  );
  const packed: Record<number, Record<string, Tensor>> = {};
  for (const [parameter, tensors] of state) packed[numbers.get(parameter)!] = { ...tensors };
  return {
    state: packed,
    paramGroups: groups.map(({ params, ...options }) => ({
      ...structuredClone(options),
      params: params.map((parameter) => numbers.get(parameter)!),
    })),
  };
}

/** Copies of the saved tensors on each parameter's device, and the saved options of each group. */
export function unpackState(
  call: string,
  groups: Groups,
  saved: OptimizerStateDict,
  optionNames: readonly string[],
  freeState: ReadonlySet<string>,
): { readonly state: Map<Tensor, Record<string, Tensor>>; readonly options: Record<string, unknown>[] } {
  const isGroup = (group: unknown) => isRecord(group) && Array.isArray(group["params"]);
  if (!Array.isArray(saved?.paramGroups) || !saved.paramGroups.every(isGroup) || !isRecord(saved.state)) {
    throw new TypeError(
      `${call}: expected { state, paramGroups } as stateDict() gives, got ${describe(saved)}.`,
    );
  }
  const sizes = (list: readonly { readonly params: readonly unknown[] }[]) =>
    list.map((g) => g.params.length).join(", ");
  if (sizes(saved.paramGroups) !== sizes(groups)) {
    throw new RangeError(
      `${call}: the state has groups of ${sizes(saved.paramGroups)} parameters, the optimizer of ${sizes(groups)}. Nothing was loaded.`,
    );
  }
  const byNumber = new Map<number, Tensor>();
  for (const [index, group] of saved.paramGroups.entries()) {
    for (const [position, number] of group.params.entries())
      byNumber.set(number, groups[index]!.params[position]!);
  }
  const state = new Map<Tensor, Record<string, Tensor>>();
  for (const [number, tensors] of Object.entries(saved.state)) {
    const parameter = byNumber.get(Number(number));
    if (!parameter)
      throw new RangeError(`${call}: the state has a parameter ${number} that is in none of its groups.`);
    const copies: Record<string, Tensor> = {};
    for (const [key, tensor] of Object.entries(tensors))
      copies[key] = copyFor(call, parameter, key, tensor, freeState);
    state.set(parameter, copies);
  }
  return { state, options: saved.paramGroups.map((group) => savedOptions(call, group, optionNames)) };
}

function savedOptions(call: string, group: PackedGroup, names: readonly string[]): Record<string, unknown> {
  const missing = names.find((name) => !Object.hasOwn(group, name));
  if (missing !== undefined) {
    throw new TypeError(
      `${call}: the groups of the state have no "${missing}"; it is another optimizer's. Nothing was loaded.`,
    );
  }
  return structuredClone(Object.fromEntries(names.map((name) => [name, group[name]])));
}

function kept(tensor: Tensor): Tensor {
  native.keep(tensor);
  return tensor;
}

/** What has a shape of its own keeps its dtype; everything else takes the parameter's, and must have its shape. */
function copyFor(
  call: string,
  parameter: Tensor,
  key: string,
  tensor: Tensor,
  freeState: ReadonlySet<string>,
): Tensor {
  if (!native.isTensor(tensor))
    throw new TypeError(`${call}: ${key} must be a tensor, got ${describe(tensor)}.`);
  const device = native.device(parameter);
  if (key === "step") return kept(tensor.to({ device, dtype: "float32", copy: true }));
  if (freeState.has(key)) return kept(tensor.to({ copy: true }));
  const [own, given] = [native.shape(parameter).join(", "), native.shape(tensor).join(", ")];
  if (own !== given) {
    throw new RangeError(
      `${call}: ${key} is [${given}] in the state, its parameter is [${own}]. Nothing was loaded.`,
    );
  }
  return kept(tensor.to({ device, dtype: native.dtype(parameter), copy: true }));
}
