// Softmax over very many classes (Grave et al., arXiv:1609.04309): frequent classes in the head, rare ones in clusters
// of their own with smaller projections, which are computed only for the rows that need them.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import { boolean, number, type Rules } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { Sequential } from "../container/sequential.ts";
import { type FactoryOptions, readLayerOptions } from "../factory.ts";
import { inputShape } from "../input.ts";
import { Linear } from "../linear.ts";
import { Module } from "../module/module.ts";
import type { ByName } from "../../types/index.ts";

interface Structure {
  /** The factor by which each cluster's projection is smaller than the one before. Default: 4. */
  readonly divValue?: number;
  /** Whether the head has a bias. Default: false. */
  readonly headBias?: boolean;
}

export interface AdaptiveSoftmaxOptions extends Structure, FactoryOptions {}

const RULES: Rules<Structure> = {
  divValue: number(4, { min: Number.MIN_VALUE }),
  headBias: boolean(false),
};

export interface AdaptiveSoftmaxOutput {
  /** The log-probability of each row's target, [batch]. */
  readonly output: Tensor;
  /** Minus their mean. */
  readonly loss: Tensor;
}

function checkCutoffs(call: string, cutoffs: readonly number[], classes: number): number[] {
  if (!Array.isArray(cutoffs) || cutoffs.length === 0)
    throw new TypeError(`${call}: cutoffs must be a list of class numbers, got ${describe(cutoffs)}.`);
  for (const [i, cutoff] of cutoffs.entries()) {
    checkInteger(call, `cutoffs[${i}]`, cutoff, 1);
    if ((i === 0 || cutoff > cutoffs[i - 1]) && cutoff < classes) continue;
    throw new RangeError(
      `${call}: cutoffs must rise and stay below numClasses ${classes}, got [${cutoffs.join(", ")}].`,
    );
  }
  return [...cutoffs, classes];
}

/** [batch, inFeatures] and the target classes [batch], sorted by how frequent they are -> `{ output, loss }`. */
export class AdaptiveLogSoftmaxWithLoss extends Module {
  readonly inFeatures: number;
  readonly numClasses: number;
  /** The classes at which the head and each cluster end. */
  readonly cutoffs: readonly number[];
  readonly divValue: number;
  readonly head: Linear;
  readonly tail: Sequential[];

  constructor(
    inFeatures: number,
    numClasses: number,
    cutoffs: readonly number[],
    divValue?: number | AdaptiveSoftmaxOptions,
    headBias?: boolean | AdaptiveSoftmaxOptions,
    device?: DeviceText | null | AdaptiveSoftmaxOptions,
    dtype?: DType | null,
  );
  constructor(
    named: ByName & {
      inFeatures: number;
      numClasses: number;
      cutoffs: readonly number[];
    } & AdaptiveSoftmaxOptions,
  );
  constructor(
    inFeatures: number,
    named: ByName & { numClasses: number; cutoffs: readonly number[] } & AdaptiveSoftmaxOptions,
  );
  constructor(
    inFeatures: number,
    numClasses: number,
    named: ByName & { cutoffs: readonly number[] } & AdaptiveSoftmaxOptions,
  );
  constructor(inFeatures: number, numClasses: number, cutoffs: readonly number[]);
  constructor(...all: unknown[]) {
    const [inFeatures, numClasses, cutoffs, ...given] = neededByPlace<
      [inFeatures: number, numClasses: number, cutoffs: readonly number[]]
    >(["inFeatures", "numClasses", "cutoffs"], all);
    super();
    const call = "new nn.AdaptiveLogSoftmaxWithLoss";
    const places = ["divValue", "headBias", "device", "dtype"] as const;
    const options = optionsByPlace<AdaptiveSoftmaxOptions>(call, places, given);
    const { read, factory } = readLayerOptions<Structure>(call, options, RULES);
    const { divValue, headBias: bias } = read;
    this.inFeatures = checkInteger(call, "inFeatures", inFeatures, 1);
    this.numClasses = checkInteger(call, "numClasses", numClasses, 2);
    this.cutoffs = checkCutoffs(call, cutoffs, numClasses);
    this.divValue = divValue;
    const clusters = cutoffs.length;
    this.head = new Linear(inFeatures, this.cutoffs[0]! + clusters, { bias, ...factory });
    this.tail = Array.from({ length: clusters }, (_, i) => {
      const hidden = Math.floor(inFeatures / divValue ** (i + 1));
      const classes = this.cutoffs[i + 1]! - this.cutoffs[i]!;
      return new Sequential(
        new Linear(inFeatures, hidden, { bias: false, ...factory }),
        new Linear(hidden, classes, { bias: false, ...factory }),
      );
    });
  }

