// L-BFGS (Nocedal, 1980): steps along an inverse Hessian estimated from the last gradients, with a line search that
// satisfies the strong Wolfe conditions where it is wanted. All parameters are one vector here.
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { describe, isRecord } from "../vocabulary/arguments.ts";
import { enableGrad, noGrad } from "../autograd/autograd.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import {
  boolean,
  checkRules,
  integer,
  nullable,
  number,
  type Rule,
  type Rules,
} from "../vocabulary/options.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { loadMemory, saveMemory, type Memory } from "./lbfgs_state.ts";
import { strongWolfe } from "./line_search.ts";
import { Optimizer, type GroupInput } from "./optimizer.ts";
import { type GivenOptions, givenArguments, type NamedArguments } from "./given_options.ts";
import type { OptimizerStateDict } from "./state.ts";

export interface LbfgsOptions {
  /** Length of a step. Default: 1. */
  lr: number;
  /** Iterations of one step. Default: 20. */
  maxIter: number;
  /** Evaluations of the closure in one step. Default: 1.25 maxIter. */
  maxEval: number | null;
  /** Stops where no element of the gradient is larger. Default: 1e-7. */
  toleranceGrad: number;
  /** Stops where neither the loss nor a parameter changes more. Default: 1e-9. */
  toleranceChange: number;
  /** How many gradients are kept. Default: 100. */
  historySize: number;
  /** "strongWolfe", or null for steps of length `lr`. Default: null. */
  lineSearchFn: "strongWolfe" | null;
  /** Climbs instead of descending. Default: false. */
  maximize: boolean;
}

const lineSearch: Rule<LbfgsOptions["lineSearchFn"]> = {
  fallback: null,
  check(call, name, value) {
    if (value === null || value === "strongWolfe") return value;
    throw new TypeError(`${call}: ${name} must be "strongWolfe" or null, got ${describe(value)}.`);
  },
};

const RULES: Rules<LbfgsOptions> = {
  lr: number(1, { min: 0 }),
  maxIter: integer(20, 1),
  maxEval: nullable(integer(25, 1)),
  toleranceGrad: number(1e-7, { min: 0 }),
  toleranceChange: number(1e-9, { min: 0 }),
  historySize: integer(100, 1),
  lineSearchFn: lineSearch,
  maximize: boolean(false),
};

/**
 * L-BFGS: steps along an estimate of the inverse Hessian from the last `historySize` gradients. `step` needs a
 * closure that computes the loss and its gradients, and evaluates it several times. It has one group of parameters.
 */
export class LBFGS extends Optimizer<LbfgsOptions> {
  constructor(
    params: Iterable<Tensor> | NamedArguments<LbfgsOptions, Iterable<Tensor>>,
    lr?: number | GivenOptions<LbfgsOptions>,
    maxIter?: number | GivenOptions<LbfgsOptions>,
    maxEval?: number | null | GivenOptions<LbfgsOptions>,
    toleranceGrad?: number | GivenOptions<LbfgsOptions>,
    toleranceChange?: number | GivenOptions<LbfgsOptions>,
    historySize?: number | GivenOptions<LbfgsOptions>,
    lineSearchFn?: "strongWolfe" | null | GivenOptions<LbfgsOptions>,
  );
  constructor(...all: unknown[]) {
    super(
      ...givenArguments<LbfgsOptions>(
        "new optim.LBFGS",
        RULES,
        ["lr", "maxIter", "maxEval", "toleranceGrad", "toleranceChange", "historySize", "lineSearchFn"],
        all,
      ),
    );
  }

  override addParamGroup(group: GroupInput<LbfgsOptions>): void {
    if (this.paramGroups.length > 0) {
      throw new TypeError(
        "LBFGS: it takes one group of parameters, since it sees all of them as one vector.",
      );
    }
    super.addParamGroup(group);
  }

  protected override checkGroup(call: string, options: LbfgsOptions): void {
    checkRules(call, options, RULES);
  }

  protected override update(): void {}

