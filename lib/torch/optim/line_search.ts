// A line search for the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6),
// with PyTorch's constants and cubic interpolation. Takes the function as a callback of the step length.
import type { Tensor } from "../tensor/tensor.ts";

/** The function at some length along the direction, and its derivatives there. */
export interface Point {
  readonly value: number;
  readonly gradient: Tensor;
  /** The derivative along the direction. */
  readonly slope: number;
}

interface Placed extends Point {
  readonly length: number;
}

interface Start extends Placed {
  readonly direction: Tensor;
  readonly maxEvaluations: number;
}

const DECREASE = 1e-4;
const CURVATURE = 0.9;
const MIN_CHANGE = 1e-9;

/** Returns the place within the bounds at which the cubic through two points is smallest. */
function cubicMinimum(a: Placed, b: Placed, bounds?: readonly [number, number]): number {
  const [min, max] = bounds ?? [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  const d1 = a.slope + b.slope - (3 * (a.value - b.value)) / (a.length - b.length);
  const square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (min + max) / 2;
  const [near, far] = a.length <= b.length ? [a, b] : [b, a];
  const d2 = Math.sqrt(square);
  const place =
    far.length - (far.length - near.length) * ((far.slope + d2 - d1) / (far.slope - near.slope + 2 * d2));
  return Math.min(Math.max(place, min), max);
}

interface Bracket {
  readonly points: Placed[];
  readonly done: boolean;
}

export function strongWolfe(
  evaluate: (length: number) => Point,
  start: Start,
): Placed & { readonly evaluations: number } {
  const { value, slope, direction, maxEvaluations } = start;
  const size = direction.abs().max().item();
  let evaluations = 0;
  const at = (length: number): Placed => {
    evaluations++;
    return { ...evaluate(length), length };
  };
  const tooHigh = (point: Placed) => point.value > value + DECREASE * point.length * slope;
  const flat = (point: Placed) => Math.abs(point.slope) <= -CURVATURE * slope;
  const origin: Placed = { value, gradient: start.gradient.clone(), slope, length: 0 };

  const bracketed = (): Bracket => {
    let previous = origin;
    let point = at(start.length);
    for (let iteration = 0; iteration < maxEvaluations; iteration++) {
      if (tooHigh(point) || (iteration > 1 && point.value >= previous.value))
        return { points: [previous, point], done: false };
      if (flat(point)) return { points: [point], done: true };
      if (point.slope >= 0) return { points: [previous, point], done: false };
      const bounds = [point.length + 0.01 * (point.length - previous.length), point.length * 10] as const;
      const next = cubicMinimum(previous, point, bounds);
      previous = point;
      point = at(next);
    }
    return { points: [origin, point], done: false };
  };

  const { points, done } = bracketed();
  // PyTorch does not count the evaluation at the first length as an iteration.
  let iterations = evaluations - 1;
  let finished = done;
  let low = points[0]!.value <= points.at(-1)!.value ? 0 : 1;
  let stuck = false;
  while (!finished && iterations < maxEvaluations) {
    const [a, b] = points as [Placed, Placed];
    if (Math.abs(b.length - a.length) * size < MIN_CHANGE) break;
    const [min, max] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
    let length = cubicMinimum(a, b);
    const margin = 0.1 * (max - min);
    const close = Math.min(max - length, length - min) < margin;
    if (close && (stuck || length >= max || length <= min)) {
      length = Math.abs(length - max) < Math.abs(length - min) ? max - margin : min + margin;
      stuck = false;
    } else stuck = close;
    const point = at(length);
    iterations++;
    const high = 1 - low;
    if (tooHigh(point) || point.value >= points[low]!.value) {
      points[high] = point;
      low = points[0]!.value <= points[1]!.value ? 0 : 1;
      continue;
    }
    if (flat(point)) finished = true;
    else if (point.slope * (points[high]!.length - points[low]!.length) >= 0) points[high] = points[low]!;
    points[low] = point;
  }
  return { ...points[low]!, evaluations };
}
