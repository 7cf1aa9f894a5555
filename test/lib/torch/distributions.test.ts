// torch.distributions: samples from a seed, gradients, densities and divergences are PyTorch's (test/fixtures/distributions.py);
// what a user writes, and what is refused.
import { describe, expect, it } from "vitest";
import { distributions, optim, torch, type Tensor } from "../../../lib/index.ts";
import { readFixture, reviveArgument, reviveTensor, type StoredTensor } from "./fixtures.ts";
import { refuses } from "./tensor/misuse.ts";

interface Case {
  readonly name: "Normal";
  readonly arguments: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly batchShape: readonly number[];
  readonly eventShape: readonly number[];
  readonly sample: StoredTensor;
  readonly logProb: StoredTensor;
  readonly entropy: StoredTensor | null;
  readonly mean: StoredTensor | null;
  readonly mode: StoredTensor | null;
  readonly variance: StoredTensor | null;
  readonly cdf: StoredTensor | null;
  readonly icdf: StoredTensor | null;
  readonly logProbGrads?: readonly StoredTensor[];
  readonly rsampleGrads?: readonly StoredTensor[];
  readonly other?: readonly unknown[];
  readonly divergence?: StoredTensor;
}

interface Composed {
  readonly batchShape: readonly number[];
  readonly eventShape: readonly number[];
  readonly sample: StoredTensor;
  readonly logProb: StoredTensor;
  readonly cdf: StoredTensor | null;
}

interface Fixture {
  readonly cases: readonly Case[];
  readonly composed: Readonly<Record<string, Composed>>;
  readonly normals: Readonly<Record<"factor" | "covariance" | "divergence", StoredTensor>>;
}

const recorded = readFixture<Fixture>("distributions.json");
const { Independent, MultivariateNormal, Normal, TransformedDistribution, transforms } = distributions;
const f64 = (values: number[] | number[][]) => torch.tensor(values, { dtype: "float64" });

function expectTensor(actual: Tensor, stored: StoredTensor): void {
  const expected = reviveTensor(stored);
  expect([actual.shape, actual.dtype]).toEqual([stored.shape, stored.dtype]);
  const tolerance = stored.dtype === "float32" ? 1e-6 : 1e-10;
  if (!actual.detach().allclose(expected, tolerance, 1e-12, true))
    expect(actual.tolist()).toEqual(expected.tolist());
}

/** With the leaves among its parameters, which get gradients. */
function made({ name, arguments: given, options }: Case) {
  const [args, named] = [given.map(reviveArgument), reviveArgument(options) as Record<string, unknown>];
  const leaves = [...args, ...Object.values(named)].filter((one) => torch.isTensor(one)) as Tensor[];
  for (const leaf of leaves) leaf.requiresGrad_();
  // A case names its class, and the types of its arguments are those of the fixture.
  const Kind = torch.distributions[name] as unknown as new (...args: unknown[]) => distributions.Normal;
  return { one: new Kind(...args, ...(Object.keys(named).length > 0 ? [named] : [])), leaves };
}

describe.each(recorded.cases.map((one, at) => [`${one.name} ${at}`, one] as const))("%s", (_, stored) => {
  it("draws what PyTorch draws from a seed", () => {
    const { one } = made(stored);
    torch.manualSeed(11);
    const sample = one.sample([4]);
    expectTensor(sample, stored.sample);
    expect([one.batchShape, one.eventShape, sample.requiresGrad]).toEqual([
      stored.batchShape,
      stored.eventShape,
      false,
    ]);
  });

  it("knows densities, and their derivatives", () => {
    const { one, leaves } = made(stored);
    const density = one.logProb(reviveTensor(stored.sample));
    expectTensor(density, stored.logProb);
    if (stored.logProbGrads === undefined) return expect(leaves).toEqual([]);
    torch.where(density.isfinite(), density, 0).sum().backward();
    for (const [at, grad] of stored.logProbGrads.entries()) expectTensor(leaves[at]!.grad!, grad);
  });

  it("has gradients through samples where PyTorch has", () => {
    const { one, leaves } = made(stored);
    if (!one.hasRsample) return expect(stored.rsampleGrads).toBeUndefined();
    torch.manualSeed(11);
    const sample = one.rsample([4]).square();
    if (stored.rsampleGrads === undefined) return expect(leaves).toEqual([]);
    sample.sum().backward();
    for (const [at, grad] of stored.rsampleGrads.entries()) expectTensor(leaves[at]!.grad!, grad);
  });

  it("knows its moments", () => {
    const { one } = made(stored);
    const sample = reviveTensor(stored.sample);
    const read = {
      entropy: () => one.entropy(),
      mean: () => one.mean,
      mode: () => one.mode,
      variance: () => one.variance,
      cdf: () => one.cdf(sample),
      icdf: () => one.icdf(torch.tensor(0.3, { dtype: sample.dtype })),
    };
    for (const name of Object.keys(read) as (keyof typeof read)[]) {
      const value = stored[name];
      if (value === null) expect(read[name], name).toThrow(`this distribution has no ${name}.`);
      else if (name !== "mode" || hasMode(stored)) expectTensor(read[name](), value);
    }
  });

  it("is as far from another one as PyTorch says", () => {
    const { one } = made(stored);
    if (stored.other === undefined) return;
    const Kind = torch.distributions[stored.name] as unknown as new (
      ...args: unknown[]
    ) => distributions.Normal;
    const other = new Kind(...stored.other.map(reviveArgument));
    expectTensor(distributions.klDivergence(one, other), stored.divergence!);
  });
});

