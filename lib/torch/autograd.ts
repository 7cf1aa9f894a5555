// Autograd as JavaScript sees it: gradients, hooks, and the modes under which operations are recorded. Modes belong
// to the thread and not to a call chain, which is why asynchronous blocks get a warning when they overlap.
import { observeCells } from "../session.ts";
import { isComplexDType, isFloatingDType } from "./dtype.ts";
import { native } from "./native.ts";
import type { Tensor } from "./tensor.ts";

export interface BackwardOptions {
  /** Keep the recorded operations for another backward. The value of `createGraph`. */
  retainGraph?: boolean;
  /** Record the computation of the gradients too, for derivatives of higher order. False. */
  createGraph?: boolean;
  /** Add up gradients for these tensors alone. */
  inputs?: readonly Tensor[];
}

export interface GradOptions {
  /** One for each output that has more than one element. */
  gradOutputs?: readonly (Tensor | null)[];
  retainGraph?: boolean;
  createGraph?: boolean;
  /** Give null for inputs that the outputs do not depend on, and no error. False. */
  allowUnused?: boolean;
}

/** A recorded operation. */
export interface GradFunction {
  /** As PyTorch names it: `AddBackward0`. */
  readonly name: string;
}

export interface HookHandle {
  remove(): void;
}

const list = (shape: readonly number[]) => `[${shape.join(", ")}]`;

export function gradFunction(tensor: Tensor): GradFunction | null {
  const name = native.gradFnName(tensor);
  return name === null ? null : { name };
}

export function setRequiresGrad(tensor: Tensor, value: boolean): void {
  const dtype = native.dtype(tensor);
  if (value && !isFloatingDType(dtype) && !isComplexDType(dtype)) {
    throw new TypeError(
      `Only floating and complex tensors can require gradients, and this one is ${dtype}: convert it with .float() first.`,
    );
  }
  if (!value && !native.isLeaf(tensor)) {
    throw new TypeError(
      "A tensor that a recorded operation made cannot stop requiring gradients: use x.detach().",
    );
  }
  native.setRequiresGrad(tensor, value);
}

/** A missing gradient stands for 1, which only fits one element. */
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

export function backward(
  tensor: Tensor,
  gradient: Tensor | null = null,
  options: BackwardOptions = {},
): void {
  requireGradient(tensor, gradient, "backward()");
  const { createGraph = false, retainGraph = createGraph, inputs = [] } = options;
  native.backward([tensor], [gradient], retainGraph, createGraph, inputs);
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
  options: GradOptions,
): (Tensor | null)[];
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: GradOptions = {},
): (Tensor | null)[] {
  const from = native.isTensor(outputs) ? [outputs] : outputs;
  const by = native.isTensor(inputs) ? [inputs] : inputs;
  const { createGraph = false, retainGraph = createGraph, allowUnused = false, gradOutputs = [] } = options;
  const given = from.map((_, at) => gradOutputs[at] ?? null);
  for (const [at, output] of from.entries()) requireGradient(output, given[at] ?? null, "grad()");
  for (const [at, input] of by.entries()) {
    if (!native.requiresGrad(input))
      throw new TypeError(`grad() cannot differentiate by inputs[${at}]: it does not require gradients.`);
  }
  return native.gradients(from, by, given, retainGraph, createGraph, allowUnused);
}

export function registerHook(tensor: Tensor, hook: (grad: Tensor) => Tensor | void): HookHandle {
  if (typeof hook !== "function") throw new TypeError(`registerHook() takes a function, not ${typeof hook}.`);
  if (!native.requiresGrad(tensor)) {
    throw new TypeError("A hook needs a tensor that requires gradients: call requiresGrad_() first.");
  }
  const id = native.registerHook(tensor, hook);
  return { remove: () => native.removeHook(tensor, id) };
}

// --- modes -------------------------------------------------------------------------------------------------------

interface Mode {
  readonly grad: boolean;
  readonly inference: boolean;
}

const RECORDING: Mode = { grad: true, inference: false };

/** Open blocks, the innermost last. A block that awaits stays open until its promise settles. */
const open: { readonly mode: Mode }[] = [];

function apply(mode: Mode): void {
  if (native.inferenceMode() !== mode.inference) native.setInferenceMode(mode.inference);
  if (native.gradEnabled() !== mode.grad) native.setGradEnabled(mode.grad);
}

const current = (): Mode => open.at(-1)?.mode ?? RECORDING;

function close(block: { readonly mode: Mode }, name: string): void {
  const at = open.indexOf(block);
  if (at < 0) return; // The cell ended before: everything was closed then.
  if (at !== open.length - 1) {
    process.emitWarning(
      `${name}(async ...) ended while a block opened after it was still waiting. Grad mode is one for all that runs, so each saw the other's: await one before starting the next.`,
      "AutogradWarning",
    );
  }
  open.splice(at, 1);
  apply(current());
}

function runIn<Result>(mode: Mode, name: string, run: () => Result): Result {
  if (typeof run !== "function")
    throw new TypeError(
      `${name}() takes a function and runs it, as ${name}(() => model.forward(x)); it was given ${typeof run}.`,
    );
  const block = { mode };
  open.push(block);
  let result: Result;
  try {
    apply(mode);
    result = run();
  } catch (error) {
    close(block, name);
    throw error;
  }
  if (!(result instanceof Promise)) {
    close(block, name);
    return result;
  }
  return result.finally(() => close(block, name)) as Result;
}

/**
 * Runs `run` without recording operations for autograd. An async function keeps the mode until it settles: what
 * else runs meanwhile is not recorded either.
 */
export function noGrad<Result>(run: () => Result): Result {
  return runIn({ grad: false, inference: current().inference }, "noGrad", run);
}

/** Runs `run` with recording, inside a `noGrad` block too. */
export function enableGrad<Result>(run: () => Result): Result {
  return runIn({ grad: true, inference: current().inference }, "enableGrad", run);
}

/** As `noGrad`, and its tensors can never take part in autograd again: faster still. */
export function inferenceMode<Result>(run: () => Result): Result {
  return runIn({ grad: false, inference: true }, "inferenceMode", run);
}

/** Are operations being recorded? */
export function isGradEnabled(): boolean {
  return native.gradEnabled();
}

observeCells({
  cellEnded() {
    open.length = 0;
    apply(RECORDING);
  },
});
