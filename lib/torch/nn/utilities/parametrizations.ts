// PyTorch's weight normalization and spectral normalization. `orthogonal.ts` holds the orthogonal weights.
// Source: torch/nn/utils/parametrizations.py.
import { checkInteger } from "../../vocabulary/arguments.ts";
import { integer, number, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { normalize } from "../functional/index.ts";
import { Module } from "../module/module.ts";
import { Buffer } from "../module/parameter.ts";
import { registerParametrization } from "./parametrize.ts";
import { markedOf } from "./marked.ts";
import { weightNormOf } from "./weight_norm.ts";

export { orthogonal, type OrthogonalMap, type OrthogonalOptions } from "./orthogonal.ts";

/** Everything but `dim` is one direction; -1 for a single one over all. */
class WeightNorm extends Module {
  readonly dim: number;

  constructor(dim: number) {
    super();
    this.dim = dim;
  }

  override forward(length: Tensor, direction: Tensor): Tensor {
    return weightNormOf(direction, length, this.dim);
  }

  rightInverse(weight: Tensor): readonly Tensor[] {
    return [torchFunctions.normExceptDim(weight, 2, this.dim), weight];
  }
}

/**
 * `utils.parametrizations.weightNorm(layer)`: the weight is a length times a direction, each learnt for itself (Salimans
 * and Kingma, arXiv:1602.07868). `original0` is the length for each index of `dim`, `original1` the direction.
 *
 * @param dim null for one length over all
 */
export function weightNorm<Layer extends Module>(
  layer: Layer,
  name = "weight",
  dim: number | null = 0,
): Layer {
  if (dim !== null) checkInteger("weightNorm", "dim", dim, -Infinity);
  return registerParametrization(layer, name, new WeightNorm(dim ?? -1)) as Layer;
}

export interface SpectralNormOptions {
  /** Steps towards the largest singular value at each forward in training. Default: 1. */
  readonly nPowerIterations?: number;
  /** Least norm to divide by. Default: 1e-12. */
  readonly eps?: number;
  /** The dimension of the outputs. Default: 0, for transposed convolutions 1. */
  readonly dim?: number;
}

const SPECTRAL_RULES = {
  nPowerIterations: integer(1, 1),
  eps: number(1e-12, { min: 0 }),
  dim: optional((call, name, value) => checkInteger(call, name, value, 0)),
} satisfies OpenRules<SpectralNormOptions>;

class SpectralNorm extends Module {
  readonly dim: number;
  eps: number;
  nPowerIterations: number;
  /** Estimates of the singular vectors; none for a weight of one dimension. */
  _u: Buffer | null = null;
  _v: Buffer | null = null;

  constructor(weight: Tensor, dim: number, eps: number, nPowerIterations: number) {
    super();
    this.dim = dim;
    this.eps = eps;
    this.nPowerIterations = nPowerIterations;
    if (weight.ndim <= 1) return;
    noGrad(() => {
      const matrix = this._matrix(weight);
      const [rows, columns] = matrix.shape as [number, number];
      const u = matrix.newEmpty([rows]).normal_(0, 1);
      const v = matrix.newEmpty([columns]).normal_(0, 1);
      this._u = new Buffer(normalize(u, 2, 0, eps));
      this._v = new Buffer(normalize(v, 2, 0, eps));
      this._iterate(matrix, 15);
    });
  }

  private _matrix(weight: Tensor): Tensor {
    const rows = this.dim === 0 ? weight : weight.movedim(this.dim, 0);
    return rows.flatten(1);
  }

  private _iterate(matrix: Tensor, steps: number): void {
    noGrad(() => {
      for (let step = 0; step < steps; step++) {
        this._u!.copy_(normalize(matrix.mv(this._v!), 2, 0, this.eps));
        this._v!.copy_(normalize(matrix.t().mv(this._u!), 2, 0, this.eps));
      }
    });
  }

  override forward(weight: Tensor): Tensor {
    if (!this._u || !this._v) return normalize(weight, 2, 0, this.eps);
    const matrix = this._matrix(weight);
    if (this.training) this._iterate(matrix, this.nPowerIterations);
    // Copies: the estimates change before the backward pass.
    const sigma = this._u.clone().dot(matrix.mv(this._v.clone()));
    return weight.div(sigma);
  }

  rightInverse(value: Tensor): Tensor {
    return value;
  }
}

/** Layers whose weight has its outputs second. */
const OUTPUTS_SECOND = /^ConvTranspose/;

/**
 * `utils.parametrizations.spectralNorm(layer)`: the weight is divided by an estimate of its largest singular value, so
 * that the layer stretches nothing (Miyato et al., arXiv:1802.05957).
 */
export function spectralNorm<Layer extends Module>(
  layer: Layer,
  name = "weight",
  options?: SpectralNormOptions,
): Layer {
  const call = "spectralNorm";
  const { nPowerIterations: steps, eps, ...read } = readOptions(call, options, SPECTRAL_RULES);
  const weight = markedOf(call, layer, name);
  const usual = OUTPUTS_SECOND.test(layer.constructor.name) ? 1 : 0;
  const dim = read.dim ?? usual;
  if (dim >= Math.max(1, weight.ndim))
    throw new RangeError(`${call}: dim must be below the ${weight.ndim} dimensions of ${name}, got ${dim}.`);
  return registerParametrization(layer, name, new SpectralNorm(weight, dim, eps, steps)) as Layer;
}
