// Distributions that are made of another one: with more dimensions in an event, and of transformed values.
import type { Tensor } from "../types/index.ts";
import { checkInteger, describe } from "../vocabulary/arguments.ts";
import { broadcastShapes } from "../tensor/composed.ts";
import { type Constraint, ofMoreDims } from "./constraints.ts";
import { Distribution, type Law } from "./distribution.ts";
import { type DistributionOptions, readValidateArgs } from "./parameters.ts";
import { Transform } from "./transforms.ts";

function checkDistribution(call: string, name: string, value: unknown): Distribution {
  if (value instanceof Distribution) return value;
  throw new TypeError(`${call}: ${name} must be a distribution, got ${describe(value)}.`);
}

const sumOfLast = (value: Tensor, count: number): Tensor =>
  count === 0 ? value : value.flatten({ startDim: -count }).sum(-1);

/**
 * The last dimensions of the batch belong to one event: `new Independent(new Normal(zeros, ones), 1)`, with [5, 3] of each,
 * is five distributions of vectors of three.
 */
export class Independent extends Distribution {
  readonly baseDist: Distribution;
  readonly reinterpretedBatchNdims: number;

  constructor(baseDist: Distribution, reinterpretedBatchNdims: number, options?: DistributionOptions) {
    const call = "new distributions.Independent";
    const base = checkDistribution(call, "baseDist", baseDist);
    const count = checkInteger(call, "reinterpretedBatchNdims", reinterpretedBatchNdims, 0);
    const validateArgs = readValidateArgs(call, options);
    const law = Distribution.lawOf(base);
    const kept = law.batchShape.length - count;
    if (kept < 0)
      throw new RangeError(
        `${call}: reinterpretedBatchNdims is ${count}, and the batch has ${law.batchShape.length} dimensions.`,
      );
    super(
      {
        ...law,
        batchShape: law.batchShape.slice(0, kept),
        eventShape: [...law.batchShape.slice(kept), ...law.eventShape],
        support: count === 0 ? law.support : ofMoreDims(law.support, count),
        ...summed(law, count),
      },
      validateArgs,
    );
    this.baseDist = base;
    this.reinterpretedBatchNdims = count;
  }
}

/** The formulas whose results are one number an event. One event has no cdf. */
function summed({ logProb, entropy }: Law, count: number): Partial<Law> {
  return {
    ...(logProb && { logProb: (value: Tensor) => sumOfLast(logProb(value), count) }),
    ...(entropy && { entropy: () => sumOfLast(entropy(), count) }),
    ...(count > 0 && { cdf: undefined, icdf: undefined }),
  } as Partial<Law>;
}

/** The values of a distribution after these functions, the first of them first. */
export class TransformedDistribution extends Distribution {
  readonly baseDist: Distribution;
  readonly transforms: readonly Transform[];

  constructor(
    baseDistribution: Distribution,
    transforms: Transform | readonly Transform[],
    options?: DistributionOptions,
  ) {
    const call = "new distributions.TransformedDistribution";
    const base = checkDistribution(call, "baseDistribution", baseDistribution);
    const given: readonly unknown[] = Array.isArray(transforms) ? transforms : [transforms];
    const steps = given.map((one, at) => {
      if (one instanceof Transform) return Transform.formulasOf(one);
      throw new TypeError(`${call}: transforms[${at}] must be a transform, got ${describe(one)}.`);
    });
    const validateArgs = readValidateArgs(call, options);
    const law = Distribution.lawOf(base);
    const forward = (x: Tensor) => steps.reduce((value, step) => step.forward(value), x);
    const inverse = (y: Tensor) => steps.reduceRight((value, step) => step.inverse(value), y);
    // A transform with a batch of parameters makes a batch of one distribution.
    const shape = broadcastShapes(
      [...law.batchShape, ...law.eventShape],
      ...steps.map(({ batchShape = [] }) => batchShape),
    );
    const batchDims = shape.length - law.eventShape.length;
    const sign = steps.reduce<Tensor | number>(
      (product, step) =>
        typeof product === "number"
          ? typeof step.sign === "number"
            ? product * step.sign
            : step.sign.mul(product)
          : product.mul(step.sign),
      1,
    );
    const { rsample, logProb, cdf, icdf } = law;
    const flipped = (probability: Tensor) => probability.sub(0.5).mul(sign).add(0.5);
    super(
      {
        batchShape: shape.slice(0, batchDims),
        eventShape: shape.slice(batchDims),
        support: supportOf(law, steps.at(-1)?.codomain, inverse),
        sample: (wanted) => forward(law.sample(wanted)),
        ...(rsample && { rsample: (wanted: readonly number[]) => forward(rsample(wanted)) }),
        ...(logProb && {
          logProb: (value: Tensor) => {
            let y = value;
            let result: Tensor | number = 0;
            for (const step of steps.toReversed()) {
              const x = step.inverse(y);
              result = sumOfLast(step.logAbsDetJacobian(x, y), law.eventShape.length).neg().add(result);
              y = x;
            }
            return logProb(y).add(result);
          },
        }),
        ...(cdf && { cdf: (value: Tensor) => flipped(cdf(inverse(value))) }),
        ...(icdf && { icdf: (probability: Tensor) => forward(icdf(flipped(probability))) }),
      },
      validateArgs,
    );
    this.baseDist = base;
    this.transforms = given as readonly Transform[];
  }
}

function supportOf(law: Law, codomain: Constraint | undefined, inverse: (y: Tensor) => Tensor): Constraint {
  if (codomain === undefined) return law.support;
  return {
    text: `${codomain.text}, and what the base distribution gives`,
    eventDims: law.support.eventDims,
    holds: (value) => {
      const { eventDims, holds } = law.support;
      const isHere = codomain.holds(value);
      const within = eventDims === 0 ? isHere : isHere.flatten({ startDim: -eventDims }).all(-1);
      return within.logicalAnd(holds(inverse(value)));
    },
  };
}
