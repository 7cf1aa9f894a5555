// Prints a tensor as PyTorch does: its elements, then what these do not show: device, dtype, layout, and whether
// autograd records it.
import type { Tensor } from "../../types/index.ts";
import { getDefaultDtype } from "../default_dtype.ts";
import { type DType, isQuantizedDType, type Layout } from "../../vocabulary/dtype.ts";
import { native } from "../../engine/native.ts";
import { pythonFloat } from "../../vocabulary/numerals.ts";
import { qscheme } from "../quantized.ts";
import { makeOperator } from "../operators.ts";
import { formatElements } from "./elements.ts";
import { options } from "./options.ts";

/** `(2, 3)`, `(0,)`, as Python writes a tuple. */
function tuple(shape: readonly number[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/** Dtypes that are not mentioned: what literals become without one. As PyTorch has it, float16 has complex64 beside it here. */
function unmentioned(): DType[] {
  const dtype = getDefaultDtype();
  return [dtype, dtype === "float64" ? "complex128" : "complex64", "int64", "bool"];
}

interface Body {
  readonly contents: string;
  readonly suffixes: readonly string[];
}

const size = (tensor: Tensor) => `size=${tuple(tensor.shape)}`;

function dtypeSuffix(tensor: Tensor, known: readonly DType[]): string[] {
  return known.includes(tensor.dtype) ? [] : [`dtype=torch.${tensor.dtype}`];
}

function writeStrided(tensor: Tensor, indent: number): Body {
  const empty = tensor.numel() === 0;
  if (tensor.device.startsWith("meta")) {
    return { contents: "...", suffixes: [size(tensor), ...dtypeSuffix(tensor, [getDefaultDtype()])] };
  }
  if (empty) {
    const sizes = tensor.ndim === 1 ? [] : [size(tensor)];
    return { contents: "[]", suffixes: [...sizes, ...dtypeSuffix(tensor, [getDefaultDtype()])] };
  }
  return { contents: formatElements(tensor, indent), suffixes: dtypeSuffix(tensor, unmentioned()) };
}

const nonzeros = makeOperator("_nnz") as (tensor: Tensor) => number;

/** The index tensors and the values of each layout, by the names that PyTorch prints. */
const PARTS: Record<Exclude<Layout, "strided">, Readonly<Record<string, (tensor: Tensor) => Tensor>>> = {
  sparse_coo: {
    indices: makeOperator("_indices") as (tensor: Tensor) => Tensor,
    values: makeOperator("_values") as (tensor: Tensor) => Tensor,
  },
  sparse_csr: {
    crow_indices: (x) => x.crowIndices(),
    col_indices: (x) => x.colIndices(),
    values: (x) => x.values(),
  },
  sparse_csc: {
    ccol_indices: (x) => x.ccolIndices(),
    row_indices: (x) => x.rowIndices(),
    values: (x) => x.values(),
  },
  sparse_bsr: {
    crow_indices: (x) => x.crowIndices(),
    col_indices: (x) => x.colIndices(),
    values: (x) => x.values(),
  },
  sparse_bsc: {
    ccol_indices: (x) => x.ccolIndices(),
    row_indices: (x) => x.rowIndices(),
    values: (x) => x.values(),
  },
};

function writeSparse(tensor: Tensor, layout: Exclude<Layout, "strided">, indent: number): Body {
  const whole = tensor.detach();
  const parts = Object.entries(PARTS[layout]).map(([name, read]) => {
    const part = read(whole);
    const prefix = `${name}=tensor(`;
    const empty = part.numel() === 0;
    return `${prefix}${empty ? `[], ${size(part)}` : formatElements(part, indent + prefix.length)})`;
  });
  return {
    contents: parts.join(`,\n${" ".repeat(indent)}`),
    suffixes: [
      size(tensor),
      `nnz=${nonzeros(whole)}`,
      ...dtypeSuffix(tensor, unmentioned()),
      `layout=torch.${layout}`,
    ],
  };
}

function writeQuantized(tensor: Tensor, indent: number): Body {
  const scheme = qscheme(tensor);
  const parameters = scheme.startsWith("per_tensor")
    ? [`scale=${pythonFloat(Number(tensor.qScale()))}`, `zero_point=${Number(tensor.qZeroPoint())}`]
    : [
        `scale=${formatTensor(tensor.qPerChannelScales())}`,
        `zero_point=${formatTensor(tensor.qPerChannelZeroPoints())}`,
        `axis=${Number(tensor.qPerChannelAxis())}`,
      ];
  const values = tensor.detach().dequantize();
  return {
    contents: values.numel() === 0 ? "[]" : formatElements(values, indent),
    suffixes: [
      size(tensor),
      ...dtypeSuffix(tensor, unmentioned()),
      `quantization_scheme=torch.${scheme}`,
      ...parameters,
    ],
  };
}

function writeBody(tensor: Tensor, indent: number): Body {
  const { dtype, layout } = tensor;
  if (layout !== "strided") return writeSparse(tensor, layout, indent);
  return isQuantizedDType(dtype) ? writeQuantized(tensor, indent) : writeStrided(tensor, indent);
}

export function formatTensor(tensor: Tensor): string {
  if (native.isDisposed(tensor)) return "tensor(<disposed>)";
  const wrapping = native.wrapping(tensor);
  if (wrapping !== null) return formatWrapped(wrapping);
  const prefix = "tensor(";
  const { device, layout } = tensor;
  const suffixes: string[] = [];
  if (device === "meta") suffixes.push("device='meta'");
  else if (!device.startsWith("cpu"))
    suffixes.push(`device='${device.includes(":") ? device : `${device}:0`}'`);
  const body = writeBody(tensor, prefix.length);
  suffixes.push(...body.suffixes);
  const gradFunction = native.gradFnName(tensor);
  if (gradFunction !== null) suffixes.push(`grad_fn=<${gradFunction}>`);
  else if (native.requiresGrad(tensor)) suffixes.push("requires_grad=True");
  return addSuffixes(prefix + body.contents, suffixes, prefix.length, layout === "sparse_coo");
}

/** What a function sees that torch.func runs: `BatchedTensor(lvl=1, bdim=0, value=`, and the tensor with all examples. */
function formatWrapped({ level, dim, value }: { level: number; dim: number | null; value: Tensor }): string {
  const inner = formatTensor(value);
  if (level === 0) return inner;
  const head = dim === null ? `GradTrackingTensor(lvl=${level}` : `BatchedTensor(lvl=${level}, bdim=${dim}`;
  return `${head}, value=\n    ${inner.replaceAll("\n", "\n    ")}\n)`;
}

/** A suffix that would pass the last column begins a line; the first one of a COO tensor always does. */
function addSuffixes(text: string, suffixes: readonly string[], indent: number, onNewLine: boolean): string {
  let written = text;
  let breakLine = onNewLine;
  let lastLineLength = text.length - text.lastIndexOf("\n") + 1;
  for (const suffix of suffixes) {
    if (breakLine || lastLineLength + suffix.length + 2 > options.linewidth) {
      written += `,\n${" ".repeat(indent)}${suffix}`;
      lastLineLength = indent + suffix.length;
      breakLine = false;
    } else {
      written += `, ${suffix}`;
      lastLineLength += suffix.length + 2;
    }
  }
  return `${written})`;
}
