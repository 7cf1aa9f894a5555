// Declares the types of the hooks that run before and after a module's state is saved or loaded. hooks.ts keeps all hooks
// of a module in one slot; state_hooks.ts runs these.
import type { StateDict } from "./state.ts";

/** The state dicts of this library carry no versions: it is empty. */
export type StateMetadata = Readonly<Record<string, unknown>>;

/** `prefix` is where the module stands, in keys: `"encoder."`, `""` for the one whose `stateDict()` was called. */
export type StateDictPreHook<Module> = (module: Module, prefix: string, keepVars: boolean) => void;
/** May change the dict, which holds the module's tensors and those of all inside it. */
export type StateDictPostHook<Module> = (
  module: Module,
  stateDict: StateDict,
  prefix: string,
  metadata: StateMetadata,
) => void;
/**
 * May change the dict, a copy that holds what stands under the prefix: rename keys, convert tensors. Keys that it adds to the
 * lists, and messages, are errors as those that are found.
 */
export type LoadStateDictPreHook<Module> = (
  module: Module,
  stateDict: StateDict,
  prefix: string,
  metadata: StateMetadata,
  strict: boolean,
  missingKeys: string[],
  unexpectedKeys: string[],
  errorMessages: string[],
) => void;
/** May change the two lists, before they are judged. */
export type LoadStateDictPostHook<Module> = (
  module: Module,
  incompatibleKeys: { readonly missingKeys: string[]; readonly unexpectedKeys: string[] },
) => void;

export interface StateHooks {
  readonly save: StateDictPreHook<never>[];
  readonly saved: StateDictPostHook<never>[];
  readonly load: LoadStateDictPreHook<never>[];
  readonly loaded: LoadStateDictPostHook<never>[];
}
