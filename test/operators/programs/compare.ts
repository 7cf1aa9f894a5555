// Runs a program and compares what came of it with what PyTorch answered (see `record.py`). Knows no program.
import { torch, type Tensor } from "../../../lib/index.ts";
import { refusal } from "./helpers.ts";

export type Outcome = { readonly values: unknown } | { readonly throws: string };

interface StoredTensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly unknown[];
}

/** Relative and absolute; whole numbers and truth values are equal or not. */
const TOLERANCE: Readonly<Record<string, readonly [number, number]>> = {
  float16: [2e-3, 1e-4],
  bfloat16: [1.6e-2, 1e-3],
  float32: [1e-4, 1e-5],
  complex64: [1e-4, 1e-5],
  float64: [1e-7, 1e-9],
  complex128: [1e-7, 1e-9],
};
const OF_NUMBERS = TOLERANCE["float32"]!;

const WORDS: Readonly<Record<string, number>> = { inf: Infinity, "-inf": -Infinity, nan: NaN, "-0": -0 };

export async function run(program: () => unknown): Promise<Outcome> {
  torch.manualSeed(0);
  torch.setDefaultDtype("float32");
  torch.setGradEnabled(true);
  try {
    return { values: plain(await program()) };
  } catch (error) {
    return { throws: refusal(error) };
  }
}

function plain(value: unknown): unknown {
  if (torch.isTensor(value)) return plainTensor(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}n`;
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value;
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function plainTensor(tensor: Tensor): StoredTensor {
  const dense = tensor.detach().layout === "strided" ? tensor.detach() : tensor.detach().toDense();
  const values = dense.cpu().reshape([-1]).tolist() as unknown[];
  return { shape: [...tensor.shape], dtype: tensor.dtype, values: values.map(plain) };
}

/** Returns in words how these differ, or null. */
export function difference(ours: Outcome, theirs: Outcome): string | null {
  if ("throws" in theirs)
    return "throws" in ours ? null : `gives ${shown(ours.values)}, where PyTorch throws: ${theirs.throws}`;
  if ("throws" in ours) return `throws, where PyTorch gives ${shown(theirs.values)}: ${ours.throws}`;
  return differs(ours.values, theirs.values, "the result");
}

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 200);

function differs(ours: unknown, theirs: unknown, what: string): string | null {
  const unlike = `${what} is ${shown(ours)}, not ${shown(theirs)}`;
  if (isStored(ours) && isStored(theirs)) {
    if (ours.dtype !== theirs.dtype) return `${what} is ${ours.dtype}, not ${theirs.dtype}`;
    if (ours.shape.join() !== theirs.shape.join())
      return `${what} has shape [${ours.shape.join(", ")}], not [${theirs.shape.join(", ")}]`;
    const tolerance = TOLERANCE[ours.dtype] ?? [0, 0];
    return ours.values.every((value, at) => close(value, theirs.values[at], tolerance)) ? null : unlike;
  }
  if (!isObject(ours) || !isObject(theirs)) return close(ours, theirs, OF_NUMBERS) ? null : unlike;
  const names = Object.keys(theirs);
  if (Object.keys(ours).length !== names.length) return unlike;
  for (const name of names) {
    const found = differs(ours[name], theirs[name], `${what}[${name}]`);
    if (found !== null) return found;
  }
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isStored = (value: unknown): value is StoredTensor & Fields =>
  isObject(value) && "dtype" in value && "shape" in value && "values" in value;

function close(ours: unknown, theirs: unknown, [relative, absolute]: readonly [number, number]): boolean {
  if (isObject(ours) && isObject(theirs))
    return ["re", "im"].every((part) => close(ours[part], theirs[part], [relative, absolute]));
  const [a, b] = [ours, theirs].map((value) => (typeof value === "string" ? (WORDS[value] ?? value) : value));
  if (Object.is(a, b)) return true;
  return (
    typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= absolute + relative * Math.abs(b)
  );
}
