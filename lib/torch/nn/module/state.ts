// State dicts: a module's persistent tensors under PyTorch's keys, so that PyTorch's checkpoints fit. `serialize/`
// writes them to files.
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { describe, isRecord, shapeText } from "../../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { replaceData } from "../../autograd/replace_data.ts";
import { stateAdvice } from "./state_advice.ts";
import { isUninitialized, materialize } from "./uninitialized.ts";

export type StateDict = Record<string, Tensor>;

/** A parameter or buffer and where it stands: `encoder.layers.0.weight`. */
export interface OwnedTensor {
  readonly path: string;
  /** The same in PyTorch's spelling: `norm.running_mean`. */
  readonly key: string;
  readonly tensor: Tensor;
}

export interface LoadOptions {
  /** Whether missing and unexpected keys are errors. Default: true. Shapes must always fit, and one key at least. */
  readonly strict?: boolean;
  /** Takes the state's own memory, dtype and device in place of copying its values. Default: false. */
  readonly assign?: boolean;
}

const LOAD_RULES: Rules<LoadOptions> = { strict: boolean(true), assign: boolean(false) };

export interface LoadResult {
  readonly missingKeys: string[];
  readonly unexpectedKeys: string[];
}

export function stateOf(owned: Iterable<OwnedTensor>): StateDict {
  const state: StateDict = {};
  for (const { key, tensor } of owned) state[key] = tensor.detach();
  return state;
}

function keyList(keys: readonly string[]): string {
  const shown = keys.slice(0, 8).map((key) => JSON.stringify(key));
  return keys.length > 8 ? `${shown.join(", ")} and ${keys.length - 8} more` : shown.join(", ");
}

/** Options of loading, and what opens its errors. */
export function readLoading(className: string, state: StateDict, options: LoadOptions | undefined) {
  const call = `loadStateDict of ${className}`;
  const { strict, assign } = readOptions<LoadOptions>(call, options, LOAD_RULES);
  const isModule = typeof (state as { stateDict?: unknown } | null)?.stateDict === "function";
  if (isModule || !isRecord(state)) {
    const got = isModule ? `a ${state.constructor.name}: pass its stateDict()` : describe(state);
    throw new TypeError(`${call}: expected an object of tensors by path, got ${got}.`);
  }
  return { call, strict, assign };
}

export function keyProblems(missingKeys: readonly string[], unexpectedKeys: readonly string[]): string[] {
  return [
    ...(missingKeys.length > 0 ? [`the state has no ${keyList(missingKeys)}`] : []),
    ...(unexpectedKeys.length > 0 ? [`the module has no ${keyList(unexpectedKeys)}`] : []),
  ];
}

/** The problem of a load that is not strict, and found none of the module's tensors. */
export function nothingLoaded(ownTensors: number): string[] {
  return ownTensors === 0 ? [] : [`the state has none of the module's ${ownTensors} tensors`];
}

/** Why a tensor of the module cannot take a value of the state; null where it can. */
export function mismatchOf(call: string, key: string, tensor: Tensor, given: unknown): string | null {
  if (!native.isTensor(given))
    throw new TypeError(`${call}: "${key}" must be a tensor, got ${describe(given)}.`);
  const [own, other] = [shapeText(native.shape(tensor)), shapeText(native.shape(given))];
  return own === other || isUninitialized(tensor)
    ? null
    : `"${key}" is ${other} in the state and ${own} in the module`;
}

export function copyInto(tensor: Tensor, given: Tensor, assign: boolean): void {
  noGrad(() => {
    if (isUninitialized(tensor)) materialize(tensor, native.shape(given));
    if (!assign) {
      tensor.copy_(given);
      return;
    }
    // What is assigned was not differentiated yet, and may have another dtype than its gradient.
    native.setGrad(tensor, null);
    replaceData(tensor, given);
  });
}

/** All of the values, or none if they do not fit. */
export function loadState(
  className: string,
  owned: readonly OwnedTensor[],
  state: StateDict,
  options?: LoadOptions,
): LoadResult {
  const { call, strict, assign } = readLoading(className, state, options);
  const own = new Map(owned.map(({ key, tensor }) => [key, tensor]));
  const missingKeys = [...own.keys()].filter((key) => !Object.hasOwn(state, key));
  const unexpectedKeys = Object.keys(state).filter((key) => !own.has(key));
  const problems = strict ? keyProblems(missingKeys, unexpectedKeys) : [];
  const fitting = [...own].filter(([key]) => Object.hasOwn(state, key));
  if (!strict && fitting.length === 0) problems.push(...nothingLoaded(own.size));
  let way =
    (missingKeys.length + unexpectedKeys.length > 0 && stateAdvice(state, [...own.keys()])) ||
    "Pass { strict: false } to load the keys that both have.";
  for (const [key, tensor] of fitting) {
    const problem = mismatchOf(call, key, tensor, state[key]);
    if (problem === null) continue;
    problems.push(problem);
    way = "Build the module with the sizes that the state was saved with.";
  }
  if (problems.length > 0)
    throw new RangeError(`${call}: ${problems.join("; ")}. Nothing was loaded. ${way}`);
  for (const [key, tensor] of fitting) copyInto(tensor, state[key]!, assign);
  return { missingKeys, unexpectedKeys };
}