  /**
   * Returns the state under PyTorch's names, in that of the first parameter: `{ n_iter, func_evals, d, t, old_dirs,
   * old_stps, ro, H_diag, prev_flat_grad, prev_loss }`.
   */
  override stateDict(): OptimizerStateDict {
    const { state, param_groups } = super.stateDict();
    const max_eval = evaluationsOf(this.paramGroups[0]!);
    return {
      state: Object.keys(state).length === 0 ? {} : { 0: saveMemory(this.#recall()) },
      param_groups: param_groups.map((group) => ({ ...group, max_eval })),
    };
  }

  override loadStateDict(saved: OptimizerStateDict): void {
    const call = "LBFGS.loadStateDict";
    const first = this.#params[0]!;
    const count = this.#params.reduce((sum, parameter) => sum + native.numel(parameter), 0);
    const numbers = Object.keys(isRecord(saved?.state) ? saved.state : {});
    const own = String(saved?.param_groups?.[0]?.params?.[0]);
    const other = numbers.find((number) => number !== own);
    if (other !== undefined) {
      throw new RangeError(
        `${call}: L-BFGS keeps its state with parameter ${own}, and this has one of parameter ${other}. Nothing was loaded.`,
      );
    }
    const memory = numbers.length === 0 ? null : loadMemory(call, saved.state[Number(own)], first, count);
    super.loadStateDict(
      isRecord(saved) ? { ...saved, state: isRecord(saved.state) ? {} : saved.state } : saved,
    );
    if (memory) noGrad(() => this.#keep(memory));
  }

  get #params(): readonly Tensor[] {
    return this.paramGroups[0]!.params;
  }

  /** Evaluates the closure, which computes the loss and its gradients, as often as it needs. Returns the first loss. */
  override step(): never;
  override step(closure: () => Tensor): Tensor;
  override step(closure?: () => Tensor): Tensor {
    this.refuseInCapture();
    if (typeof closure !== "function") {
      throw new TypeError(
        `LBFGS.step: expected a function that clears the gradients, computes the loss, calls backward() and returns the loss, got ${describe(closure)}.`,
      );
    }
    const loss = () => checkTensor("LBFGS.step", "what the closure returns", enableGrad(closure));
    return this.hooked(() => noGrad(() => this.#minimize(loss)));
  }

  #flatGrad(): Tensor {
    const parts = this.#params.map((parameter) => {
      const grad = native.ownGrad(parameter);
      if (!grad) return torchFunctions.zerosLike(parameter).view([-1]);
      return (native.layout(grad) === "strided" ? grad : grad.toDense()).reshape([-1]);
    });
    const flat = torchFunctions.cat(parts);
    return this.paramGroups[0]!.maximize ? flat.neg_() : flat;
  }

  /** Moves the parameters along a direction. */
  #move(length: number, direction: Tensor): void {
    let from = 0;
    for (const parameter of this.#params) {
      const count = native.numel(parameter);
      parameter.add_(direction.narrow(0, from, count).viewAs(parameter), { alpha: length });
      from += count;
    }
  }

  #minimize(closure: () => Tensor): Tensor {
    const group = this.paramGroups[0]!;
    const { lr, maxIter, toleranceGrad, toleranceChange, historySize } = group;
    const maxEval = evaluationsOf(group);
    const sign = group.maximize ? -1 : 1;
    const evaluate = () => sign * closure().item();
    const largest = (vector: Tensor) => vector.abs().max().item();
    const memory = this.#recall();
    const firstLoss = closure();
    let loss = sign * firstLoss.item();
    let evaluations = 1;
    memory.evaluations++;
    let grad = this.#flatGrad();
    if (largest(grad) <= toleranceGrad) {
      this.#keep(memory);
      return firstLoss;
    }
    for (let iteration = 1; iteration <= maxIter; iteration++) {
      memory.iterations++;
      const direction = nextDirection(memory, grad, historySize);
      memory.direction = direction;
      memory.previousGrad = grad.clone();
      memory.previousLoss = loss;
      memory.length = memory.iterations === 1 ? Math.min(1, 1 / grad.abs().sum().item()) * lr : lr;
      const slope = grad.dot(direction).item();
      if (slope > -toleranceChange) break;
      let used = 0;
      if (group.lineSearchFn) {
        const start = this.#params.map((parameter) => parameter.clone());
        const found = strongWolfe(
          (length) => {
            this.#move(length, direction);
            const value = evaluate();
            const gradient = this.#flatGrad();
            for (const [i, parameter] of this.#params.entries()) parameter.copy_(start[i]!);
            return { value, gradient, slope: gradient.dot(direction).item() };
          },
          {
            length: memory.length,
            direction,
            value: loss,
            gradient: grad,
            slope,
            maxEvaluations: maxEval - evaluations,
          },
        );
        ({ value: loss, gradient: grad, length: memory.length, evaluations: used } = found);
        this.#move(memory.length, direction);
      } else {
        this.#move(memory.length, direction);
        if (iteration !== maxIter) {
          loss = evaluate();
          grad = this.#flatGrad();
          used = 1;
        }
      }
      evaluations += used;
      memory.evaluations += used;
      const done =
        evaluations >= maxEval ||
        largest(grad) <= toleranceGrad ||
        largest(direction) * memory.length <= toleranceChange ||
        Math.abs(loss - memory.previousLoss) < toleranceChange;
      if (done) break;
    }
    this.#keep(memory);
    return firstLoss;
  }

