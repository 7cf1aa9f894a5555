// Writes files of PyTorch's torch.save: a zip archive with a pickle, which describes the values, and storages, which
// are the tensors' bytes. Any PyTorch reads them with `torch.load(file)`, without running code.
// torch/serialization.py (_save), torch/_tensor.py (_reduce_ex_internal)
import { describe } from "../vocabulary/arguments.ts";
import { bytesOf } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { withBytes } from "../tensor/typed_arrays.ts";
import { pickle, PickleCall, PickleGlobal, PickleReference, PickleTuple } from "./pickle_writer.ts";
import { requireFile } from "./safetensors.ts";
import { isTorchDType, storageClassOf } from "./torch_globals.ts";
import { writeWhole } from "../../whole_file.ts";
import { ZipWriter } from "./zip_writer.ts";

const CALL = "torch.save";
const REBUILD = new PickleGlobal("torch._utils", "_rebuild_tensor_v2");
const REBUILD_UNTYPED = new PickleGlobal("torch._utils", "_rebuild_tensor_v3");
const NO_HOOKS = new PickleCall(new PickleGlobal("collections", "OrderedDict"), new PickleTuple([]));

/** The storages in the order of their numbers; tensors that share memory share a storage. */
class Storages {
  readonly #numbers = new Map<string, number>();
  readonly tensors: Tensor[] = [];

  /** The number of the storage that a tensor lies in. */
  numberOf(tensor: Tensor): number {
    const { bytes, address } = native.storage(tensor);
    const key = `${native.device(tensor)} ${native.dtype(tensor)} ${address}`;
    const known = bytes > 0 ? this.#numbers.get(key) : undefined;
    if (known !== undefined) return known;
    const number = this.tensors.push(tensor) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** All elements of the storage that a tensor lies in. */
function wholeStorage(tensor: Tensor): Tensor {
  const count = native.storage(tensor).bytes / bytesOf(native.dtype(tensor));
  return tensor.asStrided([Math.floor(count)], [1], 0);
}

function withStorageBytes(tensor: Tensor, use: (bytes: Uint8Array) => void): void {
  if (native.storage(tensor).bytes === 0) use(new Uint8Array());
  else withBytes(wholeStorage(tensor).view("uint8"), use);
}

function requireWritable(tensor: Tensor): void {
  const [layout, dtype, device] = [native.layout(tensor), native.dtype(tensor), native.device(tensor)];
  if (layout !== "strided") throw new TypeError(`${CALL}: a tensor is ${layout}; save .toDense() of it.`);
  if (!isTorchDType(dtype)) throw new TypeError(`${CALL}: a tensor is ${dtype}; save .dequantize() of it.`);
  if ((device as string) === "meta") throw new TypeError(`${CALL}: a tensor on meta has no values to save.`);
}

function reduceTensor(tensor: Tensor, storages: Storages): PickleCall {
  requireWritable(tensor);
  const dtype = native.dtype(tensor);
  const storageClass = storageClassOf(dtype);
  const plain = tensor.detach().resolveConj().resolveNeg();
  const { bytes } = native.storage(plain);
  const [module, name] = storageClass ? ["torch", storageClass] : ["torch.storage", "UntypedStorage"];
  const count = storageClass ? Math.floor(bytes / bytesOf(dtype)) : bytes;
  const key = [
    "storage",
    new PickleGlobal(module, name),
    String(storages.numberOf(plain)),
    "cpu", // wherever it is now: it can be loaded on any machine
    count,
  ];
  const args = [
    new PickleReference(new PickleTuple(key)),
    native.storageOffset(plain),
    new PickleTuple(native.shape(plain)),
    new PickleTuple(native.stride(plain)),
    native.requiresGrad(tensor) && native.isLeaf(tensor),
    NO_HOOKS,
  ];
  return storageClass
    ? new PickleCall(REBUILD, new PickleTuple(args))
    : new PickleCall(REBUILD_UNTYPED, new PickleTuple([...args, new PickleGlobal("torch", dtype)]));
}

function refuse(path: string, value: unknown): never {
  const what = path === "" ? "it" : JSON.stringify(path);
  const hasState = typeof (value as { stateDict?: unknown }).stateDict === "function";
  // Only the name, because a module describes itself on many lines.
  const kind = hasState ? `a ${(value as object).constructor.name}` : describe(value);
  const way = hasState
    ? "save its stateDict()"
    : ArrayBuffer.isView(value)
      ? "save torch.tensor() of it"
      : "a file holds tensors, plain objects, arrays, Maps, numbers, strings, booleans and null";
  throw new TypeError(`${CALL}: ${what} cannot be saved, being ${kind}; ${way}.`);
}

/**
 * Writes any plain value that may hold tensors as a file of torch.save. Each tensor brings the whole storage that it lies
 * in, once for all that share it: save a `clone()` of a small part of a large one. Where a tensor is (its device) is not
 * written.
 */
export function saveTorch(value: unknown, path: string): void {
  requireFile(CALL, path);
  const storages = new Storages();
  const description = pickle(value, {
    isKnown: native.isTensor,
    reduce: (tensor) => reduceTensor(tensor as Tensor, storages),
    refuse,
  });
  writeWhole(CALL, path, (write) => {
    const zip = new ZipWriter(write);
    zip.add("archive/data.pkl", description);
    zip.add("archive/byteorder", Buffer.from("little"));
    for (const [number, tensor] of storages.tensors.entries())
      withStorageBytes(tensor, (bytes) => zip.add(`archive/data/${number}`, bytes));
    zip.add("archive/version", Buffer.from("3\n"));
    zip.end();
  });
}
