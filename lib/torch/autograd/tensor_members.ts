// Adds autograd's members to all tensors: the gradient, the place in the graph, hooks.
import { setRequiresGrad } from "../tensor/requires_grad.ts";
import { describe, isRecord } from "../vocabulary/arguments.ts";
import {
  backward,
  type BackwardOptions,
  type HookHandle,
  noGrad,
  registerHook,
  registerPostAccumulateGradHook,
} from "./autograd.ts";
import { native } from "../engine/native.ts";
import { requireDetached } from "../tensor/reading.ts";
import { toTypedArray } from "../tensor/typed_arrays.ts";
import { installAssignable, installMembers } from "../tensor/install_members.ts";
import type { Tensor as PlainTensor } from "../tensor/tensor.ts";
import type { Node } from "./node.ts";
import { replaceData } from "./replace_data.ts";

export interface Tensor {
  /** Autograd records operations on it. Can be set on tensors that no recorded operation made. */
  requiresGrad: boolean;
  /** Sets `requiresGrad` and returns the tensor. */
  requiresGrad_(requiresGrad?: boolean): PlainTensor;
  /** The sum of all gradients that `backward()` computed, one tensor for all reads; null before the first. Set it to null to start over. */
  grad: PlainTensor | null;
  /** Whether no recorded operation made the tensor. Gradients accumulate in the leaves. */
  readonly isLeaf: boolean;
  /** The recorded operation that made it, or null. */
  readonly gradFn: Node | null;
  /** The number of this tensor among the outputs of its operation. */
  readonly outputNr: number;
  /** Keep `grad` of a tensor that is no leaf too. */
  retainGrad(): void;
  /** Whether `retainGrad()` was called on a tensor that is no leaf. */
  readonly retainsGrad: boolean;
  /** Calls `hook` with the gradient when it is computed; a returned tensor takes its place. */
  registerHook(hook: (grad: PlainTensor) => PlainTensor | void): HookHandle;
  /** Calls `hook` with this leaf after its gradient was added up in `grad`: an optimizer's step may stand there. */
  registerPostAccumulateGradHook(hook: (parameter: PlainTensor) => void): HookHandle;
  /** Adds the derivative of this tensor by each leaf to the leaf's `grad`. */
  backward(gradient?: PlainTensor | null, options?: BackwardOptions): void;
  backward(options: BackwardOptions & { gradient?: PlainTensor | null }): void;
}

type AutogradMembers = Tensor;

declare module "../types/tensor.ts" {
  interface Members extends AutogradMembers {}
}

const autogradMembers: Tensor & ThisType<PlainTensor> = {
  get isLeaf() {
    return native.isLeaf(this);
  },
  get gradFn() {
    // The addon makes every node of this class (`node.ts`).
    return native.gradFn(this) as Node | null;
  },
  get outputNr() {
    return native.outputNr(this);
  },
  get retainsGrad() {
    return native.retainsGrad(this);
  },
  get requiresGrad() {
    return native.requiresGrad(this);
  },
  set requiresGrad(value) {
    setRequiresGrad(this, value);
  },
  get grad() {
    return native.grad(this);
  },
  set grad(grad) {
    native.setGrad(this, grad);
  },
  requiresGrad_(value = true) {
    setRequiresGrad(this, value);
    return this;
  },
  retainGrad() {
    native.retainGrad(this);
  },
  registerHook(hook) {
    return registerHook(this, hook);
  },
  registerPostAccumulateGradHook(hook) {
    return registerPostAccumulateGradHook(this, hook);
  },
  backward(
    gradient?: PlainTensor | null | (BackwardOptions & { gradient?: PlainTensor | null }),
    options?: BackwardOptions,
  ) {
    if (gradient == null || native.isTensor(gradient)) return backward(this, gradient ?? null, options);
    if (!isRecord(gradient))
      throw new TypeError(`backward() takes a gradient, a tensor, or options, got ${describe(gradient)}.`);
    const { gradient: given = null, ...others } = gradient as BackwardOptions & {
      gradient?: PlainTensor | null;
    };
    backward(this, given, others);
  },
};

installMembers(autogradMembers);
installAssignable(
  "data",
  function data() {
    return toTypedArray(requireDetached("data", this));
  },
  (tensor, given) => noGrad(() => replaceData(tensor, given)),
);
