// L-BFGS's state between steps, and the form in which PyTorch saves it (`torch/optim/lbfgs.py`): vectors over all
// parameters, stored in the first parameter's state.
import { checkInteger, checkNumber, describe, isRecord, shapeText } from "../vocabulary/arguments.ts";
import { noGrad } from "../autograd/autograd.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

export interface Memory {
  iterations: number;
  evaluations: number;
  /** Length of the last step. */
  length: number;
  /** Scale of the first estimate of the inverse Hessian. */
  scale: number;
  /** The loss before the last step. */
  previousLoss: number;
  direction: Tensor | null;
  previousGrad: Tensor | null;
  /** Changes of the gradient, and of the parameters, the oldest first. */
  changes: Tensor[];
  steps: Tensor[];
}

/** PyTorch's `al`, room for one step's intermediate values, is not part of it: PyTorch makes it where it is missing. */
export type SavedMemory = Record<string, Tensor | number | readonly Tensor[]>;

export function saveMemory(memory: Memory): SavedMemory {
  const { direction, previousGrad, changes, steps } = memory;
  const counts = { func_evals: memory.evaluations, n_iter: memory.iterations };
  if (!direction || !previousGrad) return counts;
  return {
    ...counts,
    d: direction.detach(), // the next step disposes its own
    t: memory.length,
    old_dirs: changes,
    old_stps: steps,
    ro: noGrad(() => changes.map((change, i) => change.dot(steps[i]!).reciprocal())),
    H_diag: memory.scale,
    prev_flat_grad: previousGrad.detach(),
    prev_loss: memory.previousLoss,
  };
}

/** Copies of a saved memory's tensors beside the first parameter; `count` is how many elements all parameters have. */
export function loadMemory(call: string, saved: unknown, parameter: Tensor, count: number): Memory {
  if (!isRecord(saved))
    throw new TypeError(`${call}: the first parameter's state must be an object, got ${describe(saved)}.`);
  const kind = { device: native.device(parameter), dtype: native.dtype(parameter), copy: true };
  const number = (key: string): number => {
    const value = saved[key];
    const isScalar = native.isTensor(value) && native.numel(value) === 1;
    return checkNumber(call, key, isScalar ? value.item() : value);
  };
  const vector = (name: string, value: unknown): Tensor => {
    if (!native.isTensor(value))
      throw new TypeError(`${call}: ${name} must be a tensor, got ${describe(value)}.`);
    const shape = native.shape(value);
    if (shape.length !== 1 || shape[0] !== count) {
      throw new RangeError(
        `${call}: ${name} is ${shapeText(shape)} in the state, the parameters are [${count}] together. Nothing was loaded.`,
      );
    }
    return value.to(kind);
  };
  const vectors = (key: string): Tensor[] => {
    const list = saved[key];
    if (!Array.isArray(list))
      throw new TypeError(`${call}: ${key} must be a list of tensors, got ${describe(list)}.`);
    return list.map((one, i) => vector(`${key}[${i}]`, one));
  };
  const memory: Memory = {
    iterations: checkInteger(call, "n_iter", saved["n_iter"], 0),
    evaluations: checkInteger(call, "func_evals", saved["func_evals"], 0),
    length: 0,
    scale: 1,
    previousLoss: 0,
    direction: null,
    previousGrad: null,
    changes: [],
    steps: [],
  };
  if (!Object.hasOwn(saved, "d")) return memory;
  const [changes, steps] = [vectors("old_dirs"), vectors("old_stps")];
  if (changes.length !== steps.length) {
    throw new RangeError(
      `${call}: the state has ${changes.length} old_dirs and ${steps.length} old_stps. Nothing was loaded.`,
    );
  }
  return {
    ...memory,
    length: number("t"),
    scale: number("H_diag"),
    previousLoss: number("prev_loss"),
    direction: vector("d", saved["d"]),
    previousGrad: vector("prev_flat_grad", saved["prev_flat_grad"]),
    changes,
    steps,
  };
}
