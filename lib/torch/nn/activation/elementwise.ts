// Activations without parameters: each is one of libtorch's operators, with the numbers and choices that it takes.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkNumber } from "../../vocabulary/arguments.ts";
import { boolean, choice, readOptions, type Rules } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import { tanhshrink, softsign } from "../functional/activation.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import { keepNothing } from "../module/transient.ts";
import type { LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

/** The options of activations and dropouts that can overwrite their input. */
export interface InPlaceOptions {
  /** Overwrites the input with the result, which saves its memory. Default: false. */
  readonly inplace?: boolean;
}

export const IN_PLACE_RULES: Rules<InPlaceOptions> = { inplace: boolean(false) };

type Operator = (input: Tensor) => Tensor;

interface Operators {
  readonly run: Operator;
  /** The operator that overwrites the input, for activations that have one. */
  readonly inPlace?: Operator;
}

interface Elementwise extends LayerCall<""> {}

/** An activation: numbers under their names, which it checks and prints, and the operators that take them. */
abstract class Elementwise extends Module {
  declare readonly inplace: boolean;
  readonly #numbers: readonly string[];
  readonly #run: Operator;

  protected constructor(
    numbers: Readonly<Record<string, number>>,
    operators: Operators,
    options?: InPlaceOptions,
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    for (const [name, value] of Object.entries(numbers)) checkNumber(call, name, value);
    Object.assign(this, numbers);
    this.#numbers = Object.keys(numbers);
    const { inplace } = readOptions<InPlaceOptions>(call, options, IN_PLACE_RULES);
    this.#run = (inplace && operators.inPlace) || operators.run;
    if (operators.inPlace) this.inplace = inplace;
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return this.#run(input);
  }

  override extraRepr(): string {
    const numbers = this.#numbers.map(
      (name) => `${name}=${(this as unknown as Record<string, number>)[name]}`,
    );
    return [...numbers, ...(this.inplace ? ["inplace=true"] : [])].join(", ");
  }
}

/** max(x, 0) */
export class ReLU extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: torchFunctions.relu, inPlace: torchFunctions.relu_ }, options);
  }
}

/** min(max(x, 0), 6) */
export class ReLU6 extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: nnFunctions.relu6, inPlace: nnFunctions.relu6_ }, options);
  }
}

/** 1 / (1 + exp(-x)) */
export class Sigmoid extends Elementwise {
  constructor() {
    super({}, { run: torchFunctions.sigmoid });
  }
}

/** (exp(x) - exp(-x)) / (exp(x) + exp(-x)) */
export class Tanh extends Elementwise {
  constructor() {
    super({}, { run: torchFunctions.tanh });
  }
}

/** x - tanh(x) */
export class Tanhshrink extends Elementwise {
  constructor() {
    super({}, { run: tanhshrink });
  }
}

/** x / (1 + |x|) */
export class Softsign extends Elementwise {
  constructor() {
    super({}, { run: softsign });
  }
}

/** x sigmoid(x) */
export class SiLU extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: nnFunctions.silu, inPlace: nnFunctions.silu_ }, options);
  }
}

/** x tanh(softplus(x)) */
export class Mish extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: nnFunctions.mish, inPlace: nnFunctions.mish_ }, options);
  }
}

/**
 * scale (max(0, x) + min(0, alpha (exp(x) - 1))), scale 1.0507 and alpha 1.6733 (Klambauer et al., arXiv:1706.02515)
 */
export class SELU extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: torchFunctions.selu, inPlace: torchFunctions.selu_ }, options);
  }
}

/** x relu6(x + 3) / 6 (Howard et al., arXiv:1905.02244) */
export class Hardswish extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: nnFunctions.hardswish, inPlace: nnFunctions.hardswish_ }, options);
  }
}

/** relu6(x + 3) / 6 */
export class Hardsigmoid extends Elementwise {
  constructor(options?: InPlaceOptions) {
    super({}, { run: nnFunctions.hardsigmoid, inPlace: nnFunctions.hardsigmoid_ }, options);
  }
}

/** log(sigmoid(x)) */
export class LogSigmoid extends Elementwise {
  constructor() {
    super({}, { run: nnFunctions.logSigmoid });
  }
}

