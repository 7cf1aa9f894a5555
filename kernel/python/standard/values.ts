// Values of Python's modules that are not called: `math.pi`, `os.environ`, `torch.__version__`.
import { type Code, code, LEVEL } from "../code.ts";
import { type Context, library, need, nodePath } from "../context.ts";

/** PyTorch's old names of tensors by their dtype, which stand for the dtype: `x.type(torch.LongTensor)`. */
export const TYPED_TENSORS: Readonly<Record<string, string>> = {
  FloatTensor: "float32",
  DoubleTensor: "float64",
  HalfTensor: "float16",
  BFloat16Tensor: "bfloat16",
  ByteTensor: "uint8",
  CharTensor: "int8",
  ShortTensor: "int16",
  IntTensor: "int32",
  LongTensor: "int64",
  BoolTensor: "bool",
};

const VALUES: Readonly<Record<string, readonly [text: string, kind: string]>> = {
  "math.pi": ["Math.PI", "float"],
  "math.e": ["Math.E", "float"],
  "math.inf": ["Infinity", "float"],
  "math.nan": ["NaN", "float"],
  "math.tau": ["2 * Math.PI", "float"],
  ...Object.fromEntries(
    "float16 float32 float64 int8 int16 int32 int64 uint8"
      .split(" ")
      .map((dtype) => [`numpy.${dtype}`, [JSON.stringify(dtype), "dtype"]] as const),
  ),
  "numpy.pi": ["Math.PI", "float"],
  "numpy.e": ["Math.E", "float"],
  "numpy.inf": ["Infinity", "float"],
  "numpy.nan": ["NaN", "float"],
  "numpy.newaxis": ["null", "none"],
  ...Object.fromEntries(
    "float16 float32 float64 int8 int16 int32 int64 uint8"
      .split(" ")
      .map((dtype) => [`numpy.${dtype}`, [JSON.stringify(dtype), "dtype"]] as const),
  ),
  "torch.pi": ["Math.PI", "float"],
  "torch.inf": ["Infinity", "float"],
  "torch.nan": ["NaN", "float"],
  "string.ascii_lowercase": ['"abcdefghijklmnopqrstuvwxyz"', "text"],
  "string.ascii_uppercase": ['"ABCDEFGHIJKLMNOPQRSTUVWXYZ"', "text"],
  "string.ascii_letters": ['"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"', "text"],
  "string.digits": ['"0123456789"', "text"],
  "string.punctuation": [JSON.stringify("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), "text"],
  "os.environ": ["process.env", "dict"],
  "os.sep": ["path.sep", "text"],
  "sys.version": ["process.version", "text"],
  "sys.version_info": ["process.versions.node", "text"],
  "sys.argv": ["process.argv", "list text"],
  "sys.platform": ["platform()", "text"],
  "sys.stdout": ["process.stdout", ""],
  "sys.stderr": ["process.stderr", ""],
  "sys.executable": ["process.execPath", "text"],
  ...Object.fromEntries(
    ["strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"].map(
      (layout) => [`torch.${layout}`, [JSON.stringify(layout), "layout"]] as const,
    ),
  ),
  ...Object.fromEntries(
    Object.entries(TYPED_TENSORS).map(
      ([name, dtype]) => [`torch.${name}`, [JSON.stringify(dtype), "dtype"]] as const,
    ),
  ),
  "torch.profiler.ProfilerActivity.CPU": ['"cpu"', "text"],
  "torch.profiler.ProfilerActivity.CUDA": ['"cuda"', "text"],
};

/** Whether a path leads to a value: `torch.profiler.ProfilerActivity` */
export function hasValuesIn(path: string): boolean {
  return Object.keys(VALUES).some((one) => one.startsWith(`${path}.`));
}

/** The value that a dotted path stands for, or null. */
export function valueOfPath(path: string, context: Context): Code | null {
  if (path === "torch.__version__") return code(`${library(context, "torch")}.version`, "text");
  if (!Object.hasOwn(VALUES, path)) return null;
  const [text, kind] = VALUES[path]!;
  if (text === "platform()") need(context, "node:os", "platform");
  if (text === "path.sep") return code(`${nodePath(context)}.sep`, kind);
  return code(text, kind, text.includes("*") ? LEVEL.product : LEVEL.primary);
}
