// What the parameters and the values of a distribution may be, and the refusal of those that are not. Checking reads
// the values, so it waits for the device.
import type { Tensor } from "../types/index.ts";
import { native } from "../engine/native.ts";
import { noGrad } from "../autograd/autograd.ts";
import { tidy } from "../tensor/scope.ts";

/** Which values are allowed: `holds` answers for each event, whose last `eventDims` dimensions belong together. */
export interface Constraint {
  /** Completes "scale must be ...". */
  readonly text: string;
  readonly eventDims: number;
  holds(value: Tensor): Tensor;
}

const each = (text: string, holds: (value: Tensor) => Tensor): Constraint => ({ text, eventDims: 0, holds });

/** As far as rounding lets the sum of float32 be 1. */
const SUM_TOLERANCE = 1e-6;

/** NaN is equal to nothing, itself included. */
export const real = each("a number", (value) => value.eq(value));
export const positive = each("positive", (value) => value.gt(0));
export const nonNegative = each("at least 0", (value) => value.ge(0));
export const unitInterval = each("from 0 to 1", (value) => value.ge(0).logicalAnd(value.le(1)));
export const boolean = each("0 or 1", (value) => value.eq(0).logicalOr(value.eq(1)));

/** `frac` has no kernel for integers. */
const isWhole = (value: Tensor): Tensor => value.remainder(1).eq(0);

export const integersBelow = (count: number): Constraint =>
  each(`a whole number from 0 to ${count - 1}`, (value) =>
    isWhole(value).logicalAnd(value.ge(0)).logicalAnd(value.lt(count)),
  );

export const between = (low: Tensor, high: Tensor): Constraint =>
  each("within low and high", (value) => value.ge(low).logicalAnd(value.le(high)));

export const realVector: Constraint = {
  text: "numbers",
  eventDims: 1,
  holds: (value) => value.eq(value).all(-1),
};

export const simplex: Constraint = {
  text: "at least 0, with a sum of 1 in the last dimension",
  eventDims: 1,
  holds: (value) => value.ge(0).all(-1).logicalAnd(value.sum(-1).sub(1).abs().lt(SUM_TOLERANCE)),
};

/** Probabilities that a distribution brings to a sum of 1 itself. */
export const weights: Constraint = {
  text: "at least 0, with a positive sum in the last dimension",
  eventDims: 1,
  holds: (value) => value.ge(0).all(-1).logicalAnd(value.sum(-1).gt(0)),
};

export const positiveVector: Constraint = {
  text: "positive",
  eventDims: 1,
  holds: (value) => value.gt(0).all(-1),
};

export const countsOf = (total: number): Constraint => ({
  text: `whole numbers of at least 0 with a sum of ${total}`,
  eventDims: 1,
  holds: (value) => value.ge(0).logicalAnd(isWhole(value)).all(-1).logicalAnd(value.sum(-1).eq(total)),
});

export const lowerCholesky: Constraint = {
  text: "a lower triangle with a positive diagonal",
  eventDims: 2,
  holds: (value) =>
    value
      .tril()
      .eq(value)
      .all(-1)
      .all(-1)
      .logicalAnd(value.diagonal({ dim1: -2, dim2: -1 }).gt(0).all(-1)),
};

/** More dimensions belong to one event: the constraint of `distributions.Independent`. */
export const ofMoreDims = (base: Constraint, count: number): Constraint => ({
  text: base.text,
  eventDims: base.eventDims + count,
  holds: (value) => base.holds(value).flatten({ startDim: -count }).all(-1),
});

/** @throws RangeError with the first event that is refused */
export function checkConstraint(call: string, name: string, value: Tensor, constraint: Constraint): void {
  const refused = noGrad(() => tidy(() => firstRefused(value, constraint)));
  if (refused !== null) throw new RangeError(`${call}: ${name} must be ${constraint.text}, got ${refused}.`);
}

function firstRefused(value: Tensor, constraint: Constraint): string | null {
  const held = constraint.holds(value).reshape([-1]);
  if (held.all().item<boolean>()) return null;
  const at = held.logicalNot().int().argmax().item<number>();
  const eventShape = native.shape(value).slice(native.dim(value) - constraint.eventDims);
  const event: unknown = value
    .reshape([-1, ...eventShape])
    .at(at)
    .detach()
    .tolist();
  return typeof event === "number" ? String(event) : JSON.stringify(event);
}
