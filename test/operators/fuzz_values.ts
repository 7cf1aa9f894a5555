// Values that the fuzzer draws for an argument, each with the Python that makes the same value: of right and wrong
// shapes, dtypes, layouts and lengths.
import { torch } from "../../lib/index.ts";

export type Draw = () => number;

/** A value of an argument. */
export interface Drawn {
  /** Makes it: tensors are made anew for each call, which may write into them. */
  readonly make: () => unknown;
  readonly python: string;
}

export function pick<T>(draw: Draw, choices: readonly T[]): T {
  return choices[Math.floor(draw() * choices.length)]!;
}

const { aten } = torch.ops;
const ones = () => torch.ones([2, 2]);

const TENSORS: readonly Drawn[] = [
  { make: ones, python: "torch.ones([2, 2])" },
  { make: () => torch.ones([1, 2, 4]), python: "torch.ones([1, 2, 4])" },
  { make: () => torch.ones([1, 1, 4, 4]), python: "torch.ones([1, 1, 4, 4])" },
  { make: () => torch.ones([1, 1, 2, 4, 4]), python: "torch.ones([1, 1, 2, 4, 4])" },
  { make: () => torch.zeros([0, 3]), python: "torch.zeros([0, 3])" },
  {
    make: () => torch.ones([2, 2], { requiresGrad: true }),
    python: "torch.ones([2, 2], requires_grad=True)",
  },
  { make: () => torch.tensor(2, { dtype: "float32" }), python: "torch.tensor(2, dtype=torch.float32)" },
  { make: () => torch.tensor(3, { dtype: "int64" }), python: "torch.tensor(3)" },
  { make: () => torch.tensor([true, false]), python: "torch.tensor([True, False])" },
  { make: () => torch.tensor([0, 1], { dtype: "int64" }), python: "torch.tensor([0, 1])" },
  { make: () => torch.tensor([-9, 7], { dtype: "int64" }), python: "torch.tensor([-9, 7])" },
  { make: () => torch.tensor([0, 9], { dtype: "int32" }), python: "torch.tensor([0, 9], dtype=torch.int32)" },
  {
    make: () => torch.zeros([1, 1, 4, 4], { dtype: "int64" }),
    python: "torch.zeros([1, 1, 4, 4], dtype=torch.int64)",
  },
  {
    make: () => torch.ones([2, 2], { dtype: "complex64" }),
    python: "torch.ones([2, 2], dtype=torch.complex64)",
  },
  {
    make: () => torch.ones([2, 2], { dtype: "bfloat16" }),
    python: "torch.ones([2, 2], dtype=torch.bfloat16)",
  },
  { make: () => ones().toSparse(), python: "torch.ones([2, 2]).to_sparse()" },
  { make: () => aten.to_sparse_csr.default(ones()), python: "torch.ones([2, 2]).to_sparse_csr()" },
  {
    make: () => aten.to_sparse_bsr.default(ones(), [1, 1]),
    python: "torch.ones([2, 2]).to_sparse_bsr([1, 1])",
  },
  { make: () => aten.to_mkldnn.default(ones()), python: "torch.ones([2, 2]).to_mkldnn()" },
  {
    make: () => torch.quantizePerTensor(ones(), 0.1, 0, "qint8"),
    python: "torch.quantize_per_tensor(torch.ones([2, 2]), 0.1, 0, torch.qint8)",
  },
  { make: () => torch.ones([2, 2], { device: "meta" }), python: 'torch.ones([2, 2], device="meta")' },
];

const INTEGERS = [0, 1, 2, 3, 4, -1, -7, 64, 2 ** 31 - 1, -(2 ** 31)];
const FLOATS = [0, 0.5, 1, -1, 1e300, Infinity, NaN];
const SCALARS = [0, -1, 1.5, NaN, 1e300, true, 3n, { re: 1, im: -1 }];
const TEXTS = ["mean", "none", "ij,jk->ik", "", "sum", "reflect", "floor", "none"];

/** Writes a JavaScript value as Python does. */
export function inPython(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) {
    const { re, im } = value as { re: number; im: number };
    return `complex(${re}, ${im})`;
  }
  if (Number.isNaN(value)) return 'float("nan")';
  return value === Infinity ? 'float("inf")' : String(value);
}

const plain = (value: unknown): Drawn => ({ make: () => value, python: inPython(value) });
/** Dtypes and the like, which Python has as attributes of `torch`. */
const attribute = (name: string): Drawn => ({ make: () => name, python: `torch.${name}` });

const VALUES: Readonly<Record<string, readonly Drawn[]>> = {
  Tensor: TENSORS,
  Scalar: SCALARS.map(plain),
  int: INTEGERS.map(plain),
  float: FLOATS.map(plain),
  bool: [true, false].map(plain),
  str: TEXTS.map(plain),
  ScalarType: ["float32", "int64", "complex64", "bool", "qint8"].map(attribute),
  Layout: ["strided", "sparse_coo", "sparse_csr"].map(attribute),
  Device: ["cpu", "meta"].map((name) => ({ make: () => name, python: `torch.device("${name}")` })),
  MemoryFormat: ["contiguous_format", "channels_last", "preserve_format"].map(attribute),
  Generator: [{ make: () => new torch.Generator(), python: "torch.Generator()" }],
};
const SAME: Readonly<Record<string, string>> = { number: "Scalar", SymInt: "int", SymBool: "bool" };
const NONE: Drawn = { make: () => null, python: "None" };

/** Whether there are values of a type: there are none of storages, streams and classes of TorchScript. */
export function isDrawable(type: string): boolean {
  const element = type.replaceAll(/\?|\[\d*\]/g, "");
  return (SAME[element] ?? element) in VALUES;
}

/** A list is often of another length than its schema says: an operator that trusts it reads beside it. */
export function drawValue(type: string, draw: Draw): Drawn {
  if (type.endsWith("?")) return draw() < 0.3 ? NONE : drawValue(type.slice(0, -1), draw);
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list === null) return pick(draw, VALUES[SAME[type] ?? type]!);
  const length = list[2] !== "" && draw() < 0.6 ? Number(list[2]) : Math.floor(draw() * 5);
  const elements = Array.from({ length }, () => drawValue(list[1]!, draw));
  return {
    make: () => elements.map(({ make }) => make()),
    python: `[${elements.map(({ python }) => python).join(", ")}]`,
  };
}
