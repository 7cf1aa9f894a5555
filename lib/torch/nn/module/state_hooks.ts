// Hooks of a module that run before and after its state is saved to a state dict or loaded from one.
// Source: torch/nn/modules/module.py.
import { describe, requireFunction } from "../../vocabulary/arguments.ts";
import type { HookHandle } from "../../autograd/autograd.ts";
import { slotOf } from "./hooks.ts";
import type { StateHooks, StateMetadata } from "./state_hook_types.ts";
import {
  copyInto,
  keyProblems,
  type LoadOptions,
  type LoadResult,
  mismatchOf,
  nothingLoaded,
  type OwnedTensor,
  readLoading,
  type StateDict,
  stateOf,
} from "./state.ts";
import { stateAdvice } from "./state_advice.ts";

const NO_METADATA: StateMetadata = Object.freeze({});

export function addStateHook(
  module: object,
  kind: keyof StateHooks,
  name: string,
  hook: unknown,
): HookHandle {
  const call = `${module.constructor.name}.${name}`;
  requireFunction(call, hook);
  const list = (slotOf(module).state ??= { save: [], saved: [], load: [], loaded: [] })[kind] as unknown[];
  const run = hook as (...args: unknown[]) => unknown;
  // A function registered twice runs twice, and each handle removes its own.
  const own = (...args: unknown[]): void => {
    const returned = run(...args);
    if (typeof returned === "object" && returned !== null)
      throw new TypeError(
        `${call}: the hook must change what it is given in place and return nothing, but it returned ${describe(returned)}.`,
      );
  };
  list.push(own);
  return {
    remove() {
      const at = list.indexOf(own);
      if (at >= 0) list.splice(at, 1);
    },
  };
}

/** A module, what it owns itself, and the modules inside. */
export interface StateTree {
  readonly module: object;
  readonly prefix: string;
  readonly owned: readonly OwnedTensor[];
  readonly children: readonly StateTree[];
}

const hooksOf = ({ module }: Pick<StateTree, "module">) => slotOf(module).state;

export function hasStateHooks(module: object): boolean {
  return slotOf(module).state !== null;
}

/**
 * Builds a state dict with hooks. A module's save hooks run before its own tensors are added. Its other hooks run after
 * the tensors of all modules inside it.
 */
export function hookedState(tree: StateTree, state: StateDict = {}): StateDict {
  const self = tree.module as never;
  for (const hook of [...(hooksOf(tree)?.save ?? [])]) hook(self, tree.prefix, false);
  Object.assign(state, stateOf(tree.owned));
  for (const child of tree.children) hookedState(child, state);
  for (const hook of [...(hooksOf(tree)?.saved ?? [])]) hook(self, state, tree.prefix, NO_METADATA);
  return state;
}

/**
 * Module by module, as PyTorch loads: what runs after a module finds its values there. So an error leaves those that fit
 * loaded.
 */
export function loadHooked(
  className: string,
  tree: StateTree,
  given: StateDict,
  options: LoadOptions | undefined,
): LoadResult {
  const { call, strict, assign } = readLoading(className, given, options);
  const missingKeys: string[] = [];
  const unexpectedKeys: string[] = [];
  const errors: string[] = [];
  const ownKeys: string[] = [];
  let loaded = 0;
  const load = ({ owned, children, ...node }: StateTree, state: StateDict): void => {
    const self = node.module as never;
    const hooks = hooksOf(node);
    for (const hook of [...(hooks?.load ?? [])])
      hook(self, state, node.prefix, NO_METADATA, strict, missingKeys, unexpectedKeys, errors);
    const own = new Set(owned.map(({ key }) => key));
    for (const { key, tensor } of owned) {
      ownKeys.push(key);
      if (!Object.hasOwn(state, key)) missingKeys.push(key);
      else {
        const problem = mismatchOf(call, key, tensor, state[key]);
        if (problem === null) {
          copyInto(tensor, state[key]!, assign);
          loaded++;
        } else errors.push(problem);
      }
    }
    const isBelow = (key: string) => children.some(({ prefix }) => key.startsWith(prefix));
    unexpectedKeys.push(...Object.keys(state).filter((key) => !own.has(key) && !isBelow(key)));
    for (const child of children) {
      const below = Object.entries(state).filter(([key]) => key.startsWith(child.prefix));
      load(child, Object.fromEntries(below));
    }
    for (const hook of [...(hooks?.loaded ?? [])]) hook(self, { missingKeys, unexpectedKeys });
  };
  load(tree, { ...given });
  const problems = [...(strict ? keyProblems(missingKeys, unexpectedKeys) : []), ...errors];
  // A hook that loads by itself takes its keys from the list.
  if (!strict && loaded === 0 && missingKeys.length > 0) problems.push(...nothingLoaded(ownKeys.length));
  if (problems.length > 0) {
    const differ = missingKeys.length + unexpectedKeys.length > 0;
    const advice = differ ? stateAdvice(given, ownKeys) : "";
    throw new RangeError(
      `${call}: ${problems.join("; ")}. What fits was loaded, since hooks of the module are to see it. ` +
        (advice || "A hook of registerLoadStateDictPreHook may rename keys."),
    );
  }
  return { missingKeys, unexpectedKeys };
}
