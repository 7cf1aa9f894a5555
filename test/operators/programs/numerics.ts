// Reductions, comparisons and linear algebra at their edges. numerics.py has the same programs.
import { autograd, torch, type Tensor } from "../../../lib/index.ts";
import { leaf, type Programs, refused } from "./helpers.ts";

const float = (values: number | number[] | number[][]): Tensor => torch.tensor(values, { dtype: "float32" });
const whole = (values: number[] | number[][]): Tensor => torch.tensor(values, { dtype: "int64" });
const ones = (...shape: number[]): Tensor => torch.ones(shape);
const zeros = (...shape: number[]): Tensor => torch.zeros(shape);
const counted = (...shape: number[]): Tensor =>
  torch
    .arange(
      shape.reduce((n, s) => n * s, 1),
      { dtype: "float32" },
    )
    .reshape(shape);

function gradientOf(compute: (x: Tensor) => Tensor, x: Tensor) {
  compute(x).sum().backward();
  return x.grad;
}

export const numerics: Programs = {
  nanGoesThroughReductions() {
    const x = float([1, NaN, 3]);
    return [x.max(), x.min(), x.sum(), x.nansum(), x.nanmean(), x.argmax(), x.median(), x.nanmedian()];
  },
  nanInSorting() {
    const x = float([NaN, 2, 1]);
    return [x.sort(), x.topk(2), torch.unique(x)];
  },
  maximumAndFmaxOfNan() {
    const [x, y] = [float([NaN, 1]), float([2, NaN])];
    return [torch.maximum(x, y), torch.fmax(x, y)];
  },
  clampOfNan: () => [
    float([NaN, 5]).clamp(0, 1),
    float([NaN]).nanToNum(7),
    float([Infinity, -Infinity]).nanToNum(),
  ],
  reductionsOfNothing() {
    const x = zeros(0);
    return [x.sum(), x.prod(), x.mean(), refused(() => x.max()), refused(() => x.argmax()), x.all(), x.any()];
  },
  reductionsOfAnEmptyDimension() {
    const x = zeros(2, 0);
    return [x.sum(1), x.sum(0), refused(() => x.max(1)), x.mean(1)];
  },
  reductionOverAWrongDimension: () => ones(2, 3).sum(2),
  reductionOverADimensionTwice: () => ones(2, 3).sum([0, 0]),
  reductionOverNoDimension() {
    const x = ones(2, 3);
    return [x.sum([]), x.amax([0, 1]), x.mean([0])];
  },
  keepdimOfEverything() {
    const x = float([
      [1, 5],
      [7, 2],
    ]);
    return [x.max(1, { keepdim: true }), x.norm(2, 0, true), x.argmin(0, true), x.sum(0, { keepdim: true })];
  },
  allAndAnyOfNumbers() {
    const x = whole([
      [0, 2],
      [1, 1],
    ]);
    return [x.all(), x.any(1), float([0, 0.5]).any()];
  },
  mediansAndQuantiles() {
    const x = float([1, 4, 2, 3]);
    return [
      x.median(),
      x.median(0),
      x.quantile(0.5),
      x.quantile(float([0.25, 0.9]), null, false, { interpolation: "lower" }),
      refused(() => x.quantile(1.5)),
      x.mode(),
      x.kthvalue(2),
    ];
  },
  cumulativeOnes() {
    const x = float([1, 3, 2]);
    return [x.cumsum(0), x.cumprod(0), x.cummax(0), x.logcumsumexp(0), refused(() => x.cumsum(1))];
  },
  differencesAndIntegrals() {
    const x = float([1, 4, 9]);
    return [x.diff(), x.diff(2), torch.trapezoid(x), torch.gradient(x)[0]];
  },
  histograms() {
    const x = float([1, 2, 2, 10]);
    return [x.histc(3), x.histc(2, 0, 4), torch.histogram(x, 2)[0]];
  },
  uniques() {
    const x = whole([3, 1, 3, 2]);
    const pairs = whole([
      [1, 1],
      [1, 1],
    ]);
    return [
      torch.unique(x, { returnInverse: true, returnCounts: true }),
      torch.uniqueConsecutive(x),
      torch.unique(pairs, { dim: 0 }),
    ];
  },
  logarithmsAndRootsOutside: () => [
    float([-1, 0]).log(),
    float([-1]).sqrt(),
    float([-8]).pow(1 / 3),
    float([0]).pow(0),
  ],
  remaindersOfNegatives() {
    const x = float([-5.5, 5.5]);
    return [x.remainder(3), x.fmod(3), x.remainder(-3), x.floorDivide(2), whole([5]).remainder(-3)];
  },
  gradientsAtCorners: () =>
    [
      (t: Tensor) => t.relu(),
      (t: Tensor) => t.abs(),
      (t: Tensor) => t.clamp(0, 1),
      (t: Tensor) => t.sign(),
      (t: Tensor) => t.round(),
    ].map((compute) => gradientOf(compute, leaf(-1, 0, 1))),
  gradientsOfMinAndMax() {
    const [x, y, a] = [leaf(1, 2), leaf(1, 3), leaf(1, 1)];
    torch.maximum(x, y).sum().backward();
    return [x.grad, y.grad, gradientOf((t) => t.amax(), a)];
  },
  gradientsOfNorms: () => [1, 2, Infinity, 0].map((p) => gradientOf((t) => t.norm(p), leaf(3, -4))),
  gradientOfAPowerOfZero: () => [
    gradientOf((t) => t.pow(0), leaf(0, 2)),
    gradientOf((t) => float(2).pow(t), leaf(0, 2)),
    gradientOf((t) => t.pow(0.5), leaf(0)),
  ],
  gradientOfAProductWithZeros: () =>
    [leaf(2, 0, 3), leaf(0, 0, 3)].map((x) => gradientOf((t) => t.prod(), x)),
  gradientOfDeviations: () => [leaf(1, 3), leaf(2, 2)].map((x) => gradientOf((t) => t.std(), x)),
  gradientOfASort: () => gradientOf((t) => t.sort().values.mul(float([1, 10, 100])), leaf(3, 1, 2)),
  gradientOfDistances: () => gradientOf((t) => torch.cdist(t, zeros(1, 2)), zeros(2, 2).requiresGrad_()),
  gradientOfAtanAndHypot() {
    const [x, y] = [leaf(0), leaf(0)];
    torch.atan2(y, x).sum().backward();
    torch.hypot(x, y).sum().backward();
    return [x.grad, y.grad];
  },
  sumsOfProducts() {
    const [a, b] = [counted(2, 3), counted(3, 4)];
    return [
      torch.einsum("ij,jk->ik", [a, b]),
      torch.einsum("ij->j", [a]),
      torch.einsum("ii", [torch.eye(3)]),
      torch.einsum("...i,i", [a, ones(3)]),
      refused(() => torch.einsum("ij,kj->ik", [a, b])),
    ];
  },
  productsOfShapes() {
    const [v, m, t] = [ones(3), ones(3, 2), ones(4, 2, 3)];
    return [
      v.matmul(v).shape,
      v.matmul(m).shape,
      t.matmul(m).shape,
      t.matmul(v).shape,
      refused(() => m.matmul(v)),
      refused(() => torch.mm(t, m)),
      torch.dot(v, v),
      refused(() => torch.dot(v, ones(2))),
    ];
  },
  productsOfNothing: () => [ones(2, 0).matmul(ones(0, 3)), ones(0, 2).matmul(ones(2, 3))],
  kroneckerCrossAndOuter() {
    const a = float([1, 2, 3]);
    const two = a.at(torch.slice(2));
    return [
      torch.kron(two, two),
      torch.linalg.cross(a, a.flip([0])),
      torch.tensordot(a, a, 1),
      torch.cov(a),
      torch.corrcoef(torch.stack([a, a.neg()])),
    ];
  },
  solves() {
    const a = float([
      [2, 0],
      [1, 3],
    ]);
    const b = float([[2], [7]]);
    return [
      torch.linalg.solve(a, b),
      torch.linalg.inv(a),
      torch.linalg.solveTriangular(a, b, { upper: false }),
      refused(() => torch.linalg.solve(ones(2, 2), b)),
      refused(() => torch.linalg.inv(zeros(2, 2))),
    ];
  },
  decompositions() {
    const s = float([
      [2, 1],
      [1, 3],
    ]);
    return [
      torch.linalg.cholesky(s),
      torch.linalg.eigvalsh(s),
      torch.linalg.svdvals(s),
      torch.linalg.det(s),
      torch.linalg.slogdet(s.neg()),
      torch.linalg.matrixRank(ones(2, 2)),
      refused(() => torch.linalg.cholesky(s.neg())),
      refused(() => torch.linalg.cholesky(ones(2, 3))),
    ];
  },
  leastSquares() {
    const a = float([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    return [torch.linalg.lstsq(a, float([[1], [2], [2]])).solution, torch.linalg.pinv(a)];
  },
  normsOfMatrices() {
    const m = float([
      [1, -2],
      [3, 4],
    ]);
    return [
      torch.linalg.norm(m),
      torch.linalg.norm(m, 1),
      torch.linalg.norm(m, "nuc"),
      torch.linalg.vectorNorm(m, 3),
      torch.linalg.matrixNorm(m, Infinity),
      torch.linalg.matrixPower(m, -1),
      torch.linalg.matrixExp(zeros(2, 2)),
    ];
  },
  gradientOfADeterminant: () => [
    gradientOf(
      (m) => torch.linalg.det(m),
      float([
        [1, 2],
        [3, 4],
      ]).requiresGrad_(),
    ),
    gradientOf(
      (n) => torch.linalg.eigvalsh(n),
      float([
        [2, 1],
        [1, 3],
      ]).requiresGrad_(),
    ),
  ],
  triangles() {
    const x = counted(3, 3);
    return [x.tril(), x.triu(1), x.tril(-1), torch.trilIndices(2, 2), x.trace()];
  },
  comparisons() {
    const x = float([1, 2]);
    return [
      x.eq(whole([1, 2])),
      x.isclose(float([1 + 1e-9, 3])),
      torch.allclose(float([NaN]), float([NaN])),
      torch.allclose(float([NaN]), float([NaN]), { equalNan: true }),
      x.equal(float([[1, 2]])),
      torch.isin(whole([1, 2, 3]), whole([2])),
    ];
  },
  logic() {
    const [a, b] = [torch.tensor([true, false]) as Tensor, whole([1, 0])];
    return [
      a.bitwiseAnd(true),
      a.logicalAnd(b),
      a.logicalXor(b),
      b.logicalNot(),
      refused(() => float([1.5]).bitwiseAnd(1)),
    ];
  },
  broadcasting: () => [
    ones(3, 1).add(ones(2)).shape,
    ones(1, 3).add(ones(2, 1, 1)).shape,
    refused(() => ones(3).add(ones(2))),
    ones(0, 1).add(ones(3)).shape,
    torch.broadcastTensors([ones(2, 1), ones(3)]).map((t) => t.shape),
  ],
  gradientOfWhatWasBroadcast() {
    const [a, b] = [ones(3, 1).requiresGrad_(), ones(2).requiresGrad_()];
    a.mul(b).mul(counted(3, 2)).sum().backward();
    return [a.grad, b.grad];
  },
  lerpAndAddcmul() {
    const [x, y] = [float([1, 2]), float([3, 6])];
    return [
      x.lerp(y, 0.5),
      torch.addcmul(x, x, y, { value: 2 }),
      torch.addcdiv(x, x, y),
      torch.addmm(ones(2, 2), torch.eye(2), torch.eye(2), { beta: 2, alpha: 3 }),
    ];
  },
  fourier() {
    const x = float([1, 2, 0, -1]);
    return [
      torch.fft.fft(x),
      torch.fft.irfft(torch.fft.rfft(x)),
      torch.fft.fftshift(x),
      torch.fft.rfftfreq(4),
    ];
  },
  specialFunctions() {
    const x = float([0.5, 2]);
    return [
      torch.special.gammaln(x),
      torch.erf(x),
      torch.special.expit(x),
      torch.special.logit(float([0, 0.5])),
      torch.special.xlogy(float([0]), float([0])),
      torch.sinc(float([0, 0.5])),
    ];
  },
  sparseTensors() {
    const places = whole([
      [0, 1, 1],
      [2, 0, 0],
    ]);
    const s = torch.sparseCooTensor(places, float([3, 4, 5]), [2, 3]);
    return [s.toDense(), s.coalesce().values(), s.matmul(ones(3, 1))];
  },
  sparsePlaceOutside() {
    torch.sparseCooTensor(whole([[0], [3]]), float([1]), [2, 3]);
  },
  derivativesOfFunctions() {
    const x = float([1, 2]);
    const { jacobian, hessian, vjp } = autograd.functional;
    return [
      jacobian((t: Tensor) => t.pow(2), x),
      hessian((t: Tensor) => t.pow(3).sum(), x),
      vjp((t: Tensor) => t.mul(3), x, ones(2))[1],
      refused(() => hessian((t: Tensor) => t.pow(2), x)),
    ];
  },
};