  /** Draws the weights anew, as the constructor does: each of its linear layers by its own rule. */
  resetParameters(): void {
    this.head.resetParameters();
    for (const [first, second] of this.tail) {
      (first as Linear).resetParameters();
      (second as Linear).resetParameters();
    }
  }

  override forward(input: Tensor, target: Tensor): AdaptiveSoftmaxOutput {
    this._checkInput(input);
    const shape = inputShape(this, target);
    const rows = native.shape(input)[0]!;
    if (shape.length !== 1 || shape[0] !== rows || native.dtype(target) !== "int64") {
      throw new RangeError(
        `${this}: the target must be int64 of shape [${rows}], got ${native.dtype(target)} of shape [${shape.join(", ")}].`,
      );
    }
    const [lowest, highest] = rows > 0 ? [target.min(), target.max()] : [null, null];
    if (lowest && highest && (lowest.item() < 0 || highest.item() >= this.numClasses)) {
      throw new RangeError(
        `${this}: target classes must be from 0 to ${this.numClasses - 1}, got ${lowest.item()} to ${highest.item()}.`,
      );
    }
    const head = torchFunctions.logSoftmax(this.head(input), 1);
    const places = target.clone(); // where each row's class or cluster stands in the head
    let tails: Tensor = head.newZeros([rows]);
    for (const [i, cluster] of this.tail.entries()) {
      const [from, to] = [this.cutoffs[i]!, this.cutoffs[i + 1]!];
      const chosen = target.ge(from).logicalAnd(target.lt(to)).nonzero().squeeze(1);
      if (native.numel(chosen) === 0) continue;
      const scores = torchFunctions.logSoftmax(cluster(input.indexSelect(0, chosen)), 1);
      const own = target.indexSelect(0, chosen).sub(from).unsqueeze(1);
      tails = tails.indexCopy(0, chosen, scores.gather(1, own).squeeze(1));
      places.indexFill_(0, chosen, this.cutoffs[0]! + i);
    }
    const output = tails.add(head.gather(1, places.unsqueeze(1)).squeeze(1));
    return { output, loss: output.neg().mean() };
  }

  private _checkInput(input: Tensor): void {
    const shape = inputShape(this, input);
    if (shape.length === 2 && shape[1] === this.inFeatures) return;
    throw new RangeError(
      `${this}: the input must be [batch, ${this.inFeatures}], got shape [${shape.join(", ")}].`,
    );
  }

  /** Log-probabilities of all classes, [batch, numClasses]. */
  logProb(input: Tensor): Tensor {
    this._checkInput(input);
    const [first] = this.cutoffs as [number];
    const head = torchFunctions.logSoftmax(this.head(input), 1);
    const parts = this.tail.map((cluster, i) =>
      torchFunctions.logSoftmax(cluster(input), 1).add(head.narrow(1, first + i, 1)),
    );
    return torchFunctions.cat([head.narrow(1, 0, first), ...parts], 1);
  }

  /** The most probable class of each row, [batch]. */
  predict(input: Tensor): Tensor {
    return this.logProb(input).argmax(1);
  }
}
