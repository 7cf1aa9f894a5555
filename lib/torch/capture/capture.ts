// `torch.capture`: a step that runs as ever at first, and is then replayed without JavaScript.
import { isPlainObject } from "../../plain_object.ts";
import { isCapturing } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { requireFunction } from "../vocabulary/arguments.ts";
import { integer, readOptions, type Rules } from "../vocabulary/options.ts";
import { takeTensors } from "./arguments.ts";
import { CapturedStep, record, recordGraph, type Recorded } from "./captured_step.ts";

export interface CaptureOptions {
  /**
   * Every how many calls a call runs as ever, and is compared with the capture. So are some before, the second, fourth,
   * eighth... after the capture, and the first of a cell, or of a new optimizer or parameter. 0: none. Default: 100.
   */
  readonly checkEvery?: number;
}

const OPTIONS: Rules<CaptureOptions> = { checkEvery: integer(100, 0) };

/** A function that replays a step. */
export interface Captured<Args extends readonly unknown[], Result> {
  (...args: Args): Result;
  /** How often the step was captured: once for each shape, dtype and device of its arguments. */
  readonly captures: number;
  /** Calls that were replays. */
  readonly replays: number;
  /** Frees what was captured. The next call captures anew. */
  reset(): void;
}

/** How many captures of one step are kept; the least recently used is dropped. */
const MAX_CAPTURES = 16;

/** Texts for values that JSON cannot write, or would write at length. */
const textOf = (value: unknown): unknown => {
  if (typeof value === "symbol") return "tensor";
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value)
    ? value.constructor.name
    : value;
};

/** A text that distinguishes arguments: the pattern, and for each tensor `float32 [32, 784] cpu true`. */
const geometryOf = (args: readonly unknown[]): string => {
  const tensors: Tensor[] = [];
  const pattern = takeTensors(args, tensors);
  const geometries = tensors.map(
    (tensor) =>
      `${native.dtype(tensor)} ${native.shape(tensor).join()} ${native.device(tensor)} ${native.requiresGrad(tensor)}`,
  );
  return `${JSON.stringify(pattern, (_, value: unknown) => textOf(value))} ${geometries.join("; ")}`;
};

/**
 * Returns a function that does what the step does in one launch: the first calls run as ever and are recorded, later
 * ones replay the operators without JavaScript, below autograd. Arguments are tensors, in lists and objects too;
 * others are compared, and a new value captures anew, as another shape does. Tensors that come back have no graph.
 *
 * JavaScript numbers inside of the step are frozen, and so are the variables that it finds outside. Some calls run as
 * ever, and an error names the number that changed, with its line. Layers and optimizers are compared at each call, and
 * a change captures anew. Learning rates, schedules and the count of an optimizer's steps are followed.
 *
 *     const train = torch.capture((x, y) => {
 *       optimizer.zeroGrad();
 *       const loss = F.crossEntropy(model(x), y);
 *       loss.backward();
 *       optimizer.step();
 *       return loss;
 *     });
 *     for (const [x, y] of loader) losses.push(train(x, y));
 *
 * @throws TypeError for what a replay could not repeat, with the operator and the way out
 */
export function capture<Args extends unknown[], Result>(
  step: (...args: Args) => Result,
  options?: CaptureOptions,
): Captured<Args, Result> {
  requireFunction("torch.capture", step);
  const { checkEvery } = readOptions<CaptureOptions>("torch.capture", options, OPTIONS);
  /** For each geometry: the device of the calls so far, and how many there were. */
  const warm = new Map<string, { readonly device: DeviceName; readonly calls: number }>();
  let steps: CapturedStep[] = [];
  let captures = 0;
  let replays = 0;
  let capturesInARow = 0;

  function keep(args: readonly unknown[], recorded: Recorded): CapturedStep {
    captures++;
    if (++capturesInARow === MAX_CAPTURES) {
      process.emitWarning(
        `torch.capture: ${MAX_CAPTURES} calls in a row were captured anew, which is slower than the step: the shape or the value of an argument, or a field of a layer or an optimizer, changes with each call. Pass a number as a tensor, and keep lists of losses and counts outside of the model.`,
      );
    }
    const captured = new CapturedStep(args, recorded);
    steps = [captured, ...steps].slice(0, MAX_CAPTURES);
    return captured;
  }

  /**
   * A call for which there is no capture. The first calls may create state, such as an optimizer's; later ones do what
   * all others will do.
   */
  function first(args: readonly unknown[]): unknown {
    const geometry = geometryOf(args);
    const { device, calls } = warm.get(geometry) ?? { device: "cpu", calls: 0 };
    if (device.startsWith("cuda") && calls >= 2) {
      const captured = keep(args, recordGraph(step, args, device));
      // Whatever another layer or optimizer creates at its first call cannot be part of a graph, so the count starts
      // anew.
      warm.delete(geometry);
      return captured.replayFirst(captured.inputsOf(args)!);
    }
    const recorded = record(step, args, {
      isFirst: calls === 0,
      ...(device.startsWith("cuda") ? { stream: device } : {}),
    });
    const { madeState } = recorded.collected;
    warm.set(geometry, { device: recorded.device, calls: madeState ? 1 : calls + 1 });
    if (calls >= 1 && !madeState && !recorded.device.startsWith("cuda")) keep(args, recorded);
    return recorded.value;
  }

  /** A capture that no longer matches the step is dropped before the error, so that the next call captures anew. */
  function check(captured: CapturedStep, args: Args): unknown {
    const { value, difference } = captured.check(step, args);
    if (difference === null) return value;
    steps = steps.filter((other) => other !== captured);
    throw new Error(difference);
  }

  function call(...args: Args): Result {
    // Inside another captured step, this step is part of that one. Anomaly mode needs the graph.
    if (isCapturing() || native.anomalyMode().enabled) return step(...args);
    for (const captured of steps) {
      const inputs = captured.inputsOf(args);
      if (inputs === null) continue;
      capturesInARow = 0;
      if (captured.isDue(checkEvery)) return check(captured, args) as Result;
      replays++;
      return captured.replay(inputs) as Result;
    }
    return first(args) as Result;
  }

  return Object.defineProperties(call, {
    captures: { get: () => captures },
    replays: { get: () => replays },
    reset: {
      value: () => {
        steps = [];
        warm.clear();
      },
    },
  }) as Captured<Args, Result>;
}
