// Registers one hook for the gradients of several tensors. torch/autograd/graph.py
import { requireFunction } from "../vocabulary/arguments.ts";
import { choice, readOptions, type Rules } from "../vocabulary/options.ts";
import { type HookHandle, registerHook } from "./autograd.ts";
import { native } from "../engine/native.ts";
import { checkTensors } from "../tensor/tensor_arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";

export interface MultiGradHookOptions {
  /**
   * `"all"`: called after this backward's last gradient of the tensors; `"any"`: after the first. Default: `"all"`.
   */
  readonly mode?: "all" | "any";
}

const RULES: Rules<MultiGradHookOptions> = { mode: choice("all", ["all", "any"]) };

/**
 * Calls `hook` once a backward, with the gradients of the tensors: null for those without a gradient, because they were
 * not in its graph or not among its inputs. Under `{ mode: "any" }` with the first gradient that is there.
 *
 *     autograd.graph.registerMultiGradHook([a, b], ([byA, byB]) => console.log(byA, byB));
 *     autograd.graph.registerMultiGradHook([a, b], (first) => console.log(first), { mode: "any" });
 *
 * @throws TypeError under "all" for a tensor that does not require gradients; "any" ignores it
 */
export function registerMultiGradHook(
  tensors: readonly Tensor[],
  hook: (gradients: readonly (Tensor | null)[]) => void,
  options?: MultiGradHookOptions & { readonly mode?: "all" },
): HookHandle;
export function registerMultiGradHook(
  tensors: readonly Tensor[],
  hook: (gradient: Tensor) => void,
  options: MultiGradHookOptions & { readonly mode: "any" },
): HookHandle;
export function registerMultiGradHook(
  tensors: readonly Tensor[],
  hook: (gradients: never) => void,
  options?: MultiGradHookOptions,
): HookHandle {
  const call = "registerMultiGradHook";
  const all = [...checkTensors(call, "tensors", tensors)];
  requireFunction(call, hook);
  const { mode } = readOptions<MultiGradHookOptions>(call, options, RULES);
  const run = hook as (gradients: unknown) => void;
  const handles = mode === "all" ? afterAll(call, all, run) : withFirst(all, run);
  return { remove: () => handles.forEach((handle) => handle.remove()) };
}

/**
 * Keeps a state for each backward that runs. A backward that fails leaves its state here, so the oldest is deleted when
 * there are more than `MAX_NESTED`.
 */
class ByBackward<State> {
  readonly #states = new Map<number, State>();

  get(task: number, make: () => State): State {
    const known = this.#states.get(task);
    if (known !== undefined) return known;
    const made = make();
    this.#states.set(task, made);
    if (this.#states.size > MAX_NESTED) this.#states.delete(this.#states.keys().next().value!);
    return made;
  }

  delete(task: number): void {
    this.#states.delete(task);
  }
}

/** Needed because a hook may run a backward, in which the same hook may run. */
const MAX_NESTED = 16;

function afterAll(
  call: string,
  tensors: readonly Tensor[],
  hook: (gradients: readonly (Tensor | null)[]) => void,
): HookHandle[] {
  for (const [at, tensor] of tensors.entries()) {
    if (!native.requiresGrad(tensor))
      throw new TypeError(
        `${call}: tensors[${at}] does not require gradients, so none reaches it: call requiresGrad_() first.`,
      );
  }
  const destinations = native.destinations(tensors);
  const running = new ByBackward<{ left: number; readonly gradients: (Tensor | null)[] }>();
  return tensors.map((tensor, at) =>
    registerHook(tensor, (gradient) => {
      const task = native.graphTask();
      const state = running.get(task, () => ({
        left: native.countComputed(destinations),
        gradients: tensors.map(() => null),
      }));
      state.gradients[at] = gradient;
      state.left--;
      if (state.left > 0) return;
      running.delete(task);
      hook(state.gradients);
    }),
  );
}

function withFirst(tensors: readonly Tensor[], hook: (gradient: Tensor) => void): HookHandle[] {
  const running = new ByBackward<{ ran: boolean }>();
  const first = (gradient: Tensor) => {
    const state = running.get(native.graphTask(), () => ({ ran: false }));
    if (state.ran) return;
    state.ran = true;
    hook(gradient);
  };
  return tensors.filter((tensor) => native.requiresGrad(tensor)).map((tensor) => registerHook(tensor, first));
}
