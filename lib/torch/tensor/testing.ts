// Implements `torch.testing`, which compares what a program computed with what it should have computed. How near two
// numbers must be follows from their dtype, as in PyTorch.
import { boolean, type OpenRules, optional, type Read, readOptions } from "../vocabulary/options.ts";
import { checkNumber, describe, isRecord, shapeText } from "../vocabulary/arguments.ts";
import type { DType } from "../vocabulary/dtype.ts";
import { unravelIndex } from "./composed.ts";
import { tensor as makeTensor } from "./creation.ts";
import { torchFunctions } from "./operators.ts";
import { Tensor } from "./tensor.ts";

/** Options of `torch.testing.assertClose`. */
export interface AssertCloseOptions {
  /** How far apart numbers may be, relative to what is expected. Default: by dtype, 1.3e-6 of float32; give `atol` too. */
  rtol?: number;
  /** How far apart numbers may be at most besides. Default: by dtype, 1e-5 of float32; give `rtol` too. */
  atol?: number;
  /** Is NaN equal to NaN? Default: false. */
  equalNan?: boolean;
  /** Must they be on one device? Default: true. */
  checkDevice?: boolean;
  /** Must they have one dtype? Default: true. */
  checkDtype?: boolean;
}

const tolerance = optional((call, name, value) => checkNumber(call, name, value, { min: 0 }));
const RULES = {
  rtol: tolerance,
  atol: tolerance,
  equalNan: boolean(false),
  checkDevice: boolean(true),
  checkDtype: boolean(true),
} satisfies OpenRules<AssertCloseOptions>;

/** PyTorch's (torch/testing/_comparison.py): relative and absolute. Other dtypes must be equal. */
const TOLERANCES: Readonly<Partial<Record<DType, readonly [rtol: number, atol: number]>>> = {
  float16: [1e-3, 1e-5],
  bfloat16: [1.6e-2, 1e-5],
  float32: [1.3e-6, 1e-5],
  float64: [1e-7, 1e-7],
  complex64: [1.3e-6, 1e-5],
  complex128: [1e-7, 1e-7],
};

/**
 * Throws unless two values are close to each other: tensors, numbers, or lists and records of them. Tensors must have the
 * same shape, and by default the same dtype and device. `torch.testing.assertClose(model(x), expected, { rtol: 0, atol: 1e-3 })`
 *
 * @throws RangeError that says how many numbers differ, where they differ most, and by how much
 * @throws TypeError if the values are of different kinds, or only one of `rtol` and `atol` is given
 */
export function assertClose(actual: unknown, expected: unknown, options: AssertCloseOptions = {}): void {
  const call = "torch.testing.assertClose";
  const read = readOptions(call, options, RULES);
  if ((read.rtol === undefined) !== (read.atol === undefined))
    throw new TypeError(`${call} takes rtol and atol together, got ${describe(options)}.`);
  compare(call, "", actual, expected, read);
}

/** @param place where the values stand in lists and records: `.weights[2]` */
function compare(
  call: string,
  place: string,
  actual: unknown,
  expected: unknown,
  read: Read<typeof RULES>,
): void {
  const at = place === "" ? "" : ` at ${place}`;
  const keys = keysOf(actual);
  if (keys !== null && keysOf(expected) !== null) {
    const others = keysOf(expected)!;
    if (Array.isArray(actual) !== Array.isArray(expected) || !sameKeys(keys, others))
      throw new RangeError(
        `${call}${at}: the values hold ${describe(keys)} and ${describe(others)}: give both the same keys.`,
      );
    for (const key of keys)
      compare(
        call,
        `${place}${Array.isArray(actual) ? `[${key}]` : `.${key}`}`,
        (actual as Record<string, unknown>)[key],
        (expected as Record<string, unknown>)[key],
        read,
      );
    return;
  }
  const isNumeric = (value: unknown): boolean =>
    value instanceof Tensor || ["number", "bigint", "boolean"].includes(typeof value);
  if (!isNumeric(actual) || !isNumeric(expected) || actual instanceof Tensor !== expected instanceof Tensor)
    throw new TypeError(
      `${call}${at} compares tensors, numbers, or lists and records of them, both of one kind; got ${describe(actual)} and ${describe(expected)}.`,
    );
  if (actual instanceof Tensor) compareTensors(`${call}${at}`, actual, expected as Tensor, read);
  else compareTensors(`${call}${at}`, numberTensor(actual), numberTensor(expected), read);
}

/** A number of JavaScript is a double. */
const numberTensor = (value: unknown): Tensor =>
  makeTensor(value as number, typeof value === "number" ? { dtype: "float64" } : {}) as Tensor;

const keysOf = (value: unknown): string[] | null =>
  Array.isArray(value) || isRecord(value) ? Object.keys(value) : null;

const sameKeys = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((key) => other.includes(key));

function compareTensors(call: string, actual: Tensor, expected: Tensor, read: Read<typeof RULES>): void {
  const must = (what: string, one: string, other: string): void => {
    if (one !== other) throw new RangeError(`${call}: the ${what} differ, ${one} and ${other}.`);
  };
  must("shapes", shapeText(actual.shape), shapeText(expected.shape));
  if (read.checkDtype) must("dtypes", actual.dtype, expected.dtype);
  if (read.checkDevice) must("devices", actual.device, expected.device);
  if (actual.numel() === 0) return;
  const dtype = torchFunctions.promoteTypes(actual.dtype, expected.dtype);
  const [one, other] = [actual, expected].map((tensor) => plain(tensor).to("cpu").to(dtype)) as [
    Tensor,
    Tensor,
  ];
  const [rtol, atol] =
    read.rtol === undefined ? laxest(actual.dtype, expected.dtype) : [read.rtol, read.atol!];
  const differs = torchFunctions.isclose(one, other, { rtol, atol, equalNan: read.equalNan }).logicalNot();
  const count = Number(differs.sum().item());
  if (count === 0) return;
  const share = ((100 * count) / actual.numel()).toFixed(1);
  const [absolute, relative] = greatest(one, other, differs);
  throw new RangeError(
    `${call}: ${count} of ${actual.numel()} numbers differ (${share}%); the greatest absolute difference is ${absolute} where ${atol} is allowed, the greatest relative one ${relative} where ${rtol} is allowed.`,
  );
}

const plain = (tensor: Tensor): Tensor => {
  const detached = tensor.detach();
  return detached.layout === "strided" ? detached : detached.toDense();
};

function laxest(one: DType, other: DType): readonly [rtol: number, atol: number] {
  const [a, b] = [TOLERANCES[one] ?? [0, 0], TOLERANCES[other] ?? [0, 0]];
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
}

/** `0.25 at [1, 2]`, the absolute and the relative difference of the numbers that differ. */
function greatest(
  actual: Tensor,
  expected: Tensor,
  differs: Tensor,
): readonly [absolute: string, relative: string] {
  const wide = actual.dtype.startsWith("complex") ? "complex128" : "float64";
  const distance = actual.to(wide).sub(expected.to(wide)).abs();
  const says = (of: Tensor): string => {
    const among = torchFunctions.where(differs, of, -1);
    const place = unravelIndex(among.argmax(), actual.shape).map((index: Tensor) => index.item());
    return `${Number(among.max().item().toPrecision(6))} at ${shapeText(place as number[])}`;
  };
  return [says(distance), says(distance.div(expected.to(wide).abs()))];
}
