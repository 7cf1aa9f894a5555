// Invertible functions of numbers, which make new distributions of others. Each knows the logarithm of its derivative.
import type { Tensor } from "../types/index.ts";
import { describe } from "../vocabulary/arguments.ts";
import { native } from "../engine/native.ts";
import { broadcastShapes } from "../tensor/composed.ts";
import { nnFunctions, torchFunctions } from "../tensor/operators.ts";
import { checkTensor } from "../tensor/tensor_arguments.ts";
import { type Constraint, positive, real, unitInterval } from "./constraints.ts";
import type { Parameter } from "./parameters.ts";

interface Formulas {
  /** What may come out. */
  readonly codomain: Constraint;
  /** 1 where it rises, -1 where it falls. */
  readonly sign: Parameter;
  /** The shape of its parameters, none if it has none. */
  readonly batchShape?: readonly number[];
  forward(x: Tensor): Tensor;
  inverse(y: Tensor): Tensor;
  logAbsDetJacobian(x: Tensor, y: Tensor): Tensor;
}

/** A function of each number of a tensor. */
export abstract class Transform {
  readonly #formulas: Formulas;

  /** @internal */
  constructor(formulas: Formulas) {
    this.#formulas = formulas;
  }

  /** @internal */
  static formulasOf(transform: Transform): Formulas {
    return transform.#formulas;
  }

  /** The transformed numbers: PyTorch writes `transform(x)`. */
  forward(x: Tensor): Tensor {
    return this.#formulas.forward(checkTensor(`${this.constructor.name}.forward`, "x", x));
  }

  /** The numbers that `forward` makes `y` of: PyTorch writes `transform.inv(y)`. */
  inverse(y: Tensor): Tensor {
    return this.#formulas.inverse(checkTensor(`${this.constructor.name}.inverse`, "y", y));
  }

  /** The logarithm of the derivative's size at x, with y = forward(x). */
  logAbsDetJacobian(x: Tensor, y: Tensor): Tensor {
    const call = `${this.constructor.name}.logAbsDetJacobian`;
    return this.#formulas.logAbsDetJacobian(checkTensor(call, "x", x), checkTensor(call, "y", y));
  }
}

/** `exp(x)` */
export class ExpTransform extends Transform {
  constructor() {
    super({
      codomain: positive,
      sign: 1,
      forward: (x) => x.exp(),
      inverse: (y) => y.log(),
      logAbsDetJacobian: (x) => x,
    });
  }
}

/** `1 / (1 + exp(-x))` */
export class SigmoidTransform extends Transform {
  constructor() {
    super({
      codomain: unitInterval,
      sign: 1,
      forward: (x) => x.sigmoid(),
      inverse: (y) => y.logit(),
      logAbsDetJacobian: (x) => nnFunctions.softplus(x.neg()).neg().sub(nnFunctions.softplus(x)),
    });
  }
}

const withinOne: Constraint = {
  text: "from -1 to 1",
  eventDims: 0,
  holds: (value) => value.abs().le(1),
};

/** `tanh(x)`, as for actions within limits. */
export class TanhTransform extends Transform {
  constructor() {
    super({
      codomain: withinOne,
      sign: 1,
      forward: (x) => x.tanh(),
      inverse: (y) => y.atanh(),
      // log(1 - tanh(x)^2), in a form that stays exact for a large x.
      logAbsDetJacobian: (x) => nnFunctions.softplus(x.mul(-2)).add(x).neg().add(Math.LN2).mul(2),
    });
  }
}

const shapeOf = (part: Parameter): number[] => (typeof part === "number" ? [] : native.shape(part));

function checkPart(call: string, name: string, value: unknown): Parameter {
  if (typeof value === "number" || native.isTensor(value)) return value as Parameter;
  throw new TypeError(`${call}: ${name} must be a number or a tensor, got ${describe(value)}.`);
}

/** `loc + scale * x` */
export class AffineTransform extends Transform {
  readonly loc: Parameter;
  readonly scale: Parameter;

  constructor(loc: Parameter, scale: Parameter) {
    const call = "new distributions.transforms.AffineTransform";
    const [shift, factor] = [checkPart(call, "loc", loc), checkPart(call, "scale", scale)];
    super({
      codomain: real,
      batchShape: broadcastShapes(shapeOf(shift), shapeOf(factor)),
      sign: typeof factor === "number" ? Math.sign(factor) : factor.sign(),
      forward: (x) => x.mul(factor).add(shift),
      inverse: (y) => y.sub(shift).div(factor),
      logAbsDetJacobian: (x) =>
        typeof factor === "number"
          ? torchFunctions.fullLike(x, Math.log(Math.abs(factor)))
          : factor.abs().log().add(torchFunctions.zerosLike(x)),
    });
    this.loc = shift;
    this.scale = factor;
  }
}
