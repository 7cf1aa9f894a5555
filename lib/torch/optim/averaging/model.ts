// AveragedModel: the average of a model's weights over training, as a model of its own. `functions.ts` computes
// averages.
import type { DeviceName, DeviceText } from "../../vocabulary/device_name.ts";
import { checkFunction } from "../../vocabulary/arguments.ts";
import { boolean, callback, checkedLater, type OpenRules, readOptions } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { Module } from "../../nn/module/module.ts";
import { Buffer } from "../../nn/module/parameter.ts";
import { copyTensors, withTensors } from "../../nn/module/tensors_in_place.ts";
import { requireModule } from "../../nn/module/require_module.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { getSwaMultiAvgFn, type AverageFunction, type MultiAverageFunction } from "./functions.ts";

export interface AveragedModelOptions {
  /** The device of the averages. Default: each tensor's own device. */
  readonly device?: DeviceText;
  /** How one tensor is averaged, as `optim.getEmaAvgFn(0.999)`. Default: equally. */
  readonly avgFn?: AverageFunction;
  /**
   * How lists of tensors are averaged, as `optim.getEmaMultiAvgFn(0.999)`; this or `avgFn`. Default: the mean of all.
   */
  readonly multiAvgFn?: MultiAverageFunction;
  /** Averages buffers too, and does not take the model's last ones. Default: false. */
  readonly useBuffers?: boolean;
}

const RULES = {
  device: checkedLater<DeviceName | undefined>(undefined),
  avgFn: callback<AverageFunction>(),
  multiAvgFn: callback<MultiAverageFunction>(),
  useBuffers: boolean(false),
} satisfies OpenRules<AveragedModelOptions>;

interface Pair {
  readonly averaged: Tensor;
  readonly value: Tensor;
}

/**
 * The average of a model's weights, called as the model is: `updateParameters(model)` after an optimizer's step or an
 * epoch. Its state dict is PyTorch's, `n_averaged` and `module.<key>` (`torch/optim/swa_utils.py`).
 *
 * Only tensors are copied: a call runs the code of the model that it was made from, with the averages in the place of
 * its own tensors.
 */
export class AveragedModel<Model extends Module = Module> extends Module {
  /** How many models were averaged, an int64 scalar. */
  readonly nAveraged: Buffer;
  /** The averages, at the paths that the model has them at. */
  readonly module: Module;
  readonly #model: Model;
  readonly #avgFn: AverageFunction | undefined;
  readonly #multiAvgFn: MultiAverageFunction;
  readonly #useBuffers: boolean;

  constructor(model: Model, options?: AveragedModelOptions) {
    super();
    const call = "new optim.AveragedModel";
    requireModule(call, model);
    const { avgFn, multiAvgFn, useBuffers, device } = readOptions(call, options, RULES);
    if (avgFn !== undefined && multiAvgFn !== undefined)
      throw new TypeError(`${call}: avgFn and multiAvgFn exclude each other; give one of them.`);
    this.#model = model;
    this.#avgFn = avgFn;
    this.#multiAvgFn = multiAvgFn ?? getSwaMultiAvgFn();
    this.#useBuffers = useBuffers;
    this.nAveraged = new Buffer(native.fromTypedArray(BigInt64Array.of(0n), [], "int64"));
    this.module = copyTensors(call, model);
    if (device !== undefined) this.to({ device });
  }

  override forward(...inputs: Parameters<Model["forward"]>): ReturnType<Model["forward"]> {
    type Called = (...given: unknown[]) => ReturnType<Model["forward"]>;
    return this.run((model) => (model as unknown as Called)(...inputs));
  }

  /**
   * Runs `fn` with the model, whose tensors are the averages meanwhile; where it gives a promise, until that is settled.
   */
  run<Result>(fn: (model: Model) => Result): Result {
    checkFunction("AveragedModel.run", "fn", fn);
    return withTensors(this.#model, this.module, () => fn(this.#model));
  }

  /**
   * Takes a model's present weights into the average; the first are copied.
   *
   * @throws RangeError for a model that does not have the tensors averaged, in their shapes
   */
  updateParameters(model: Module): void {
    const call = "AveragedModel.updateParameters";
    requireModule(call, model);
    const parameters = this.#pairs(call, model.namedParameters(), this.module.namedParameters());
    const buffers = this.#pairs(call, model.namedBuffers(), this.module.namedBuffers());
    const counted = Number(native.item(this.nAveraged));
    const averages = this.#useBuffers ? [...parameters, ...buffers] : parameters;
    noGrad(() => {
      if (counted === 0) copyAll(averages);
      else tidy(() => this.#average(averages, counted));
      if (!this.#useBuffers) copyAll(buffers);
      this.nAveraged.add_(1);
    });
  }

  #pairs(call: string, values: Iterable<[string, Tensor]>, averaged: Iterable<[string, Tensor]>): Pair[] {
    const given = new Map(values);
    const own = new Map(averaged);
    const extra = [...given.keys()].find((path) => !own.has(path));
    if (extra !== undefined) throw new RangeError(`${call}: the model has "${extra}", the average has not.`);
    return Array.from(own, ([path, average]) => {
      const value = given.get(path);
      if (!value) throw new RangeError(`${call}: the average has "${path}", the model has not.`);
      const [from, to] = [native.shape(value).join(", "), native.shape(average).join(", ")];
      if (from !== to)
        throw new RangeError(`${call}: "${path}" is [${from}] in the model and [${to}] in the average.`);
      return { averaged: average, value };
    });
  }

  #average(pairs: readonly Pair[], counted: number): void {
    const alike = new Map<string, { averaged: Tensor[]; values: Tensor[] }>();
    for (const { averaged, value } of pairs) {
      const [device, dtype] = [native.device(averaged), native.dtype(averaged)];
      const [own, given] = [averaged.detach(), value.detach().to({ device, dtype })];
      if (this.#avgFn) {
        own.copy_(this.#avgFn(own, given, counted));
        continue;
      }
      const key = `${device} ${dtype}`;
      let lists = alike.get(key);
      if (!lists) alike.set(key, (lists = { averaged: [], values: [] }));
      lists.averaged.push(own);
      lists.values.push(given);
    }
    for (const { averaged, values } of alike.values()) this.#multiAvgFn(averaged, values, counted);
  }
}

function copyAll(pairs: readonly Pair[]): void {
  for (const { averaged, value } of pairs) averaged.copy_(value);
}
