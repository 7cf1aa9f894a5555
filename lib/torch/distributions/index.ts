// Exports the `torch.distributions` namespace.
export { Independent, TransformedDistribution } from "./composed.ts";
export { Bernoulli, Categorical, Multinomial, type ProbsOrLogits } from "./discrete.ts";
export { Distribution } from "./distribution.ts";
export { Beta, Dirichlet, Gamma } from "./gamma.ts";
export { klDivergence } from "./kl.ts";
export { MultivariateNormal, type MultivariateNormalOptions, Normal } from "./normal.ts";
export type { DistributionOptions, Parameter } from "./parameters.ts";
export * as transforms from "./transforms.ts";
export { Exponential, Uniform } from "./uniform.ts";
