// The normal distribution, of numbers and of vectors.
import type { Tensor } from "../types/index.ts";
import { native } from "../engine/native.ts";
import { broadcastShapes } from "../tensor/composed.ts";
import { linalg, torchFunctions } from "../tensor/operators.ts";
import { checkConstraint, lowerCholesky, positive, real, realVector } from "./constraints.ts";
import { Distribution } from "./distribution.ts";
import {
  broadcastParameters,
  checkFloats,
  checkOneOf,
  type DistributionOptions,
  type Parameter,
  readValidateArgs,
  VALIDATE_ARGS,
} from "./parameters.ts";
import { checkedLater, type OpenRules, readOptions } from "../vocabulary/options.ts";

const LOG_2_PI = Math.log(2 * Math.PI);

/** Normal numbers of mean 0 and deviation 1, drawn as PyTorch draws them, so that a seed gives the same. */
function standardNormal(shape: readonly number[], like: Tensor): Tensor {
  const { dtype, device } = like;
  return torchFunctions.normal(
    torchFunctions.zeros(shape, { dtype, device }),
    torchFunctions.ones(shape, { dtype, device }),
  );
}

/** The normal distribution of this mean and standard deviation. */
export class Normal extends Distribution {
  readonly loc: Tensor;
  readonly scale: Tensor;

  constructor(loc: Parameter, scale: Parameter, options?: DistributionOptions) {
    const call = "new distributions.Normal";
    const validateArgs = readValidateArgs(call, options);
    const read = broadcastParameters(call, { loc, scale }, { loc: real, scale: positive }, validateArgs);
    const { loc: mean, scale: deviation } = read;
    const law = {
      batchShape: native.shape(mean),
      eventShape: [],
      support: real,
      sample: (shape: readonly number[]) =>
        torchFunctions.normal(mean.expand(shape), deviation.expand(shape)),
      rsample: (shape: readonly number[]) => standardNormal(shape, mean).mul(deviation).add(mean),
      logProb: (value: Tensor) =>
        value
          .sub(mean)
          .square()
          .neg()
          .div(deviation.square().mul(2))
          .sub(deviation.log())
          .sub(LOG_2_PI / 2),
      cdf: (value: Tensor) => value.sub(mean).div(deviation.mul(Math.SQRT2)).erf().add(1).mul(0.5),
      icdf: (probability: Tensor) =>
        mean.add(deviation.mul(probability.mul(2).sub(1).erfinv()).mul(Math.SQRT2)),
      entropy: () => deviation.log().add(0.5 + LOG_2_PI / 2),
      mean: () => mean,
      mode: () => mean,
      variance: () => deviation.square(),
    };
    super(law, validateArgs);
    this.loc = mean;
    this.scale = deviation;
  }
}

export interface MultivariateNormalOptions extends DistributionOptions {
  /** [..., n, n], positive definite. Default: none; one of the three is needed. */
  readonly covarianceMatrix?: Tensor;
  /** The inverse of the covariance. Default: none. */
  readonly precisionMatrix?: Tensor;
  /** A lower triangle L with a positive diagonal: the covariance is L L^T. The fastest of the three. Default: none. */
  readonly scaleTril?: Tensor;
}

const SPREADS = ["covarianceMatrix", "precisionMatrix", "scaleTril"] as const;

const SPREAD_RULES = {
  covarianceMatrix: checkedLater<Tensor | undefined>(undefined),
  precisionMatrix: checkedLater<Tensor | undefined>(undefined),
  scaleTril: checkedLater<Tensor | undefined>(undefined),
  ...VALIDATE_ARGS,
} satisfies OpenRules<MultivariateNormalOptions>;