/** Beta's and Dirichlet's modes are not there. */
const hasMode = ({ name }: Case): boolean => !["Beta", "Dirichlet"].includes(name);

describe("distributions of distributions", () => {
  const base = new Normal(
    f64([
      [0, 1],
      [2, 3],
    ]),
    f64([
      [1, 2],
      [1, 0.5],
    ]),
  );
  const independent = new Independent(base, 1);
  const all = {
    independent,
    squashed: new TransformedDistribution(new Normal(f64([0.5, -1]), f64([1, 0.3])), [
      new transforms.TanhTransform(),
      new transforms.AffineTransform(1, -2),
    ]),
    logNormal: new TransformedDistribution(
      new Normal(f64([0, 1]), f64([0.5, 1])),
      new transforms.ExpTransform(),
    ),
    shares: new TransformedDistribution(independent, new transforms.SigmoidTransform()),
  };

  it.each(Object.entries(all))("%s", (name, one) => {
    const stored = recorded.composed[name]!;
    torch.manualSeed(12);
    const sample = one.rsample([3]);
    expectTensor(sample, stored.sample);
    expect([one.batchShape, one.eventShape]).toEqual([stored.batchShape, stored.eventShape]);
    expectTensor(one.logProb(sample), stored.logProb);
    if (stored.cdf !== null) expectTensor(one.cdf(sample), stored.cdf);
  });

  it("a transform with a batch of parameters makes a batch of one", () => {
    const one = new TransformedDistribution(
      new Normal(0, 1),
      new transforms.AffineTransform(torch.tensor([0, 10]), 2),
    );
    expect([one.batchShape, one.rsample([3]).shape]).toEqual([[2], [3, 2]]);
    const same = new Normal(torch.tensor([0.0, 10]).float(), 2);
    expect(one.logProb(torch.tensor([1.5, 9])).allclose(same.logProb(torch.tensor([1.5, 9])))).toBe(true);
  });

  it("sums the divergence of the dimensions of one event", () => {
    const other = new Normal(torch.zeros([2, 2], { dtype: "float64" }), 2);
    const each = distributions.klDivergence(base, other);
    expect(distributions.klDivergence(independent, new Independent(other, 1)).tolist()).toEqual(
      each.sum(-1).tolist(),
    );
  });

  it("normal vectors know theirs", () => {
    const { factor, covariance, divergence } = recorded.normals;
    const p = new MultivariateNormal(f64([1, -2, 0.5]), { scaleTril: reviveTensor(factor) });
    const q = new MultivariateNormal(f64([0, 0, 0]), { covarianceMatrix: reviveTensor(covariance) });
    expectTensor(distributions.klDivergence(p, q), divergence);
    const { covarianceMatrix, precisionMatrix } = q;
    expectTensor(covarianceMatrix, covariance);
    expect(covarianceMatrix.matmul(precisionMatrix).allclose(torch.eye(3, { dtype: "float64" }))).toBe(true);
  });
});

it("REINFORCE learns which arm of a bandit pays", () => {
  torch.manualSeed(0);
  const scores = torch.zeros([3], { requiresGrad: true });
  const optimizer = new optim.Adam([scores], { lr: 0.1 });
  const payments = torch.tensor([0.1, 1.5, 0.3]);
  for (let step = 0; step < 200; step++) {
    const policy = new distributions.Categorical({ logits: scores });
    const action = policy.sample();
    optimizer.zeroGrad();
    policy.logProb(action).neg().mul(payments.at(action)).backward();
    optimizer.step();
  }
  const { probs } = new torch.distributions.Categorical({ logits: scores });
  expect(probs.argmax().item()).toBe(1);
});