/** x above 0, negativeSlope * x below. */
export class LeakyReLU extends Elementwise {
  declare readonly negativeSlope: number;

  constructor(negativeSlope = 0.01, options?: InPlaceOptions) {
    const run = (input: Tensor) => nnFunctions.leakyRelu(input, negativeSlope);
    super({ negativeSlope }, { run, inPlace: (x) => nnFunctions.leakyRelu_(x, negativeSlope) }, options);
  }
}

/** x above 0, alpha (exp(x) - 1) below. */
export class ELU extends Elementwise {
  declare readonly alpha: number;

  constructor(alpha = 1, options?: InPlaceOptions) {
    const run = (input: Tensor) => nnFunctions.elu(input, alpha);
    super({ alpha }, { run, inPlace: (x) => nnFunctions.elu_(x, alpha) }, options);
  }
}

/** max(x, 0) + min(0, alpha (exp(x / alpha) - 1)) */
export class CELU extends Elementwise {
  declare readonly alpha: number;

  constructor(alpha = 1, options?: InPlaceOptions) {
    const run = (input: Tensor) => torchFunctions.celu(input, alpha);
    super({ alpha }, { run, inPlace: (x) => torchFunctions.celu_(x, alpha) }, options);
    if (alpha === 0) throw new RangeError("new nn.CELU: alpha must not be 0, by which it divides.");
  }
}

/** log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold. */
export class Softplus extends Elementwise {
  declare readonly beta: number;
  declare readonly threshold: number;

  constructor(beta = 1, threshold = 20) {
    super({ beta, threshold }, { run: (input) => nnFunctions.softplus(input, beta, threshold) });
  }
}

/** x where |x| is above lambda, else 0. */
export class Hardshrink extends Elementwise {
  declare readonly lambda: number;

  constructor(lambda = 0.5) {
    super({ lambda }, { run: (input) => torchFunctions.hardshrink(input, lambda) });
  }
}

/** x - lambda above lambda, x + lambda below -lambda, 0 between. */
export class Softshrink extends Elementwise {
  declare readonly lambda: number;

  constructor(lambda = 0.5) {
    super({ lambda }, { run: (input) => nnFunctions.softshrink(input, lambda) });
    checkNumber("new nn.Softshrink", "lambda", lambda, { least: 0 });
  }
}

/** x above the threshold, else the value. */
export class Threshold extends Elementwise {
  declare readonly threshold: number;
  declare readonly value: number;

  constructor(threshold: number, value: number, options?: InPlaceOptions) {
    const run = (input: Tensor) => torchFunctions.threshold(input, threshold, value);
    const inPlace = (input: Tensor) => torchFunctions.threshold_(input, threshold, value);
    super({ threshold, value }, { run, inPlace }, options);
  }
}

/** x between minVal and maxVal, else the nearer of them. */
export class Hardtanh extends Elementwise {
  declare readonly minVal: number;
  declare readonly maxVal: number;

  constructor(minVal = -1, maxVal = 1, options?: InPlaceOptions) {
    const run = (input: Tensor) => nnFunctions.hardtanh(input, minVal, maxVal);
    const inPlace = (input: Tensor) => nnFunctions.hardtanh_(input, minVal, maxVal);
    super({ minVal, maxVal }, { run, inPlace }, options);
    if (minVal >= maxVal)
      throw new RangeError(`new nn.Hardtanh: minVal must be below maxVal, got ${minVal} and ${maxVal}.`);
  }
}

interface GeluOptions {
  readonly approximate?: "none" | "tanh";
}

const GELU_RULES: Rules<GeluOptions> = { approximate: choice("none", ["none", "tanh"]) };

export interface GELU extends LayerCall<""> {}

/** x P(X <= x) for a standard normal X; "tanh" approximates it. */
export class GELU extends Module {
  readonly approximate: "none" | "tanh";

  constructor(options?: GeluOptions) {
    super();
    this.approximate = readOptions<GeluOptions>("new nn.GELU", options, GELU_RULES).approximate;
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return nnFunctions.gelu(input, { approximate: this.approximate });
  }

  override extraRepr(): string {
    return `approximate="${this.approximate}"`;
  }
}

keepNothing(Elementwise, GELU);
