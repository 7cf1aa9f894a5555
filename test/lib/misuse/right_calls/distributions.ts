// A right call of every distribution and transform.
import { distributions, type Tensor, torch } from "../../../../lib/index.ts";
import { ones, type RightCalls, under } from "./right_calls.ts";

const { Normal, transforms } = distributions;
const normal = () => new Normal(0, 1);
const half = (): Tensor => torch.tensor(0.5);
const tanh = () => new transforms.TanhTransform();
const checked = { validateArgs: true };

export const distributionCalls: RightCalls = under("torch.distributions", {
  Bernoulli: () => [{ probs: 0.5, ...checked }],
  Beta: () => [2, half(), checked],
  Categorical: () => [{ logits: ones(3), ...checked }],
  Dirichlet: () => [ones(3), checked],
  Exponential: () => [half(), checked],
  Gamma: () => [2, half(), checked],
  Independent: () => [new Normal(ones(2), 1), 1, checked],
  Multinomial: () => [3, ones(2), checked],
  MultivariateNormal: () => [ones(2), { covarianceMatrix: torch.eye(2), ...checked }],
  Normal: () => [0, half(), checked],
  TransformedDistribution: () => [normal(), [tanh()], checked],
  Uniform: () => [0, half(), checked],
  "Distribution#sample": () => [normal(), [2]],
  "Distribution#rsample": () => [normal(), [2]],
  "Distribution#logProb": () => [normal(), half()],
  "Distribution#cdf": () => [normal(), half()],
  "Distribution#icdf": () => [normal(), half()],
  "Distribution#entropy": () => [normal()],
  "Distribution#perplexity": () => [normal()],
  "Distribution#toString": () => [normal()],
  klDivergence: () => [normal(), normal()],
  "transforms.AffineTransform": () => [1, half()],
  "transforms.ExpTransform": () => [],
  "transforms.SigmoidTransform": () => [],
  "transforms.TanhTransform": () => [],
  "transforms.AffineTransform#forward": () => [tanh(), half()],
  "transforms.AffineTransform#inverse": () => [tanh(), half()],
  "transforms.AffineTransform#logAbsDetJacobian": () => [tanh(), half(), half()],
});
