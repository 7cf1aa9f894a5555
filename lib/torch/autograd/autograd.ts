// Gives JavaScript autograd's gradients, hooks, and the modes under which operations are recorded. A mode belongs to
// the thread and not to a chain of calls, so blocks that are asynchronous are refused.
import { checkOptionalTensor, checkTensors } from "../tensor/tensor_arguments.ts";
import { observeCells } from "../../session.ts";
import { checkBoolean, checkList, describe, isRecord } from "../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { boolean, checkedLater, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { native, whenLoaded } from "../engine/native.ts";
import { noteBackward } from "../engine/step_strategy.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { ByName } from "../types/by_name.ts";

/** Options of `backward()` by name. */
export interface BackwardOptions {
  /** Keep the recorded operations for another backward. Default: the value of `createGraph`. */
  retainGraph?: boolean;
  /** Record the computation of the gradients too, for derivatives of higher order. Default: false. */
  createGraph?: boolean;
  /** Add up gradients for these tensors only. Default: all that the result depends on. */
  inputs?: readonly Tensor[];
}

/** One gradient for each tensor that has more than one element; a tensor alone for one. */
type GradTensors = Tensor | null | readonly (Tensor | null)[];

/** What `autograd.backward` takes after the tensors, by name. */
export interface BackwardArguments extends BackwardOptions {
  /** Gradients of the tensors, each of its tensor's shape. Default: 1 for each tensor of one element. */
  gradTensors?: GradTensors;
}

const BACKWARD_PLACES = ["gradTensors", "retainGraph", "createGraph"] as const;

/** Options of `autograd.grad` by name. */
export interface GradOptions {
  /** One for each output that has more than one element; a tensor alone for one output. Default: none. */
  gradOutputs?: Tensor | readonly (Tensor | null)[] | null;
  /** Keeps the graph for another backward pass. Default: the value of `createGraph`. */
  retainGraph?: boolean;
  /** Records the backward pass too, for derivatives of derivatives. Default: false. */
  createGraph?: boolean;
  /** Give null for inputs that the outputs do not depend on, and no error. Default: false. */
  allowUnused?: boolean;
}

/** The result of registering a hook. `remove()` removes the hook; a second call does nothing. */
export interface HookHandle {
  remove(): void;
}

const list = (shape: readonly number[]) => `[${shape.join(", ")}]`;

/** A missing gradient stands for 1, which is defined only for an output of one element. */
function requireGradient(tensor: Tensor, gradient: Tensor | null, what: string): void {
  if (!native.requiresGrad(tensor)) {
    throw new TypeError(
      `${what} needs a tensor that autograd recorded, and this one does not require gradients: call requiresGrad_() on what it is computed from, outside noGrad.`,
    );
  }
  const shape = native.shape(tensor);
  if (gradient === null) {
    if (native.numel(tensor) !== 1) {
      throw new RangeError(
        `${what} without a gradient needs a tensor of one element, and this one has shape ${list(shape)}: reduce it with sum() or mean(), or give a gradient of its shape.`,
      );
    }
  } else if (list(native.shape(gradient)) !== list(shape)) {
    throw new RangeError(
      `The gradient has shape ${list(native.shape(gradient))}; it must have the tensor's, ${list(shape)}.`,
    );
  }
}

/** Adds the derivative of the sum of `tensors` by each leaf to the leaf's `grad`, in one pass for all of them. */
export function backward(
  tensors: Tensor | readonly Tensor[],
  gradTensors?: GradTensors | BackwardArguments,
  retainGraph?: boolean | BackwardOptions,
  createGraph?: boolean | Omit<BackwardOptions, "retainGraph">,
): void;
export function backward(
  named: ByName & BackwardArguments & { readonly tensors: Tensor | readonly Tensor[] },
): void;
export function backward(...all: unknown[]): void {
  const [tensors, ...places] = neededByPlace<[Tensor | readonly Tensor[]]>(["tensors"], all);
  const from = checkTensors("backward()", "tensors", tensors);
  const named = optionsByPlace<BackwardArguments>("backward()", BACKWARD_PLACES, places);
  const { gradTensors: gradients = null, ...options } = isRecord(named) ? named : {};
  const given: readonly unknown[] = Array.isArray(gradients) ? gradients : [gradients];
  if (gradients !== null && given.length !== from.length)
    throw new RangeError(
      `backward() takes a gradient for each of the ${from.length} tensors, and got ${given.length}.`,
    );
  const each = from.map((_, at) => checkOptionalTensor("backward()", `gradients[${at}]`, given[at]));
  for (const [at, tensor] of from.entries()) requireGradient(tensor, each[at]!, "backward()");
  const { createGraph, retainGraph, inputs } = readBackwardOptions("backward()", options);
  try {
    native.backward(from, each, retainGraph, createGraph, inputs);
    noteBackward();
  } catch (error) {
    throw explainFailure(error);
  }
}

