// Keeps a weight orthogonal: its columns, or its rows where there are fewer, are orthonormal (Lezcano-Casado,
// arXiv:1909.09501). Source: torch/nn/utils/parametrizations.py (_Orthogonal).
import { checkChoice } from "../../vocabulary/arguments.ts";
import { boolean, type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { isComplexDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { linalg, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Module } from "../module/module.ts";
import { Buffer } from "../module/parameter.ts";
import { type Parametrization, registerParametrization } from "./parametrize.ts";
import { markedOf } from "./marked.ts";

const MAPS = ["matrix_exp", "cayley", "householder"] as const;
export type OrthogonalMap = (typeof MAPS)[number];

export interface OrthogonalOptions {
  /** Maps any matrix to an orthogonal one. Default: `matrix_exp` for square weights, `householder` for others. */
  readonly orthogonalMap?: OrthogonalMap;
  /** Counts from the present weight, which keeps gradients well-behaved and lets it be assigned to. Default: true. */
  readonly useTrivialization?: boolean;
}

const RULES = {
  orthogonalMap: optional((call, name, value) => checkChoice(call, name, value, MAPS)),
  useTrivialization: boolean(true),
} satisfies OpenRules<OrthogonalOptions>;

const EPSILON: Partial<Record<string, number>> = { float32: 2 ** -23, complex64: 2 ** -23 };

function identity(n: number, like: Tensor): Tensor {
  return torchFunctions.eye(n, { dtype: native.dtype(like), device: native.device(like) });
}

function isOrthogonal(q: Tensor): boolean {
  const n = q.size(-1);
  const tolerance = 10 * n * (EPSILON[native.dtype(q)] ?? 2 ** -52);
  return q.mH.matmul(q).allclose(identity(n, q).expand([...q.shape.slice(0, -2), n, n]), 0, tolerance);
}

/** The nearest by a QR decomposition, its signs as those of `a`. */
function makeOrthogonal(a: Tensor): Tensor {
  const [reflectors, tau] = torchFunctions.geqrf(a) as [Tensor, Tensor];
  const q = linalg.householderProduct(reflectors, tau);
  return q.mul(reflectors.diagonal(0, -2, -1).sgn().unsqueeze(-2));
}

class Orthogonal extends Module implements Parametrization {
  readonly orthogonalMap: OrthogonalMap;
  readonly useTrivialization: boolean;
  /** The matrix that the map's result is multiplied with, null without trivialization. */
  base: Buffer | null = null;

  constructor(orthogonalMap: OrthogonalMap, useTrivialization: boolean) {
    super();
    this.orthogonalMap = orthogonalMap;
    this.useTrivialization = useTrivialization;
  }

  override forward(given: Tensor): Tensor {
    const isWide = given.size(-2) < given.size(-1);
    const tall = isWide ? given.mT : given;
    const q = this.orthogonalMap === "householder" ? reflected(tall) : rotated(tall, this.orthogonalMap);
    const based = this.base ? this.base.matmul(q) : q;
    return isWide ? based.mT : based;
  }

  rightInverse(value: Tensor): Tensor {
    const isWide = value.size(-2) < value.size(-1);
    const tall = isWide ? value.mT : value;
    if (!this.useTrivialization) {
      const reflectors = reflectorsOf(tall);
      return isWide ? reflectors.mT : reflectors;
    }
    const [n, k] = [tall.size(-2), tall.size(-1)];
    if (n === k) this.base = new Buffer(isOrthogonal(tall) ? tall.clone() : makeOrthogonal(tall));
    else {
      const kind = { dtype: native.dtype(tall), device: native.device(tall) };
      const random = torchFunctions.randn([...tall.shape.slice(0, -2), n, n - k], kind);
      this.base = new Buffer(makeOrthogonal(torchFunctions.cat([tall, random], -1)));
    }
    const start = torchFunctions.zerosLike(value);
    start.diagonal(0, -2, -1).fill_(-1);
    return start;
  }

  override extraRepr(): string {
    return `orthogonalMap=${this.orthogonalMap}`;
  }
}

/** Makes an orthogonal matrix of the lower triangle's skew-symmetric matrix: its exponential, or Cayley's quotient. */
function rotated(tall: Tensor, map: "matrix_exp" | "cayley"): Tensor {
  const [n, k] = [tall.size(-2), tall.size(-1)];
  const lower = tall.tril();
  const zeros = lower.newZeros([...lower.shape.slice(0, -1), n - k]);
  const square = n === k ? lower : torchFunctions.cat([lower, zeros], -1);
  const skew = square.sub(square.mH);
  if (map === "matrix_exp") return torchFunctions.matrixExp(skew).narrow(-1, 0, k);
  const one = identity(n, skew);
  return linalg.solve(one.sub(skew, { alpha: 0.5 }), one.add(skew, { alpha: 0.5 })).narrow(-1, 0, k);
}

/** A product of reflections, a column each. */
function reflected(tall: Tensor): Tensor {
  const lower = tall.tril(-1);
  const tau = lower.mul(lower).sum(-2).add(1).reciprocal().mul(2);
  const q = linalg.householderProduct(lower, tau);
  return q.mul(tall.diagonal(0, -2, -1).to("int32").unsqueeze(-2));
}

/** Returns the matrix of which `reflected` makes `q`. */
function reflectorsOf(q: Tensor): Tensor {
  const [reflectors, tau] = torchFunctions.geqrf(q) as [Tensor, Tensor];
  const signs = reflectors.diagonal(0, -2, -1);
  signs.sign_();
  signs.mul_(torchFunctions.where(tau.eq(0), -1, 1));
  return reflectors;
}

/**
 * `utils.parametrizations.orthogonal(layer)`: the weight is an orthogonal matrix, or a batch of them, at every step.
 *
 * @throws RangeError for a weight of one dimension
 */
export function orthogonal<Layer extends Module>(
  layer: Layer,
  name = "weight",
  options?: OrthogonalOptions,
): Layer {
  const call = "orthogonal";
  const read = readOptions(call, options, RULES);
  const weight = markedOf(call, layer, name);
  if (weight.ndim < 2)
    throw new RangeError(
      `${call}: ${name} must be a matrix or a batch of them, got [${weight.shape.join(", ")}].`,
    );
  const isComplex = isComplexDType(native.dtype(weight));
  const usual = weight.size(-2) === weight.size(-1) || isComplex ? "matrix_exp" : "householder";
  const { orthogonalMap: map = usual, useTrivialization: trivial } = read;
  if (isComplex && map === "householder")
    throw new TypeError(
      `${call}: householder is for real weights, ${name} is ${native.dtype(weight)}; use matrix_exp.`,
    );
  const step = new Orthogonal(map, trivial);
  // Another map than Householder's has no inverse of its own: the weight becomes what the map makes of it.
  if (!trivial && map !== "householder") Object.defineProperty(step, "rightInverse", { value: undefined });
  return noGrad(() => registerParametrization(layer, name, step) as Layer);
}
