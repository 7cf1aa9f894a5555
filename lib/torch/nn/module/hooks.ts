// Hooks of a module: functions that run before and after its forward, and when its gradients are computed.
import { describe, requireFunction } from "../../vocabulary/arguments.ts";
import { boolean, readOptions, type Rules } from "../../vocabulary/options.ts";
import type { HookHandle } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { StateHooks } from "./state_hook_types.ts";

/** May return the inputs to use instead: an array, or the only one. */
export type ForwardPreHook<Module> = (module: Module, inputs: readonly unknown[]) => unknown;
/** May return the output to give instead. */
export type ForwardHook<Module> = (module: Module, inputs: readonly unknown[], output: unknown) => unknown;
/** Gradients by the outputs, null for those without; may return others to use instead. */
export type BackwardPreHook<Module> = (
  module: Module,
  gradOutputs: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | void;
/** Gradients by the inputs, and by the outputs; may return others by the inputs to pass on instead. */
export type BackwardHook<Module> = (
  module: Module,
  gradInputs: readonly (Tensor | null)[],
  gradOutputs: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | void;

/** Options of registering any hook of a module. */
export interface HookOptions {
  /** Runs before the hooks that are there. Default: false. */
  readonly prepend?: boolean;
}

/** Options of `registerForwardHook`. */
export interface ForwardHookOptions extends HookOptions {
  /** Runs where the forward or another hook threw too, with an output of undefined. Default: false. */
  readonly alwaysCall?: boolean;
}

const RULES: Rules<HookOptions> = { prepend: boolean(false) };
const FORWARD_RULES: Rules<ForwardHookOptions> = { ...RULES, alwaysCall: boolean(false) };

interface Hooks {
  readonly forwardPre: ForwardPreHook<never>[];
  readonly forward: ForwardHook<never>[];
  readonly always: WeakSet<ForwardHook<never>>;
  readonly backwardPre: BackwardPreHook<never>[];
  readonly backward: BackwardHook<never>[];
}

type Kind = "forwardPre" | "forward" | "backwardPre" | "backward";

/** Holds a module's hooks. Each call of the module reads it, so it is a field and not a map. */
export interface HookSlot {
  hooks: Hooks | null;
  /** The hooks of its state dicts. */
  state: StateHooks | null;
}

const SLOT = Symbol("hooks");

export function installSlot(module: object): HookSlot {
  const slot: HookSlot = { hooks: null, state: null };
  Object.defineProperty(module, SLOT, { value: slot });
  return slot;
}

/** Gives a copy of a module the hooks that the module has now: the same functions, in lists of its own. */
export function copyHooks(from: object, to: object): void {
  const { hooks, state } = slotOf(from);
  const slot = slotOf(to);
  if (hooks !== null) {
    const { forwardPre, forward, always, backwardPre, backward } = hooks;
    slot.hooks = {
      forwardPre: [...forwardPre],
      forward: [...forward],
      always,
      backwardPre: [...backwardPre],
      backward: [...backward],
    };
  }
  if (state !== null) {
    const { save, saved, load, loaded } = state;
    slot.state = { save: [...save], saved: [...saved], load: [...load], loaded: [...loaded] };
  }
}

export function hasSlot(value: object): boolean {
  return SLOT in value;
}

export function slotOf(module: object): HookSlot {
  return (module as { [SLOT]: HookSlot })[SLOT];
}

/** Whether a forward of one of the modules runs hooks, which a fused kernel would leave out. */
export function hasHooks(modules: readonly object[]): boolean {
  return modules.some((module) => slotOf(module).hooks !== null);
}

export function addHook(
  module: object,
  kind: Kind,
  name: string,
  hook: unknown,
  options: ForwardHookOptions | undefined,
): HookHandle {
  const call = `${module.constructor.name}.${name}`;
  requireFunction(call, hook);
  const { prepend, alwaysCall } =
    kind === "forward"
      ? readOptions<ForwardHookOptions>(call, options, FORWARD_RULES)
      : { ...readOptions<HookOptions>(call, options, RULES), alwaysCall: false };
  const slot = slotOf(module);
  slot.hooks ??= { forwardPre: [], forward: [], always: new WeakSet(), backwardPre: [], backward: [] };
  const list = slot.hooks[kind] as unknown[];
  // A function registered twice runs twice, and each handle removes its own.
  const run = hook as (...args: unknown[]) => unknown;
  const own = (...args: unknown[]): unknown => run(...args);
  if (prepend) list.unshift(own);
  else list.push(own);
  if (alwaysCall) slot.hooks.always.add(own);
  return {
    remove() {
      const at = list.indexOf(own);
      if (at >= 0) list.splice(at, 1);
      const { hooks } = slot;
      const kinds: readonly Kind[] = ["forwardPre", "forward", "backwardPre", "backward"];
      if (hooks && kinds.every((each) => hooks[each].length === 0)) slot.hooks = null;
    },
  };
}

type Forward = (...inputs: readonly unknown[]) => unknown;

/** A forward with everything that is hooked to it. */
export function runHooked(
  module: object,
  hooks: Hooks,
  forward: Forward,
  given: readonly unknown[],
): unknown {
  const self = module as never;
  const called = new Set<ForwardHook<never>>();
  let inputs = given;
  try {
    for (const hook of [...hooks.forwardPre]) {
      const changed = hook(self, inputs);
      if (changed !== undefined) inputs = Array.isArray(changed) ? changed : [changed];
    }
    const watches = hooks.backward.length > 0 || hooks.backwardPre.length > 0;
    let output = watches ? runWatched(self, hooks, forward, inputs) : forward(...inputs);
    for (const hook of [...hooks.forward]) {
      called.add(hook);
      const changed = hook(self, inputs, output);
      if (changed !== undefined) output = changed;
    }
    return output;
  } catch (error) {
    for (const hook of hooks.forward) {
      if (hooks.always.has(hook) && !called.has(hook)) {
        try {
          hook(self, inputs, undefined);
        } catch {
          // The first error is the one to tell.
        }
      }
    }
    throw error;
  }
}

type Gradients = readonly (Tensor | null)[];

const needsGrad = (value: unknown): value is Tensor => native.isTensor(value) && native.requiresGrad(value);

/** Passes tensors through one node of the graph, which sees their gradients together. */
function throughNode(values: readonly unknown[], see: (gradients: Gradients) => Gradients | void): unknown[] {
  const places = values.flatMap((value, i) => (needsGrad(value) ? [i] : []));
  const passed = [...values];
  if (places.length === 0 || !native.gradEnabled()) return passed;
  const tensors = native.identity(
    places.map((place) => values[place] as Tensor),
    (gradients) => {
      const all: (Tensor | null)[] = values.map(() => null);
      for (const [i, place] of places.entries()) all[place] = gradients[i]!;
      const changed = see(all);
      if (changed === undefined) return gradients;
      if (!Array.isArray(changed) || changed.length !== values.length) {
        throw new TypeError(
          `A backward hook returns a gradient or null for each of the ${values.length}, or nothing; it returned ${describe(changed)}.`,
        );
      }
      return places.map((place) => changed[place] ?? null);
    },
  );
  for (const [i, place] of places.entries()) passed[place] = tensors[i];
  return passed;
}

function runWatched(self: never, hooks: Hooks, forward: Forward, inputs: readonly unknown[]): unknown {
  let gradOutputs: Gradients = [];
  const watchedInputs = throughNode(inputs, (gradients) => {
    let current: Gradients = gradients;
    for (const hook of [...hooks.backward]) current = hook(self, current, gradOutputs) ?? current;
    return current;
  });
  const output = forward(...watchedInputs);
  const several = Array.isArray(output);
  const watched = throughNode(several ? output : [output], (gradients) => {
    let current: Gradients = gradients;
    for (const hook of [...hooks.backwardPre]) current = hook(self, current) ?? current;
    gradOutputs = current;
    // If no input gets a gradient, there is no node at the inputs, so the hooks run here with the outputs' gradients
    // alone.
    if (!inputs.some(needsGrad))
      for (const hook of [...hooks.backward])
        hook(
          self,
          inputs.map(() => null),
          current,
        );
    return current;
  });
  return several ? watched : watched[0];
}
