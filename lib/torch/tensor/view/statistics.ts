// Computes what a person wants to know of a tensor's values: range, mean, spread, a histogram, NaN and infinite
// values. Large tensors are sampled.
import type { Tensor } from "../../types/index.ts";
import { Slice } from "../../vocabulary/slice.ts";
import { isComplexDType, isQuantizedDType } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";

/** More elements than this are sampled: what a copy and two passes cost stays below a few milliseconds. */
const MAX_READ = 2 ** 18;
const BINS = 32;

export interface Statistics {
  /** The number of elements that were read: all, or a sample. */
  readonly looked: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** The standard deviation with Bessel's correction, as `std()` computes it. NaN for one value. */
  readonly std: number;
  readonly nan: number;
  readonly infinite: number;
  readonly zero: number;
  /** Counts of the finite values in equal steps from min to max. */
  readonly histogram: readonly number[];
}

/**
 * Computes the statistics of a strided tensor with values; of complex numbers, those of their magnitudes. Copies at most
 * 2 MiB from the device, and so waits for it once (counted).
 */
export function describeValues(tensor: Tensor): Statistics {
  return native.withTypedArray(toDoubles(sample(tensor.detach())), (values) =>
    summarize(values as Float64Array),
  );
}

/** Every n-th index of the larger dimensions, so that few enough elements remain. A view. */
function sample(tensor: Tensor): Tensor {
  const { shape } = tensor;
  const steps = shape.map(() => 1);
  const kept = () => shape.reduce((product, size, dim) => product * Math.ceil(size / steps[dim]!), 1);
  while (kept() > MAX_READ) {
    const lengths = shape.map((size, dim) => size / steps[dim]!);
    const longest = lengths.indexOf(Math.max(...lengths));
    const excess = Math.ceil(kept() / MAX_READ);
    // A dimension that is longest takes its share, and no more than leaves 64 of it.
    steps[longest]! *= Math.max(2, Math.min(excess, Math.floor(lengths[longest]! / 64)));
  }
  return tensor.at(...steps.map((step) => new Slice(null, null, step)));
}

function toDoubles(tensor: Tensor): Tensor {
  const { dtype } = tensor;
  const plain = isQuantizedDType(dtype) ? tensor.dequantize() : tensor;
  const real = isComplexDType(dtype) ? (dtype === "complex32" ? plain.to("complex64") : plain).abs() : plain;
  return real.cpu().to("float64").contiguous();
}

function summarize(values: Float64Array): Statistics {
  let [min, max, sum, nan, infinite, zero] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (const value of values) {
    if (value !== value) nan++;
    else if (value === Infinity || value === -Infinity) infinite++;
    else {
      if (value < min) min = value;
      if (value > max) max = value;
      if (value === 0) zero++;
      sum += value;
    }
  }
  const finite = values.length - nan - infinite;
  const mean = sum / finite;
  let squares = 0;
  const histogram = Array.from({ length: BINS }, () => 0);
  const scale = BINS / (max - min || 1);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    squares += (value - mean) ** 2;
    histogram[Math.min(BINS - 1, Math.floor((value - min) * scale))]!++;
  }
  const std = Math.sqrt(squares / (finite - 1));
  return { looked: values.length, min, max, mean, std, nan, infinite, zero, histogram };
}
