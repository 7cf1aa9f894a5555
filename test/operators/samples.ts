// Samples as `samples.py` writes them, and their values as values of ours. Knows nothing of calls.
import { torch, type Tensor } from "../../lib/index.ts";
import type { DType } from "../../lib/torch/vocabulary/dtype.ts";

export interface StoredTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Left out for a contiguous tensor. */
  readonly stride?: readonly number[];
  /** The memory that it shows in base64; left out where it has no elements. */
  readonly data?: string;
  /** The offset at which it begins in that memory; 0 if left out. */
  readonly offset?: number;
  /** Its gradient is asked for; what was made from a leaf may be changed in place. */
  readonly grad?: "leaf" | "made";
}

export type Stored =
  | null
  | boolean
  | string
  | number
  | readonly Stored[]
  | { readonly tensor: number }
  | { readonly integer: string }
  /** A whole number that is a float, or one that JSON has not. */
  | { readonly float: number | string }
  | { readonly re: Stored; readonly im: Stored }
  | { readonly slice: readonly [Stored, Stored, Stored] }
  | { readonly ellipsis: true };

export type Variant = "inplace" | "out" | "method";

/** A question of PyTorch's table of operators, and PyTorch's answer. */
export interface Sample {
  /** The entry of the table: `nn.functional.relu`. */
  readonly operator: string;
  readonly variant: string;
  readonly dtype: "float32" | "int64";
  /** The public function that was called: `torch.nn.functional.relu`. */
  readonly name: string;
  readonly args: readonly Stored[];
  readonly kwargs: Readonly<Record<string, Stored>>;
  /** Names of the parameters where the function is written in Python. */
  readonly names?: readonly string[];
  /** It takes any number of tensors after so many other arguments: `einsum(equation, *operands)`. */
  readonly variadic?: number;
  readonly tensors: readonly StoredTensor[];
  readonly expected: Stored;
  readonly results: readonly StoredTensor[];
  readonly gradients: readonly { readonly of: number; readonly is: StoredTensor | null }[] | null;
  readonly variants: readonly Variant[];
  /** The elements are whatever the memory held. */
  readonly undefined?: true;
}

/** An entry of the table that has no form as a sample. */
export interface Unwritable {
  readonly operator: string;
  readonly dtype: string;
  readonly unwritable: string;
}

export function reviveTensor({ dtype, shape, stride, data, offset }: StoredTensor): Tensor {
  if (data === undefined) return torch.zeros(shape, { dtype });
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  const memory = torch.tensor(bytes).view(dtype);
  return memory.asStrided(shape, stride ?? contiguous(shape), offset ?? 0);
}

function contiguous(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let step = 1;
  for (const size of [...shape].reverse()) {
    strides.unshift(step);
    step *= Math.max(size, 1);
  }
  return strides;
}

const has = <Key extends string>(value: object, key: Key): value is Record<Key, never> => key in value;

export function reviveValue(stored: Stored, tensors: readonly Tensor[]): unknown {
  if (typeof stored !== "object" || stored === null) return stored;
  if (Array.isArray(stored)) return stored.map((element: Stored) => reviveValue(element, tensors));
  if (has(stored, "tensor")) return tensors[stored.tensor];
  if (has(stored, "integer")) return BigInt(stored.integer);
  if (has(stored, "float")) return reviveFloat(stored.float);
  if (has(stored, "slice")) {
    const [start, stop, step] = (stored.slice as Stored[]).map(
      (end) => reviveValue(end, tensors) as number | null,
    );
    return torch.slice(start ?? null, stop ?? null, step ?? 1);
  }
  if (has(stored, "ellipsis")) return "...";
  const { re, im } = stored as { re: Stored; im: Stored };
  return { re: reviveValue(re, tensors), im: reviveValue(im, tensors) };
}

const WORDS: Readonly<Record<string, number>> = {
  inf: Infinity,
  "-inf": -Infinity,
  nan: Number.NaN,
  "-0": -0,
};

function reviveFloat(stored: number | string): number {
  return typeof stored === "number" ? stored : (WORDS[stored] ?? Number.NaN);
}
