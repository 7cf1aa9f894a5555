// The methods that all distributions have. A distribution says its shapes and formulas as a `Law`; here arguments and
// values are checked, once for all.
import type { Tensor } from "../types/index.ts";
import { checkInteger, checkList, shapeText } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { noGrad } from "../autograd/autograd.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { checkConstraint, type Constraint } from "./constraints.ts";

/** Formulas of a distribution. Those that are left out do not exist for it. */
export interface Law {
  /** Independent distributions, each with parameters of its own. */
  readonly batchShape: readonly number[];
  /** The shape of one value. */
  readonly eventShape: readonly number[];
  readonly support: Constraint;
  /** Values of this shape, batch and event included. */
  sample(shape: readonly number[]): Tensor;
  /** The same with gradients to the parameters. */
  rsample?(shape: readonly number[]): Tensor;
  logProb?(value: Tensor): Tensor;
  cdf?(value: Tensor): Tensor;
  icdf?(probability: Tensor): Tensor;
  entropy?(): Tensor;
  mean?(): Tensor;
  mode?(): Tensor;
  variance?(): Tensor;
}

/**
 * A probability distribution, or a batch of them. `sampleShape` comes before `batchShape`, and `batchShape` before
 * `eventShape`: two samples of a batch of three have the shape [2, 3].
 */
export abstract class Distribution {
  /** Whether values are checked, which reads them. */
  readonly validateArgs: boolean;
  readonly #law: Law;

  /** @internal */
  constructor(law: Law, validateArgs: boolean) {
    this.#law = law;
    this.validateArgs = validateArgs;
  }

  /** @internal The formulas, without checks of values. */
  static lawOf(distribution: Distribution): Law {
    return distribution.#law;
  }

  get batchShape(): number[] {
    return [...this.#law.batchShape];
  }

  get eventShape(): number[] {
    return [...this.#law.eventShape];
  }

  /** Whether `rsample` gives gradients to the parameters. */
  get hasRsample(): boolean {
    return this.#law.rsample !== undefined;
  }

  get mean(): Tensor {
    return this.#formula("mean")();
  }

  /** The likeliest value. */
  get mode(): Tensor {
    return this.#formula("mode")();
  }

  get variance(): Tensor {
    return this.#formula("variance")();
  }

  get stddev(): Tensor {
    return this.variance.sqrt();
  }

  /** -> [...sampleShape, ...batchShape, ...eventShape], without gradients */
  sample(sampleShape: readonly number[] = []): Tensor {
    const shape = this.#extended("sample", sampleShape);
    return noGrad(() => this.#law.sample(shape));
  }

  /**
   * -> [...sampleShape, ...batchShape, ...eventShape], through which gradients reach the parameters
   *
   * @throws TypeError where there is no such gradient, as for whole numbers: use `logProb` there
   */
  rsample(sampleShape: readonly number[] = []): Tensor {
    const shape = this.#extended("rsample", sampleShape);
    return this.#formula("rsample")(shape);
  }

  /**
   * The logarithm of a value's density, or of its probability.
   *
   * [...sampleShape, ...batchShape, ...eventShape] -> [...sampleShape, ...batchShape]
   */
  logProb(value: Tensor): Tensor {
    return this.#formula("logProb")(this.#checkValue("logProb", value));
  }

  /** The probability of a value of at most this size. */
  cdf(value: Tensor): Tensor {
    return this.#formula("cdf")(this.#checkValue("cdf", value));
  }

  /** The value below which this probability lies: the inverse of `cdf`. */
  icdf(probability: Tensor): Tensor {
    const formula = this.#formula("icdf");
    return formula(checkTensor(`${this.constructor.name}.icdf`, "probability", probability));
  }

  /** In nats: `-logProb` on average. -> batchShape */
  entropy(): Tensor {
    return this.#formula("entropy")();
  }

  /** `exp(entropy())`. -> batchShape */
  perplexity(): Tensor {
    return this.entropy().exp();
  }

  /** `Normal(batchShape: [2], eventShape: [])` */
  toString(): string {
    const { batchShape, eventShape } = this.#law;
    return `${this.constructor.name}(batchShape: ${shapeText(batchShape)}, eventShape: ${shapeText(eventShape)})`;
  }

  #extended(call: string, sampleShape: readonly number[]): number[] {
    const where = `${this.constructor.name}.${call}`;
    const sizes = checkList(where, "sampleShape", sampleShape).map((size, at) =>
      checkInteger(where, `sampleShape[${at}]`, size, 0),
    );
    return [...sizes, ...this.#law.batchShape, ...this.#law.eventShape];
  }

  #formula<Name extends "rsample" | "logProb" | "cdf" | "icdf" | "entropy" | "mean" | "mode" | "variance">(
    name: Name,
  ): NonNullable<Law[Name]> {
    const formula = this.#law[name];
    if (formula === undefined)
      throw new TypeError(
        `${this.constructor.name}.${name}: this distribution has no ${name}${WAYS_OUT[name] ?? "."}`,
      );
    return formula as NonNullable<Law[Name]>;
  }

  #checkValue(call: string, value: Tensor): Tensor {
    const where = `${this.constructor.name}.${call}`;
    const given = native.shape(checkTensor(where, "value", value));
    const { batchShape, eventShape, support } = this.#law;
    const own = [...batchShape, ...eventShape];
    const fits = own.every((size, at) => {
      const other = given[given.length - own.length + at] ?? 1;
      const isEvent = at >= batchShape.length;
      return other === size || (!isEvent && (other === 1 || size === 1));
    });
    if (!fits || given.length < eventShape.length)
      throw new RangeError(
        `${where}: a value of shape ${shapeText(given)} does not fit batchShape ${shapeText(batchShape)} and eventShape ${shapeText(eventShape)}.`,
      );
    if (this.validateArgs) checkConstraint(where, "value", value, support);
    return value;
  }
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  rsample: " with gradients: use sample() and logProb(value).",
};