let explainFailure = (error: unknown): unknown => error;

/** Sets the function that replaces an error of a backward pass: it may know which process failed. */
export function setBackwardFailureExplainer(explain: (error: unknown) => unknown): void {
  explainFailure = explain;
}

const BACKWARD_RULES = {
  retainGraph: optional(checkBoolean),
  createGraph: boolean(false),
  inputs: checkedLater<readonly Tensor[]>([]),
} satisfies OpenRules<BackwardOptions>;

const GRAD_RULES = {
  gradOutputs: checkedLater<readonly (Tensor | null)[]>([]),
  retainGraph: optional(checkBoolean),
  createGraph: boolean(false),
  allowUnused: boolean(false),
} satisfies OpenRules<GradOptions>;

const GRAD_PLACES = ["gradOutputs", "retainGraph", "createGraph", "allowUnused"] as const;

function readBackwardOptions(call: string, options: BackwardOptions): Required<BackwardOptions> {
  const read = readOptions(call, options, BACKWARD_RULES);
  const { createGraph, retainGraph = createGraph, inputs } = read;
  return { createGraph, retainGraph, inputs: checkTensors(call, "inputs", inputs) };
}

/** Derivatives of the sum of `outputs` by each of `inputs`. Adds nothing to anyone's `grad`. */
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options?: GradOptions & { allowUnused?: false },
): Tensor[];
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  gradOutputs: Tensor | readonly (Tensor | null)[] | null,
  retainGraph?: boolean | null | Omit<GradOptions, "allowUnused">,
  createGraph?: boolean | Omit<GradOptions, "allowUnused">,
): Tensor[];
/** An entry is null if `allowUnused` is set and the outputs do not depend on that input. */
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: GradOptions,
): (Tensor | null)[];
export function grad(
  outputs: Tensor | readonly Tensor[],
  options: ByName & GradOptions & { inputs: Tensor | readonly Tensor[]; allowUnused?: false },
): Tensor[];
export function grad(
  named: ByName &
    GradOptions & {
      outputs: Tensor | readonly Tensor[];
      inputs: Tensor | readonly Tensor[];
      allowUnused?: false;
    },
): Tensor[];
// The compiler explains the last form.
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: GradOptions,
): (Tensor | null)[];
export function grad(...all: unknown[]): (Tensor | null)[] {
  const call = "grad()";
  const [outputs, inputs, ...places] = neededByPlace<[unknown, unknown]>(["outputs", "inputs"], all);
  const options = optionsByPlace<GradOptions>(call, GRAD_PLACES, places);
  const from = checkTensors(call, "outputs", outputs);
  const by = checkTensors(call, "inputs", inputs);
  if (by.length === 0) throw new RangeError(`${call}: inputs must hold at least one tensor, got [].`);
  const read = readOptions(call, options, GRAD_RULES);
  const { createGraph, allowUnused } = read;
  const retainGraph = read.retainGraph ?? createGraph;
  const gradOutputs = native.isTensor(read.gradOutputs) ? [read.gradOutputs] : (read.gradOutputs ?? []);
  checkList(call, "gradOutputs", gradOutputs);
  const given = from.map((_, at) => checkOptionalTensor(call, `gradOutputs[${at}]`, gradOutputs[at]));
  for (const [at, output] of from.entries()) requireGradient(output, given[at] ?? null, "grad()");
  for (const [at, input] of by.entries()) {
    if (!native.requiresGrad(input))
      throw new TypeError(`grad() cannot differentiate by inputs[${at}]: it does not require gradients.`);
  }
  return native.gradients(from, by, given, retainGraph, createGraph, allowUnused);
}

export function registerHook(tensor: Tensor, hook: (grad: Tensor) => Tensor | void): HookHandle {
  if (typeof hook !== "function")
    throw new TypeError(`registerHook() takes a function, not ${describe(hook)}.`);
  if (!native.requiresGrad(tensor)) {
    throw new TypeError("A hook needs a tensor that requires gradients: call requiresGrad_() first.");
  }
  // A wrapper for each registration: a hook that is registered twice runs twice, and each handle removes its own.
  const own = (gradient: Tensor) => hook(gradient);
  const id = native.registerHook(tensor, own);
  return heldHook(tensor, own, () => native.removeHook(tensor, id));
}