/** The lower triangle of the covariance's Cholesky factors. @throws RangeError where a matrix is not positive definite */
function factorOf(
  call: string,
  given: Pick<MultivariateNormalOptions, (typeof SPREADS)[number]>,
  validate: boolean,
): Tensor {
  const { covarianceMatrix, precisionMatrix, scaleTril } = given;
  checkOneOf(call, { covarianceMatrix, precisionMatrix, scaleTril });
  const name = SPREADS.find((one) => given[one] !== undefined)!;
  const matrix = checkFloats(call, name, given[name]);
  if (native.dim(matrix) < 2 || matrix.size(-1) !== matrix.size(-2))
    throw new RangeError(
      `${call}: ${name} must be a square matrix, got the shape [${native.shape(matrix).join(", ")}].`,
    );
  if (name === "scaleTril") {
    if (validate) checkConstraint(call, name, matrix, lowerCholesky);
    return matrix;
  }
  const { L, info } = linalg.choleskyEx(name === "covarianceMatrix" ? matrix : matrix.flip([-2, -1]));
  if (validate && info.ne(0).any().item<boolean>())
    throw new RangeError(`${call}: ${name} must be symmetric and positive definite.`);
  if (name === "covarianceMatrix") return L;
  // The precision's factor, turned around, is the inverse of the covariance's.
  const inverse = L.flip([-2, -1]).transpose(-2, -1);
  const identity = torchFunctions.eye(matrix.size(-1), { dtype: matrix.dtype, device: matrix.device });
  return linalg.solveTriangular(inverse, identity, { upper: false });
}

/** `|L^-1 difference|^2`, for [..., n, n] and [..., n] -> [...] */
export function mahalanobis(factor: Tensor, difference: Tensor): Tensor {
  return linalg.solveTriangular(factor, difference.unsqueeze(-1), { upper: false }).square().sum([-2, -1]);
}

export function halfLogDeterminant(factor: Tensor): Tensor {
  return factor.diagonal({ dim1: -2, dim2: -1 }).log().sum(-1);
}

/** The normal distribution of vectors: `new MultivariateNormal(loc, { covarianceMatrix })`, loc [..., n]. */
export class MultivariateNormal extends Distribution {
  readonly loc: Tensor;
  readonly scaleTril: Tensor;

  constructor(loc: Tensor, options: MultivariateNormalOptions) {
    const call = "new distributions.MultivariateNormal";
    const { validateArgs: validate, ...spread } = readOptions(call, options, SPREAD_RULES);
    const given = checkFloats(call, "loc", loc);
    if (native.dim(given) < 1)
      throw new RangeError(
        `${call}: loc must have at least one dimension; for one number take distributions.Normal.`,
      );
    if (validate) checkConstraint(call, "loc", given, realVector);
    const factor = factorOf(call, spread, validate);
    const size = native.shape(given).at(-1)!;
    if (factor.size(-1) !== size)
      throw new RangeError(
        `${call}: loc has ${size} numbers, and the matrix is ${factor.size(-1)} x ${factor.size(-1)}.`,
      );
    const batchShape = broadcastShapes(native.shape(given).slice(0, -1), native.shape(factor).slice(0, -2));
    const mean = given.expand([...batchShape, size]);
    const lower = factor.expand([...batchShape, size, size]);
    const draw = (shape: readonly number[]) =>
      mean.add(lower.matmul(standardNormal(shape, mean).unsqueeze(-1)).squeeze(-1));
    const law = {
      batchShape,
      eventShape: [size],
      support: realVector,
      sample: draw,
      rsample: draw,
      logProb: (value: Tensor) =>
        mahalanobis(lower, value.sub(mean))
          .add(size * LOG_2_PI)
          .mul(-0.5)
          .sub(halfLogDeterminant(lower)),
      entropy: () => halfLogDeterminant(lower).add(0.5 * size * (1 + LOG_2_PI)),
      mean: () => mean,
      mode: () => mean,
      variance: () => lower.square().sum(-1),
    };
    super(law, validate);
    this.loc = mean;
    this.scaleTril = lower;
  }

  get covarianceMatrix(): Tensor {
    return this.scaleTril.matmul(this.scaleTril.transpose(-2, -1));
  }

  get precisionMatrix(): Tensor {
    return torchFunctions.choleskyInverse(this.scaleTril);
  }
}
