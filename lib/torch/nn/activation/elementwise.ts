// Activations without parameters: each is one of libtorch's operators, with the numbers and choices that it takes.
import type { Tensor } from "../../tensor/tensor.ts";
import { checkBoolean, checkNumber } from "../../vocabulary/arguments.ts";
import { argumentsByName, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import { choice, readOptions, type Rules } from "../../vocabulary/options.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { InPlaceOptions } from "../functional/in_place.ts";
import { tanhshrink, softsign } from "../functional/activation.ts";
import { inputShape } from "../input.ts";
import { Module } from "../module/base.ts";
import { keepNothing } from "../module/transient.ts";
import type { ByName, LayerCall } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

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
  private readonly _numbers: readonly string[];
  private readonly _operators: Operators;

  /**
   * @param defaults the numbers' defaults under their names; undefined of one that must be given
   * @param given the numbers and `inplace`, by place or by name
   */
  protected constructor(
    defaults: Readonly<Record<string, number | undefined>>,
    operators: Operators,
    given: readonly unknown[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const names = Object.keys(defaults);
    const places = operators.inPlace ? [...names, "inplace"] : names;
    const { inplace = false, ...numbers } = argumentsByName<Record<string, unknown>>(call, { places }, given);
    for (const name of names)
      Object.assign(this, { [name]: checkNumber(call, name, numbers[name] ?? defaults[name]) });
    this._numbers = names;
    this._operators = operators;
    if (operators.inPlace) this.inplace = checkBoolean(call, "inplace", inplace);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    const run = (this.inplace && this._operators.inPlace) || this._operators.run;
    return run(input, ...(this._values() as never[]));
  }

  private _values(): number[] {
    return this._numbers.map((name) => (this as unknown as Record<string, number>)[name]!);
  }

  override extraRepr(): string {
    const values = this._values();
    const numbers = this._numbers.map((name, index) => `${name}=${values[index]}`);
    return [...numbers, ...(this.inplace ? ["inplace=true"] : [])].join(", ");
  }
}

/** max(x, 0) */
export class ReLU extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: torchFunctions.relu, inPlace: torchFunctions.relu_ }, given);
  }
}

/** min(max(x, 0), 6) */
export class ReLU6 extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.relu6, inPlace: nnFunctions.relu6_ }, given);
  }
}

/** 1 / (1 + exp(-x)) */
export class Sigmoid extends Elementwise {
  constructor();
  constructor(...given: unknown[]) {
    super({}, { run: torchFunctions.sigmoid }, given);
  }
}

/** (exp(x) - exp(-x)) / (exp(x) + exp(-x)) */
export class Tanh extends Elementwise {
  constructor();
  constructor(...given: unknown[]) {
    super({}, { run: torchFunctions.tanh }, given);
  }
}

/** x - tanh(x) */
export class Tanhshrink extends Elementwise {
  constructor();
  constructor(...given: unknown[]) {
    super({}, { run: tanhshrink }, given);
  }
}

/** x / (1 + |x|) */
export class Softsign extends Elementwise {
  constructor();
  constructor(...given: unknown[]) {
    super({}, { run: softsign }, given);
  }
}

/** x sigmoid(x) */
export class SiLU extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.silu, inPlace: nnFunctions.silu_ }, given);
  }
}

/** x tanh(softplus(x)) */
export class Mish extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.mish, inPlace: nnFunctions.mish_ }, given);
  }
}

/**
 * scale (max(0, x) + min(0, alpha (exp(x) - 1))), scale 1.0507 and alpha 1.6733 (Klambauer et al., arXiv:1706.02515)
 */
export class SELU extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: torchFunctions.selu, inPlace: torchFunctions.selu_ }, given);
  }
}

/** x relu6(x + 3) / 6 (Howard et al., arXiv:1905.02244) */
export class Hardswish extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.hardswish, inPlace: nnFunctions.hardswish_ }, given);
  }
}

/** relu6(x + 3) / 6 */
export class Hardsigmoid extends Elementwise {
  constructor(inplace?: boolean | InPlaceOptions);
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.hardsigmoid, inPlace: nnFunctions.hardsigmoid_ }, given);
  }
}

/** log(sigmoid(x)) */
export class LogSigmoid extends Elementwise {
  constructor();
  constructor(...given: unknown[]) {
    super({}, { run: nnFunctions.logSigmoid }, given);
  }
}

/** x above 0, negativeSlope * x below. */
export class LeakyReLU extends Elementwise {
  declare negativeSlope: number;

  constructor(negativeSlope?: number, inplace?: boolean | InPlaceOptions);
  constructor(
    options: InPlaceOptions & {
      /** The slope below zero. Default: 0.01. */
      readonly negativeSlope?: number;
    },
  );
  constructor(...given: unknown[]) {
    super({ negativeSlope: 0.01 }, { run: nnFunctions.leakyRelu, inPlace: nnFunctions.leakyRelu_ }, given);
  }
}

