// Arguments for any overload, drawn from a number: the same number draws the same call in each process, so that a call
// that ends its process can be made again alone.
import { torch, type Tensor } from "../../lib/index.ts";
import { native } from "../../lib/torch/native.ts";
import { OPERATORS } from "../../lib/torch/ops.generated.ts";
import { type Argument, type Operator, readOperator } from "../../native/schema.ts";

/** These write files under names that are drawn. */
const EXCLUDED = new Set(["from_file"]);

type Draw = () => number;

/** Numbers in [0, 1) by mulberry32. */
function makeDraw(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(draw: Draw, choices: readonly T[]): T {
  return choices[Math.floor(draw() * choices.length)]!;
}

const TENSORS: readonly (() => unknown)[] = [
  () => torch.ones([2, 2]),
  () => torch.ones([1, 2, 4]),
  () => torch.ones([1, 1, 4, 4]),
  () => torch.ones([1, 1, 2, 4, 4]),
  () => torch.zeros([0, 3]),
  () => torch.tensor(2),
  () => torch.tensor([true, false]),
  () => torch.tensor([0, 1], { dtype: "int64" }),
  () => torch.tensor([-9, 7], { dtype: "int64" }),
  () => torch.zeros([1, 1, 4, 4], { dtype: "int64" }),
  () => torch.ones([2, 2], { dtype: "complex64" }),
  () => torch.ones([2, 2], { dtype: "bfloat16" }),
  () => torch.ones([2, 2]).toSparse(),
  () => torch.ops.aten.to_sparse_csr.default(torch.ones([2, 2])),
  () => torch.ops.aten.to_sparse_bsr.default(torch.ones([2, 2]), [1, 1]),
  () => torch.ops.aten.to_mkldnn.default(torch.ones([2, 2])),
  () => torch.quantizePerTensor(torch.ones([2, 2]), 0.1, 0, "qint8"),
  () => torch.ones([2, 2], { device: "meta" }),
];

const VALUES: Readonly<Record<string, (draw: Draw) => unknown>> = {
  Tensor: (draw) => pick(draw, TENSORS)() as Tensor,
  Scalar: (draw) => pick<unknown>(draw, [0, -1, 1.5, NaN, 1e300, true, 3n, { re: 1, im: -1 }]),
  int: (draw) => pick(draw, [0, 1, 2, 3, 4, -1, -7, 64, 2 ** 31 - 1, -(2 ** 31)]),
  float: (draw) => pick(draw, [0, 0.5, 1, -1, 1e300, Infinity, NaN]),
  bool: (draw) => draw() < 0.5,
  str: (draw) => pick(draw, ["mean", "none", "ij,jk->ik", ""]),
  ScalarType: (draw) => pick(draw, ["float32", "int64", "complex64", "bool", "qint8"]),
  Layout: (draw) => pick(draw, ["strided", "sparse_coo", "sparse_csr"]),
  Device: (draw) => pick(draw, ["cpu", "meta"]),
  MemoryFormat: (draw) => pick(draw, ["contiguous_format", "channels_last", "preserve_format"]),
  Generator: () => new torch.Generator(),
};
const SAME: Readonly<Record<string, string>> = { number: "Scalar", SymInt: "int", SymBool: "bool" };

/** A list is often of another length than its schema says: an operator that trusts it reads beside it. */
function valueOf(type: string, draw: Draw): unknown {
  if (type.endsWith("?")) return draw() < 0.3 ? null : valueOf(type.slice(0, -1), draw);
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list === null) return VALUES[SAME[type] ?? type]?.(draw) ?? null;
  const length = list[2] !== "" && draw() < 0.6 ? Number(list[2]) : Math.floor(draw() * 5);
  return Array.from({ length }, () => valueOf(list[1]!, draw));
}

const names = [
  ...new Set(
    Object.values(OPERATORS)
      .flatMap((table) => table.split(" "))
      .map((entry) => /^(?:.*=)?([^:]*):/.exec(entry)![1]!),
  ),
].filter((name) => !EXCLUDED.has(name));

/** Each overload of each operator. */
const overloads: readonly Operator[] = names.flatMap((name) =>
  native
    .schemas(native.operator(name))
    .map((schema) => readOperator({ func: schema.replace(/^aten::/, "") })),
);

export interface FuzzCall {
  readonly text: string;
  readonly run: () => unknown;
}

/** The call of this number. */
export function fuzzCall(number: number): FuzzCall {
  const draw = makeDraw(number);
  const { name, overload, arguments: all } = pick(draw, overloads);
  const given = (one: Argument) => one.default === undefined || draw() < 0.5;
  const places: unknown[] = [];
  for (const one of all.filter((one) => !one.keywordOnly)) {
    if (!given(one)) break;
    places.push(valueOf(one.type, draw));
  }
  const named = all.filter((one) => one.keywordOnly && given(one));
  const options = Object.fromEntries(named.map((one) => [one.name, valueOf(one.type, draw)]));
  const written = named.length > 0 ? [...places, options] : places;
  return {
    text: `${name}${overload && `.${overload}`}`,
    run: () => native.call(native.overload(name, overload), ...written),
  };
}
