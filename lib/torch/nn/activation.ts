// Activations as layers. None has parameters but PReLU; each is libtorch's operator.
import type { Tensor } from "../tensor.ts";
import { checkChoice, checkInteger, checkNumber } from "../arguments.ts";
import { nnFunctions, torchFunctions } from "../operators.ts";
import { inputShape } from "./input.ts";
import { filledParameter, type FactoryOptions } from "./factory.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { keepNothing } from "./transient.ts";

/** An activation without options: `operator` applied to every element. */
abstract class Elementwise extends Module {
  readonly #operator: (input: Tensor) => Tensor;

  protected constructor(operator: (input: Tensor) => Tensor) {
    super();
    this.#operator = operator;
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return this.#operator(input);
  }
}

/** max(x, 0) */
export class ReLU extends Elementwise {
  constructor() {
    super(torchFunctions.relu);
  }
}

/** min(max(x, 0), 6) */
export class ReLU6 extends Elementwise {
  constructor() {
    super(nnFunctions.relu6);
  }
}

/** 1 / (1 + exp(-x)) */
export class Sigmoid extends Elementwise {
  constructor() {
    super(torchFunctions.sigmoid);
  }
}

export class Tanh extends Elementwise {
  constructor() {
    super(torchFunctions.tanh);
  }
}

/** x sigmoid(x) */
export class SiLU extends Elementwise {
  constructor() {
    super(nnFunctions.silu);
  }
}

/** x tanh(softplus(x)) */
export class Mish extends Elementwise {
  constructor() {
    super(nnFunctions.mish);
  }
}

export class SELU extends Elementwise {
  constructor() {
    super(torchFunctions.selu);
  }
}

export class Hardswish extends Elementwise {
  constructor() {
    super(nnFunctions.hardswish);
  }
}

export class Hardsigmoid extends Elementwise {
  constructor() {
    super(nnFunctions.hardsigmoid);
  }
}

/** log(sigmoid(x)) */
export class LogSigmoid extends Elementwise {
  constructor() {
    super(nnFunctions.logSigmoid);
  }
}

/** x P(X <= x) for a standard normal X; "tanh" approximates it. */
export class GELU extends Module {
  readonly approximate: "none" | "tanh";

  constructor(options: { readonly approximate?: "none" | "tanh" } = {}) {
    super();
    this.approximate = checkChoice("new nn.GELU", "approximate", options.approximate ?? "none", [
      "none",
      "tanh",
    ]);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return nnFunctions.gelu(input, { approximate: this.approximate });
  }

  override extraRepr(): string {
    return `approximate="${this.approximate}"`;
  }
}

/** x above 0, negativeSlope * x below. */
export class LeakyReLU extends Module {
  readonly negativeSlope: number;

  constructor(negativeSlope = 0.01) {
    super();
    this.negativeSlope = checkNumber("new nn.LeakyReLU", "negativeSlope", negativeSlope);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return nnFunctions.leakyRelu(input, this.negativeSlope);
  }

  override extraRepr(): string {
    return `negativeSlope=${this.negativeSlope}`;
  }
}

/** x above 0, alpha (exp(x) - 1) below. */
export class ELU extends Module {
  readonly alpha: number;

  constructor(alpha = 1) {
    super();
    this.alpha = checkNumber("new nn.ELU", "alpha", alpha);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return nnFunctions.elu(input, this.alpha);
  }

  override extraRepr(): string {
    return `alpha=${this.alpha}`;
  }
}

/** log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold. */
export class Softplus extends Module {
  readonly beta: number;
  readonly threshold: number;

  constructor(beta = 1, threshold = 20) {
    super();
    this.beta = checkNumber("new nn.Softplus", "beta", beta);
    this.threshold = checkNumber("new nn.Softplus", "threshold", threshold);
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return nnFunctions.softplus(input, this.beta, this.threshold);
  }

  override extraRepr(): string {
    return `beta=${this.beta}, threshold=${this.threshold}`;
  }
}

/** x above 0, weight * x below, with a weight that is learnt: one, or one a channel. */
export class PReLU extends Module {
  weight: Parameter;

  constructor(numParameters = 1, options: FactoryOptions & { readonly init?: number } = {}) {
    super();
    const { init = 0.25, device, dtype } = options;
    checkInteger("new nn.PReLU", "numParameters", numParameters, 1);
    checkNumber("new nn.PReLU", "init", init);
    this.weight = filledParameter([numParameters], init, { device, dtype });
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return torchFunctions.prelu(input, this.weight);
  }

  override extraRepr(): string {
    return `numParameters=${this.weight.shape[0]}`;
  }
}

abstract class AlongDimension extends Module {
  readonly dim: number;

  constructor(dim: number) {
    super();
    this.dim = checkInteger(`new nn.${this.constructor.name}`, "dim", dim, -Infinity);
  }

  override extraRepr(): string {
    return `dim=${this.dim}`;
  }
}

/** exp(x) / sum(exp(x)) along a dimension. */
export class Softmax extends AlongDimension {
  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return torchFunctions.softmax(input, this.dim);
  }
}

/** log(softmax(x)) along a dimension, without its loss of digits. */
export class LogSoftmax extends AlongDimension {
  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    return torchFunctions.logSoftmax(input, this.dim);
  }
}

keepNothing(Elementwise, GELU, LeakyReLU, ELU, Softplus, PReLU, Softmax, LogSoftmax);
