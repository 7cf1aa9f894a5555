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

/** Takes the activation's numbers behind the input. */
type Operator = (input: Tensor, ...numbers: never[]) => Tensor;

interface Operators {
  readonly run: Operator;
  /** The operator that overwrites the input, for activations that have one. */
  readonly inPlace?: Operator;
}

interface Elementwise extends LayerCall<""> {}

/** An activation: numbers under their names, which it checks and prints, and the operators that take them in this order. */
abstract class Elementwise extends Module {
  declare inplace: boolean;
  readonly #numbers: readonly string[];
  readonly #operators: Operators;

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
    this.#operators = operators;
    if (operators.inPlace) this.inplace = inplace;
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    const run = (this.inplace && this.#operators.inPlace) || this.#operators.run;
    return run(input, ...(this.#values() as never[]));
  }

  #values(): number[] {
    return this.#numbers.map((name) => (this as unknown as Record<string, number>)[name]!);
  }

  override extraRepr(): string {
    const values = this.#values();
    const numbers = this.#numbers.map((name, index) => `${name}=${values[index]}`);
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
  declare negativeSlope: number;

  constructor(negativeSlope = 0.01, options?: InPlaceOptions) {
    super({ negativeSlope }, { run: nnFunctions.leakyRelu, inPlace: nnFunctions.leakyRelu_ }, options);
  }
}

/** x above 0, alpha (exp(x) - 1) below. */
export class ELU extends Elementwise {
  declare alpha: number;

  constructor(alpha = 1, options?: InPlaceOptions) {
    super({ alpha }, { run: nnFunctions.elu, inPlace: nnFunctions.elu_ }, options);
  }
}

/** max(x, 0) + min(0, alpha (exp(x / alpha) - 1)) */
export class CELU extends Elementwise {
  declare alpha: number;

  constructor(alpha = 1, options?: InPlaceOptions) {
    super({ alpha }, { run: torchFunctions.celu, inPlace: torchFunctions.celu_ }, options);
    if (alpha === 0) throw new RangeError("new nn.CELU: alpha must not be 0, by which it divides.");
  }
}

/** log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold. */
export class Softplus extends Elementwise {
  declare beta: number;
  declare threshold: number;

  constructor(beta = 1, threshold = 20) {
    super({ beta, threshold }, { run: nnFunctions.softplus });
  }
}

/** x where |x| is above lambda, else 0. */
export class Hardshrink extends Elementwise {
  declare lambda: number;

  constructor(lambda = 0.5) {
    super({ lambda }, { run: torchFunctions.hardshrink });
  }
}

/** x - lambda above lambda, x + lambda below -lambda, 0 between. */
export class Softshrink extends Elementwise {
  declare lambda: number;

  constructor(lambda = 0.5) {
    super({ lambda }, { run: nnFunctions.softshrink });
    checkNumber("new nn.Softshrink", "lambda", lambda, { min: 0 });
  }
}

/** x above the threshold, else the value. */
export class Threshold extends Elementwise {
  declare threshold: number;
  declare value: number;

  constructor(threshold: number, value: number, options?: InPlaceOptions) {
    super(
      { threshold, value },
      { run: torchFunctions.threshold, inPlace: torchFunctions.threshold_ },
      options,
    );
  }
}

/** x between minVal and maxVal, else the nearer of them. */
export class Hardtanh extends Elementwise {
  declare minVal: number;
  declare maxVal: number;

  constructor(minVal = -1, maxVal = 1, options?: InPlaceOptions) {
    super({ minVal, maxVal }, { run: nnFunctions.hardtanh, inPlace: nnFunctions.hardtanh_ }, options);
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
  approximate: "none" | "tanh";

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