  #recall(): Memory {
    const state = this.state.get(this.#params[0]!);
    const scalars = (state?.["scalars"]?.tolist() ?? []) as number[];
    const [iterations = 0, evaluations = 0, length = 0, scale = 1, previousLoss = 0] = scalars;
    const rows = (name: string) => [...(state?.[name]?.unbind(0) ?? [])];
    return {
      iterations,
      evaluations,
      length,
      scale,
      previousLoss,
      direction: state?.["direction"] ?? null,
      previousGrad: state?.["previousGrad"] ?? null,
      changes: rows("changes"),
      steps: rows("steps"),
    };
  }

  #keep(memory: Memory): void {
    const { iterations, evaluations, length, scale, previousLoss } = memory;
    const scalars = Float64Array.of(iterations, evaluations, length, scale, previousLoss);
    const kept: Record<string, Tensor> = { scalars: native.fromTypedArray(scalars, [5], "float64") };
    if (memory.direction) kept["direction"] = memory.direction;
    if (memory.previousGrad) kept["previousGrad"] = memory.previousGrad;
    if (memory.changes.length > 0) {
      kept["changes"] = torchFunctions.stack(memory.changes);
      kept["steps"] = torchFunctions.stack(memory.steps);
    }
    const before = this.state.get(this.#params[0]!) ?? {};
    for (const tensor of Object.values(kept)) native.keep(tensor);
    for (const tensor of Object.values(before))
      if (!Object.values(kept).includes(tensor)) native.dispose(tensor);
    this.state.set(this.#params[0]!, kept);
  }
}

/** Evaluations of the closure in one step. */
function evaluationsOf({ maxEval, maxIter }: LbfgsOptions): number {
  return maxEval ?? Math.floor((maxIter * 5) / 4);
}

/** The gradient times the estimated inverse Hessian, by the two-loop recursion; brings the memory up to date. */
function nextDirection(memory: Memory, grad: Tensor, historySize: number): Tensor {
  const { direction, previousGrad } = memory;
  if (!direction || !previousGrad) {
    memory.scale = 1;
    return grad.neg();
  }
  const change = grad.sub(previousGrad);
  const step = direction.mul(memory.length);
  const curvature = change.dot(step).item();
  if (curvature > 1e-10) {
    if (memory.changes.length === historySize) {
      memory.changes.shift();
      memory.steps.shift();
    }
    memory.changes.push(change);
    memory.steps.push(step);
    memory.scale = curvature / change.dot(change).item();
  }
  const inverse = memory.changes.map((one, i) => 1 / one.dot(memory.steps[i]!).item());
  const weights: number[] = [];
  const result = grad.neg();
  for (let i = memory.changes.length - 1; i >= 0; i--) {
    weights[i] = memory.steps[i]!.dot(result).item() * inverse[i]!;
    result.add_(memory.changes[i]!, { alpha: -weights[i]! });
  }
  result.mul_(memory.scale);
  for (const [i, one] of memory.changes.entries()) {
    const weight = one.dot(result).item() * inverse[i]!;
    result.add_(memory.steps[i]!, { alpha: weights[i]! - weight });
  }
  return result;
}
