// Lists the names that a file of torch.save may use, and what each makes: tensors over storages, sizes, dtypes,
// devices and dicts. All other names are refused. torch/_weights_only_unpickler.py (its list), torch/_utils.py
import { type DType, bytesOf } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { fail } from "./torch_error.ts";

/** The elements of a storage as a tensor of one dimension. */
export interface Storage {
  readonly elements: Tensor;
  readonly dtype: DType;
}

/** A storage of bytes without a dtype: the tensor states the dtype. */
export const UNTYPED = "untyped";

const STORAGES: Readonly<Record<string, DType | typeof UNTYPED>> = {
  FloatStorage: "float32",
  DoubleStorage: "float64",
  HalfStorage: "float16",
  BFloat16Storage: "bfloat16",
  LongStorage: "int64",
  IntStorage: "int32",
  ShortStorage: "int16",
  CharStorage: "int8",
  ByteStorage: "uint8",
  BoolStorage: "bool",
  ComplexFloatStorage: "complex64",
  ComplexDoubleStorage: "complex128",
  UntypedStorage: UNTYPED,
};

const DTYPES: ReadonlySet<string> = new Set<DType>([
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
  "complex32",
  "complex64",
  "complex128",
  "float8_e4m3fn",
  "float8_e5m2",
]);

const STORAGE_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries(STORAGES).map(([name, dtype]) => [dtype, name]),
);

/**
 * The class of storages that holds a dtype: float32 -> FloatStorage. Undefined for a dtype that PyTorch writes as
 * bytes.
 */
export const storageClassOf = (dtype: DType): string | undefined => STORAGE_CLASSES.get(dtype);

/** Whether PyTorch's files can hold tensors of this dtype. */
export const isTorchDType = (dtype: DType): boolean => DTYPES.has(dtype);

export class StorageType {
  readonly dtype: DType | typeof UNTYPED;

  constructor(dtype: DType | typeof UNTYPED) {
    this.dtype = dtype;
  }
}

type Make = (args: readonly unknown[]) => unknown;

/** A function or class on the list. */
class Maker {
  readonly make: Make;

  constructor(make: Make) {
    this.make = make;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function counts(value: unknown, what: string): readonly number[] {
  return Array.isArray(value) && value.every(isCount)
    ? value
    : fail(`it has a tensor whose ${what} is ${JSON.stringify(value)?.slice(0, 100)}`);
}

/** Whether every element of the view lies within the storage. */
function checkWithin(
  offset: number,
  size: readonly number[],
  stride: readonly number[],
  elements: number,
): void {
  if (size.length !== stride.length) fail("it has a tensor with more sizes than strides, or fewer");
  const last = size.includes(0) ? -1 : size.reduce((sum, count, i) => sum + (count - 1) * stride[i]!, offset);
  if (offset > elements || last >= elements) {
    fail(
      `it has a tensor [${size.join(", ")}] with strides [${stride.join(", ")}] from element ${offset} of a storage of ${elements}`,
    );
  }
}

function view(
  storage: unknown,
  offset: unknown,
  sizes: unknown,
  strides: unknown,
  dtype: DType | null,
): Tensor {
  const { elements, dtype: own } = (storage ?? { elements: null }) as Storage;
  if (!native.isTensor(elements)) fail("it has a tensor over what is no storage");
  if (!isCount(offset)) fail(`it has a tensor that begins at element ${String(offset)}`);
  const size = counts(sizes, "shape");
  const stride = counts(strides, "strides");
  const wanted = dtype ?? own;
  if (wanted !== own && native.numel(elements) % bytesOf(wanted) !== 0)
    fail(`it has a storage of ${native.numel(elements)} bytes, which are no whole ${wanted} numbers`);
  const typed = wanted === own ? elements : elements.view(wanted);
  checkWithin(offset, size, stride, native.numel(typed));
  // The storage may itself be a part of a larger one, that of a mapped file.
  return typed.asStrided([...size], [...stride], native.storageOffset(typed) + offset);
}

function withGradient(tensor: Tensor, wanted: unknown): Tensor {
  if (wanted === true) native.setRequiresGrad(tensor, true);
  return tensor;
}

const TENSOR_V2: Make = ([storage, offset, size, stride, requiresGrad]) =>
  withGradient(view(storage, offset, size, stride, null), requiresGrad);

const TENSOR_V3: Make = ([storage, offset, size, stride, requiresGrad, _hooks, dtype]) =>
  withGradient(view(storage, offset, size, stride, dtype as DType), requiresGrad);

const PARAMETER: Make = ([tensor, requiresGrad]) =>
  native.isTensor(tensor) ? withGradient(tensor, requiresGrad) : fail("it has a parameter that is no tensor");

/** `OrderedDict()` or `OrderedDict([("a", 1)])`. */
const DICT: Make = ([pairs = []]) => {
  const isPairs =
    Array.isArray(pairs) && pairs.every((pair) => Array.isArray(pair) && typeof pair[0] === "string");
  return isPairs
    ? Object.fromEntries(pairs as [string, unknown][])
    : fail("it has an OrderedDict of what are no pairs");
};

/** Reads bytes as protocol 2 spells them, which has no bytes: `encode("\xff", "latin1")`. */
const BYTES: Make = ([text, encoding]) =>
  typeof text === "string" && encoding === "latin1"
    ? Uint8Array.from(Buffer.from(text, "latin1"))
    : fail("it encodes a text as other than latin1");

const MAKERS: Readonly<Record<string, Make>> = {
  "torch._utils _rebuild_tensor_v2": TENSOR_V2,
  "torch._utils _rebuild_tensor_v3": TENSOR_V3,
  "torch._utils _rebuild_parameter": PARAMETER,
  "collections OrderedDict": DICT,
  "collections Counter": ([counted]) => counted ?? {},
  "torch Size": ([sizes]) => counts(sizes, "torch.Size"),
  "torch device": ([type, index]) =>
    index === undefined ? String(type) : `${String(type)}:${String(index)}`,
  "_codecs encode": BYTES,
  "builtins complex": ([re, im]) => ({ re, im }),
  "__builtin__ complex": ([re, im]) => ({ re, im }),
};

/** @throws TorchFileError that names a class or function which is not on the list */
export function torchGlobal(module: string, name: string): unknown {
  const full = `${module} ${name}`;
  if (Object.hasOwn(MAKERS, full)) return new Maker(MAKERS[full]!);
  if (module === "torch" && DTYPES.has(name)) return name;
  if ((module === "torch" || module === "torch.storage") && Object.hasOwn(STORAGES, name))
    return new StorageType(STORAGES[name]!);
  return fail(
    `it holds a ${module}.${name}, and only tensors, dicts, lists, tuples, numbers and strings are read, since anything else would be code to run; save model.state_dict() in PyTorch instead`,
  );
}

export function torchCall(callable: unknown, args: readonly unknown[]): unknown {
  if (!(callable instanceof Maker)) fail("it calls what is no function");
  return callable.make(args);
}