it("prints its shapes", () => {
  expect(String(new Normal(f64([0, 1]), 1))).toBe("Normal(batchShape: [2], eventShape: [])");
});

it("checks no value where it is told not to", () => {
  const one = new Normal(0, -1, { validateArgs: false });
  expect(one.logProb(torch.tensor(0.5)).item()).toBeNaN();
});

describe("misuse", () => {
  const { Bernoulli, Categorical, Dirichlet, Gamma, Multinomial, Uniform, klDivergence } = distributions;
  const identity = torch.eye(2);
  refuses([
    [
      "a deviation below 0",
      () => new Normal(torch.tensor([0, 1.5]), torch.tensor([1, -1.5])),
      "RangeError",
      "new distributions.Normal: scale must be positive, got -1.5.",
    ],
    [
      "a tensor of whole numbers",
      () => new Normal(torch.tensor([0, 1]), 1),
      "TypeError",
      "new distributions.Normal: loc must be a tensor of floats, got int64: write loc.float().",
    ],
    [
      "a number beyond 1 as a probability",
      () => new Bernoulli(1.5),
      "RangeError",
      "new distributions.Bernoulli: probs must be from 0 to 1, got 1.5.",
    ],
    [
      "both probabilities and logits",
      () => new Categorical({ probs: torch.ones([2]), logits: torch.ones([2]) }),
      "TypeError",
      "new distributions.Categorical: give one of probs and logits, got 2.",
    ],
    [
      "neither",
      () => new Categorical({}),
      "TypeError",
      "new distributions.Categorical: give one of probs and logits, got none.",
    ],
    [
      "a negative weight of a class",
      () => new Categorical(torch.tensor([0.5, -0.5])),
      "RangeError",
      "new distributions.Categorical: probs must be at least 0, with a positive sum in the last dimension, got [0.5,-0.5].",
    ],
    [
      "a class that is not there",
      () => new Categorical(torch.ones([3])).logProb(torch.tensor(3)),
      "RangeError",
      "Categorical.logProb: value must be a whole number from 0 to 2, got 3.",
    ],
    [
      "a value of another shape",
      () => new Dirichlet(torch.ones([3])).logProb(torch.ones([2])),
      "RangeError",
      "Dirichlet.logProb: a value of shape [2] does not fit batchShape [] and eventShape [3].",
    ],
    [
      "a low end above the high one",
      () => new Uniform(2, 1),
      "RangeError",
      "new distributions.Uniform: high - low must be positive, got -1.",
    ],
    [
      "gradients through whole numbers",
      () => new Bernoulli(0.5).rsample(),
      "TypeError",
      "Bernoulli.rsample: this distribution has no rsample with gradients: use sample() and logProb(value).",
    ],
    [
      "counts of another total",
      () => new Multinomial(3, torch.ones([2])).logProb(torch.tensor([1.0, 1.0])),
      "RangeError",
      "Multinomial.logProb: value must be whole numbers of at least 0 with a sum of 3, got [1,1].",
    ],
    [
      "a matrix that is not positive definite",
      () => new MultivariateNormal(torch.zeros([2]), { covarianceMatrix: identity.neg() }),
      "RangeError",
      "new distributions.MultivariateNormal: covarianceMatrix must be symmetric and positive definite.",
    ],
    [
      "a matrix of another size",
      () => new MultivariateNormal(torch.zeros([3]), { covarianceMatrix: identity }),
      "RangeError",
      "new distributions.MultivariateNormal: loc has 3 numbers, and the matrix is 2 x 2.",
    ],
    [
      "more dimensions than the batch has",
      () => new Independent(new Normal(0, 1), 1),
      "RangeError",
      "new distributions.Independent: reinterpretedBatchNdims is 1, and the batch has 0 dimensions.",
    ],
    [
      "two classes without a formula",
      () => klDivergence(new Normal(0, 1), new Gamma(1, 1)),
      "TypeError",
      "distributions.klDivergence: there is no formula for Normal and Gamma: take the mean of p.logProb(x).sub(q.logProb(x)) over x = p.sample([10_000]).",
    ],
  ]);
});