type HeldHooks = Set<(gradient: Tensor) => unknown>;
const HOOKS = Symbol("hooks");

/**
 * The hooks of a tensor, which must live as long as the tensor: the addon does not hold them after a backward that
 * freed the graph, nor in full collections. They are in a property, because entries of a WeakMap would outlive minor
 * collections.
 */
function hooksOf(tensor: Tensor & { [HOOKS]?: HeldHooks }): HeldHooks {
  if (!tensor[HOOKS]) Object.defineProperty(tensor, HOOKS, { value: new Set() });
  return tensor[HOOKS]!;
}

export function registerPostAccumulateGradHook(
  tensor: Tensor,
  hook: (parameter: Tensor) => void,
): HookHandle {
  const call = "registerPostAccumulateGradHook";
  if (typeof hook !== "function") throw new TypeError(`${call}() takes a function, not ${describe(hook)}.`);
  if (!native.requiresGrad(tensor) || !native.isLeaf(tensor)) {
    throw new TypeError(
      `${call}() needs a leaf that requires gradients: no other tensor's are added up. Use registerHook().`,
    );
  }
  const own = (parameter: Tensor) =>
    void requireFinished<unknown>(
      `${call}()`,
      hook(parameter),
      "backward goes on when it returns: await outside of it.",
    );
  const id = native.registerPostAccumulateGradHook(tensor, own);
  return heldHook(tensor, own, () => native.removePostAccumulateGradHook(tensor, id));
}

/** Removing is safe after the tensor was freed, because it has no hooks any more. */
function heldHook(tensor: Tensor, hook: (gradient: Tensor) => unknown, removeNative: () => void): HookHandle {
  const held = hooksOf(tensor).add(hook);
  return {
    remove() {
      held.delete(hook);
      if (!native.isDisposed(tensor)) removeNative();
    },
  };
}

// --- modes -------------------------------------------------------------------------------------------------------

interface Mode {
  readonly grad: boolean;
  readonly inference: boolean;
}

const RECORDING: Mode = { grad: true, inference: false };

const current = (): Mode => ({ grad: native.gradEnabled(), inference: native.inferenceMode() });

function apply(mode: Mode): void {
  if (native.inferenceMode() !== mode.inference) native.setInferenceMode(mode.inference);
  if (native.gradEnabled() !== mode.grad) native.setGradEnabled(mode.grad);
}

function runIn<Result>(wished: Partial<Mode>, name: string, run: () => Result): Result {
  if (typeof run !== "function")
    throw new TypeError(
      `${name}() takes a function and runs it, as ${name}(() => model(x)); it was given ${describe(run)}.`,
    );
  const before = current();
  try {
    apply({ ...before, ...wished });
    return requireFinished(
      `${name}()`,
      run(),
      `the mode ends when it returns. Call ${name}() around the synchronous parts, or torch.setGradEnabled() before and after.`,
    );
  } finally {
    apply(before);
  }
}

/**
 * Runs `run` without recording operations for autograd. Refuses an async function, and a generator: the mode is one for all that runs,
 * and would hold for the rest of the cell while the function waits. For a block that awaits see `setGradEnabled`.
 */
export function noGrad<Result>(run: () => Result): Result {
  return runIn({ grad: false }, "noGrad", run);
}

/** Runs `run` with recording, inside a `noGrad` block too. Refuses an async function, as `noGrad` does. */
export function enableGrad<Result>(run: () => Result): Result {
  return runIn({ grad: true }, "enableGrad", run);
}

/**
 * Runs `run` as `noGrad` does. The tensors that it makes can never take part in autograd again, which saves further
 * time. Refuses an async function, as `noGrad` does.
 */
export function inferenceMode<Result>(run: () => Result): Result {
  return runIn({ grad: false, inference: true }, "inferenceMode", run);
}

/**
 * Switches recording on or off until the next switch, and at the latest until the cell ends. Returns what it was:
 *
 *     const previous = torch.setGradEnabled(false);
 *     try {
 *       await evaluate(model);
 *     } finally {
 *       torch.setGradEnabled(previous);
 *     }
 */
export function setGradEnabled(enabled: boolean): boolean {
  const previous = native.gradEnabled();
  native.setGradEnabled(checkBoolean("torch.setGradEnabled", "enabled", enabled));
  return previous;
}

/** Are operations being recorded for `backward`? Not inside `noGrad` and `inferenceMode`. */
export function isGradEnabled(): boolean {
  return native.gradEnabled();
}

whenLoaded(() => observeCells({ cellEnded: () => apply(RECORDING) }));