export interface AlphaOptions extends InPlaceOptions {
  /** The scale of what lies below zero. Default: 1. */
  readonly alpha?: number;
}

/** x above 0, alpha (exp(x) - 1) below. */
export class ELU extends Elementwise {
  declare alpha: number;

  constructor(alpha?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: AlphaOptions);
  constructor(...given: unknown[]) {
    super({ alpha: 1 }, { run: nnFunctions.elu, inPlace: nnFunctions.elu_ }, given);
  }
}

/** max(x, 0) + min(0, alpha (exp(x / alpha) - 1)) */
export class CELU extends Elementwise {
  declare alpha: number;

  constructor(alpha?: number, inplace?: boolean | InPlaceOptions);
  constructor(options: AlphaOptions);
  constructor(...given: unknown[]) {
    super({ alpha: 1 }, { run: torchFunctions.celu, inPlace: torchFunctions.celu_ }, given);
    if (this.alpha === 0) throw new RangeError("new nn.CELU: alpha must not be 0, by which it divides.");
  }
}

/** log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold. */
export class Softplus extends Elementwise {
  declare beta: number;
  declare threshold: number;

  constructor(beta?: number, threshold?: number);
  constructor(options: {
    /** How sharp the bend is. Default: 1. */
    readonly beta?: number;
    /** The product of beta and x from which the result is x itself. Default: 20. */
    readonly threshold?: number;
  });
  constructor(...given: unknown[]) {
    super({ beta: 1, threshold: 20 }, { run: nnFunctions.softplus }, given);
  }
}

export interface LambdaOptions {
  /** Values not further than this from zero give 0. Default: 0.5. */
  readonly lambda?: number;
}

/** x where |x| is above lambda, else 0. */
export class Hardshrink extends Elementwise {
  declare lambda: number;

  constructor(lambda?: number);
  constructor(options: LambdaOptions);
  constructor(...given: unknown[]) {
    super({ lambda: 0.5 }, { run: torchFunctions.hardshrink }, given);
  }
}

/** x - lambda above lambda, x + lambda below -lambda, 0 between. */
export class Softshrink extends Elementwise {
  declare lambda: number;

  constructor(lambda?: number);
  constructor(options: LambdaOptions);
  constructor(...given: unknown[]) {
    super({ lambda: 0.5 }, { run: nnFunctions.softshrink }, given);
    checkNumber("new nn.Softshrink", "lambda", this.lambda, { min: 0 });
  }
}

/** x above the threshold, else the value. */
export class Threshold extends Elementwise {
  declare threshold: number;
  declare value: number;

  constructor(threshold: number, value: number, inplace?: boolean | InPlaceOptions);
  constructor(named: ByName & InPlaceOptions & { readonly threshold: number; readonly value: number });
  constructor(threshold: number, named: ByName & InPlaceOptions & { readonly value: number });
  constructor(threshold: number, value: number);
  constructor(...given: unknown[]) {
    super(
      { threshold: undefined, value: undefined },
      { run: torchFunctions.threshold, inPlace: torchFunctions.threshold_ },
      given,
    );
  }
}

/** x between minVal and maxVal, else the nearer of them. */
export class Hardtanh extends Elementwise {
  declare minVal: number;
  declare maxVal: number;

  constructor(minVal?: number, maxVal?: number, inplace?: boolean | InPlaceOptions);
  constructor(
    options: InPlaceOptions & {
      /** The least value of the result. Default: -1. */
      readonly minVal?: number;
      /** The greatest value of the result. Default: 1. */
      readonly maxVal?: number;
    },
  );
  constructor(...given: unknown[]) {
    super({ minVal: -1, maxVal: 1 }, { run: nnFunctions.hardtanh, inPlace: nnFunctions.hardtanh_ }, given);
    if (this.minVal >= this.maxVal)
      throw new RangeError(
        `new nn.Hardtanh: minVal must be below maxVal, got ${this.minVal} and ${this.maxVal}.`,
      );
  }
}

export interface GeluOptions {
  /** "tanh" takes a formula with a tanh in place of the distribution. Default: "none". */
  readonly approximate?: "none" | "tanh";
}

const GELU_RULES: Rules<GeluOptions> = { approximate: choice("none", ["none", "tanh"]) };

export interface GELU extends LayerCall<""> {}

/** x P(X <= x) for a standard normal X; "tanh" approximates it. */
export class GELU extends Module {
  approximate: "none" | "tanh";

  constructor(approximate?: "none" | "tanh" | GeluOptions);
  constructor(...given: unknown[]) {
    super();
    const options = optionsByPlace<GeluOptions>("new nn.GELU", ["approximate"], given);
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
