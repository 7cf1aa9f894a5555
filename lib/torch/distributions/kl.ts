// How far one distribution is from another: the Kullback-Leibler divergence, by the formula of each pair.
import type { Tensor } from "../types/index.ts";
import { describe } from "../vocabulary/arguments.ts";
import { linalg, nnFunctions, torchFunctions } from "../tensor/operators.ts";
import { Independent } from "./composed.ts";
import { Bernoulli, Categorical } from "./discrete.ts";
import { Distribution } from "./distribution.ts";
import { Beta, Dirichlet, Gamma } from "./gamma.ts";
import { halfLogDeterminant, mahalanobis, MultivariateNormal, Normal } from "./normal.ts";
import { Exponential, Uniform } from "./uniform.ts";

type Divergence<Kind extends Distribution> = (p: Kind, q: Kind) => Tensor;

/** A formula for two distributions of one class. */
interface Pair {
  readonly kind: abstract new (...args: never[]) => Distribution;
  readonly divergence: Divergence<never>;
}

const pair = <Kind extends Distribution>(
  kind: abstract new (...args: never[]) => Kind,
  divergence: Divergence<Kind>,
): Pair => ({ kind, divergence });

/** Where p gives a value no chance, it does not count; where only q gives it none, the distance is infinite. */
const bounded = (term: Tensor, p: Tensor, q: Tensor): Tensor =>
  torchFunctions.where(p.eq(0), 0, torchFunctions.where(q.eq(0), Infinity, term));

function ofDirichlet(p: Tensor, q: Tensor): Tensor {
  const [sumOfP, sumOfQ] = [p.sum(-1), q.sum(-1)];
  const expected = p.digamma().sub(sumOfP.digamma().unsqueeze(-1));
  return sumOfP
    .lgamma()
    .sub(sumOfQ.lgamma())
    .sub(p.lgamma().sub(q.lgamma()).sum(-1))
    .add(p.sub(q).mul(expected).sum(-1));
}

const pairs: readonly Pair[] = [
  pair(Normal, (p, q) => {
    const ratio = p.scale.div(q.scale).square();
    const shift = p.loc.sub(q.loc).div(q.scale).square();
    return ratio.add(shift).sub(1).sub(ratio.log()).mul(0.5);
  }),
  pair(Bernoulli, (p, q) => {
    const { softplus } = nnFunctions;
    const ones = p.probs.mul(softplus(q.logits.neg()).sub(softplus(p.logits.neg())));
    const notP = p.probs.neg().add(1);
    const zeros = notP.mul(softplus(q.logits).sub(softplus(p.logits)));
    return bounded(ones, p.probs, q.probs).add(bounded(zeros, notP, q.probs.neg().add(1)));
  }),
  pair(Categorical, (p, q) => bounded(p.probs.mul(p.logits.sub(q.logits)), p.probs, q.probs).sum(-1)),
  pair(Beta, (p, q) => ofDirichlet(sharesOf(p), sharesOf(q))),
  pair(Dirichlet, (p, q) => ofDirichlet(p.concentration, q.concentration)),
  pair(Gamma, (p, q) =>
    q.concentration
      .mul(p.rate.div(q.rate).log())
      .add(q.concentration.lgamma().sub(p.concentration.lgamma()))
      .add(p.concentration.sub(q.concentration).mul(p.concentration.digamma()))
      .add(q.rate.sub(p.rate).mul(p.concentration.div(p.rate))),
  ),
  pair(Exponential, (p, q) => {
    const ratio = q.rate.div(p.rate);
    return ratio.sub(1).sub(ratio.log());
  }),
  pair(Uniform, (p, q) => {
    const isOutside = q.low.gt(p.low).logicalOr(q.high.lt(p.high));
    const within = q.high.sub(q.low).div(p.high.sub(p.low)).log();
    return torchFunctions.where(isOutside, Infinity, within);
  }),
  pair(MultivariateNormal, (p, q) => {
    const ratio = linalg.solveTriangular(q.scaleTril, p.scaleTril, { upper: false }).square().sum([-2, -1]);
    const distance = mahalanobis(q.scaleTril, q.loc.sub(p.loc));
    const [size] = p.eventShape as [number];
    return ratio
      .add(distance)
      .sub(size)
      .mul(0.5)
      .add(halfLogDeterminant(q.scaleTril))
      .sub(halfLogDeterminant(p.scaleTril));
  }),
  pair(Independent, (p, q) => {
    const count = p.reinterpretedBatchNdims;
    if (count !== q.reinterpretedBatchNdims)
      throw new RangeError(
        `distributions.klDivergence: p takes ${count} dimensions of its batch into an event, and q ${q.reinterpretedBatchNdims}.`,
      );
    const each = klDivergence(p.baseDist, q.baseDist);
    return count === 0 ? each : each.flatten({ startDim: -count }).sum(-1);
  }),
];

const sharesOf = ({ concentration1, concentration0 }: Beta): Tensor =>
  torchFunctions.stack([concentration1, concentration0], -1);

/**
 * The Kullback-Leibler divergence of q from p, in nats: what a code for q costs more for values of p. -> batchShape
 *
 * @throws TypeError for two classes that have no formula: take the mean of `p.logProb(x).sub(q.logProb(x))` over samples
 */
export function klDivergence(p: Distribution, q: Distribution): Tensor {
  for (const [name, value] of Object.entries({ p, q })) {
    if (!(value instanceof Distribution))
      throw new TypeError(
        `distributions.klDivergence: ${name} must be a distribution, got ${describe(value)}.`,
      );
  }
  const found = pairs.find(({ kind }) => p instanceof kind && q instanceof kind);
  if (found === undefined)
    throw new TypeError(
      `distributions.klDivergence: there is no formula for ${p.constructor.name} and ${q.constructor.name}: take the mean of p.logProb(x).sub(q.logProb(x)) over x = p.sample([10_000]).`,
    );
  return found.divergence(p as never, q as never);
}
