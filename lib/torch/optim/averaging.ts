// Averages of a model's weights over training: equal ones for stochastic weight averaging (Izmailov et al.,
// arXiv:1803.05407), exponential ones, or any other.
import { checkBoolean, checkFunction, checkNumber, checkOptions, describe } from "../arguments.ts";
import { isFloatingDType } from "../dtype.ts";
import { noGrad } from "../autograd.ts";
import { native } from "../native.ts";
import type { Tensor } from "../tensor.ts";

/** The next average from the present one, the model's tensor, and how many were averaged before. */
export type AverageFunction = (average: Tensor, value: Tensor, averaged: number) => Tensor;

/** `average = decay * average + (1 - decay) * value`. */
export function exponentialAverage(decay = 0.999): AverageFunction {
  checkNumber("optim.exponentialAverage", "decay", decay, { least: 0, most: 1 });
  return (average, value) => average.lerp(value, 1 - decay);
}

const equalAverage: AverageFunction = (average, value, averaged) =>
  average.add(value.sub(average).div(averaged + 1));

interface Averaged {
  stateDict(): Record<string, Tensor>;
  loadStateDict(state: Record<string, Tensor>): unknown;
}

export interface AveragedWeightsOptions {
  /** Equal averages unless given: `exponentialAverage(0.999)`. */
  readonly average?: AverageFunction;
  /** Averages buffers too, and does not take the model's last ones; false unless given. */
  readonly useBuffers?: boolean;
}

/**
 * The average of a model's weights, beside the model itself: `update()` after an optimizer's step or an epoch,
 * `run(fn)` to evaluate with the average in the model's place.
 */
export class AveragedWeights {
  readonly #model: Averaged & { namedParameters(): Iterable<[string, Tensor]> };
  readonly #average: AverageFunction;
  readonly #useBuffers: boolean;
  #weights: Record<string, Tensor>;
  /** How many updates there were. */
  averaged = 0;

  constructor(
    model: Averaged & { namedParameters(): Iterable<[string, Tensor]> },
    options?: AveragedWeightsOptions,
  ) {
    const call = "new optim.AveragedWeights";
    if (typeof model?.stateDict !== "function")
      throw new TypeError(`${call}: expected a module, got ${describe(model)}.`);
    const { average = equalAverage, useBuffers = false } = checkOptions(call, options, [
      "average",
      "useBuffers",
    ]);
    if (typeof average !== "function")
      throw new TypeError(`${call}: average must be a function, got ${describe(average)}.`);
    this.#model = model;
    this.#average = average;
    this.#useBuffers = checkBoolean(call, "useBuffers", useBuffers);
    this.#weights = this.#copy();
  }

  #copy(): Record<string, Tensor> {
    return noGrad(() =>
      Object.fromEntries(
        Object.entries(this.#model.stateDict()).map(([key, tensor]) => {
          const copy = tensor.clone();
          native.keep(copy);
          return [key, copy];
        }),
      ),
    );
  }

  /** Takes the model's present weights into the average. */
  update(): void {
    const trained = new Set(
      Array.from(this.#model.namedParameters(), ([, parameter]) => native.storage(parameter).address),
    );
    noGrad(() => {
      for (const [key, value] of Object.entries(this.#model.stateDict())) {
        const average = this.#weights[key]!;
        const counts = this.#useBuffers || trained.has(native.storage(value).address);
        if (this.averaged === 0 || !counts || !isFloatingDType(native.dtype(value))) average.copy_(value);
        else average.copy_(this.#average(average, value, this.averaged));
      }
    });
    this.averaged++;
  }

  /** The averages by the model's keys, sharing memory. */
  stateDict(): Record<string, Tensor> {
    return { ...this.#weights };
  }

  /** Runs `fn` with the averages in the model, and gives the model its own weights back. */
  run<Result>(fn: () => Result): Result {
    checkFunction("AveragedWeights.run", "fn", fn);
    const own = this.#copy();
    this.#model.loadStateDict(this.#weights);
    try {
      return fn();
    } finally {
      this.#model.loadStateDict(own);
    }
  }
}
