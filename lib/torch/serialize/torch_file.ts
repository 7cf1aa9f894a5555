// Reads files of PyTorch's torch.save (`.pt`, `.pth`). Such a file is a zip archive with a pickle, which describes
// the values, and storages, which are the tensors' bytes. `pickle.ts` executes the pickle; `torch_globals.ts` knows
// its names. torch/serialization.py (_save, _load)
import { crc32 } from "node:zlib";
import { bytesOf, type DType } from "../vocabulary/dtype.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { withBytes } from "../tensor/typed_arrays.ts";
import { mapFile, partOf } from "./mapped_file.ts";
import { DeviceCopy } from "./device_copy.ts";
import { unpickle } from "./pickle.ts";
import { type LoadOptions, readLoadOptions, requireFile } from "./safetensors.ts";
import { SourceFile } from "./source_file.ts";
import { TorchFileError, fail } from "./torch_error.ts";
import { type Storage, StorageType, torchCall, torchGlobal, UNTYPED } from "./torch_globals.ts";
import { readZip, type ZipRecord } from "./zip.ts";

const ZIP_START = 0x04034b50;
const PROTOCOL = 0x80;
/** The pickle describes the values only; the numbers lie in storages. */
const MAX_PICKLE_BYTES = 2 ** 28;

const makeEmpty = makeOperator("empty", "memory_format");

function requireZip(file: SourceFile): void {
  const start = Buffer.alloc(Math.min(512, file.bytes));
  file.fill(start, 0);
  if (start.length >= 4 && start.readUInt32LE(0) === ZIP_START) return;
  const resave = "load it with PyTorch and save it again";
  if (start[0] === PROTOCOL) fail(`it is of the format before PyTorch 1.6, which is not read; ${resave}`);
  if (start.toString("latin1", 257, 262) === "ustar")
    fail(`it is of the tar format of PyTorch 0.1, which is not read; ${resave}`);
  fail(start.length === 0 ? "it is empty" : "it is no file of torch.save, which begins with PK");
}

/** Records below the archive's own folder, by their names in it. */
function recordsOf(file: SourceFile): ReadonlyMap<string, ZipRecord> {
  requireZip(file);
  const all = readZip(file);
  const pickles = [...all.keys()].filter((name) => /^[^/]+\/data\.pkl$/.test(name));
  if (pickles.length !== 1)
    fail(`it has ${pickles.length} records called data.pkl in a folder instead of one`);
  const folder = pickles[0]!.slice(0, -"data.pkl".length);
  const records = new Map([...all].map(([name, record]) => [name.slice(folder.length), record]));
  if (records.has("constants.pkl") || [...records.keys()].some((name) => name.startsWith("code/")))
    fail("it is a TorchScript program, not tensors; save model.state_dict() in PyTorch instead");
  return records;
}

function readRecord(file: SourceFile, { name, begin, bytes, crc32: expected }: ZipRecord): Buffer {
  const content = Buffer.alloc(bytes);
  fillRecord(file, { name, begin, bytes, crc32: expected }, content);
  return content;
}

function fillRecord(file: SourceFile, { name, begin, crc32: expected }: ZipRecord, target: Uint8Array): void {
  if (!file.fill(target, begin)) fail("it became shorter while it was read");
  if (crc32(target) !== expected)
    fail(`its record ${JSON.stringify(name)} is damaged: the checksum does not fit`);
}

/** The file's storages as tensors, each read when it is first named. */
class Storages {
  readonly #file: SourceFile;
  readonly #records: ReadonlyMap<string, ZipRecord>;
  readonly #copy: DeviceCopy;
  readonly #mapped: Tensor | null;
  readonly #loaded = new Map<string, Tensor>();

  constructor(file: SourceFile, records: ReadonlyMap<string, ZipRecord>, copy: DeviceCopy, mmap: boolean) {
    this.#file = file;
    this.#records = records;
    this.#copy = copy;
    this.#mapped = mmap ? mapFile(file.path, file.bytes) : null;
  }

  /**
   * @param id the pickle's description of the storage: "storage", its type, its name, its device, its number of
   *   elements
   */
  get(id: unknown): Storage {
    const [kind, type, key, , count] = Array.isArray(id) ? (id as unknown[]) : [];
    if (kind !== "storage" || !(type instanceof StorageType) || typeof key !== "string")
      fail("it refers to what is no storage");
    const record = this.#records.get(`data/${key}`);
    if (record === undefined) return fail(`it has no storage ${JSON.stringify(key)}`);
    const dtype = type.dtype === UNTYPED ? "uint8" : type.dtype;
    if (!Number.isSafeInteger(count) || (count as number) * bytesOf(dtype) !== record.bytes) {
      fail(
        `its storage ${JSON.stringify(key)} is said to hold ${String(count)} of ${dtype}, but has ${record.bytes} bytes`,
      );
    }
    const name = `${key} ${dtype}`;
    const known = this.#loaded.get(name);
    if (known) return { elements: known, dtype: native.dtype(known) };
    const elements = this.#copy.move(this.#read(key, record, dtype), `storage ${key}`);
    this.#loaded.set(name, elements);
    return { elements, dtype: native.dtype(elements) };
  }

  #read(key: string, record: ZipRecord, dtype: DType): Tensor {
    const elements = this.#mapped
      ? partOf(this.#mapped, record.begin, record.bytes, dtype)
      : this.#readRecord(record, dtype);
    // Other bytes are refused, because libtorch's kernels assume that a bool's byte is 0 or 1.
    if (dtype === "bool" && native.item(elements.view("uint8").gt(1).any()) === true)
      fail(`its storage ${JSON.stringify(key)} is bool, but holds bytes other than 0 and 1`);
    return elements;
  }

  #readRecord(record: ZipRecord, dtype: DType): Tensor {
    const tensor = makeEmpty([record.bytes / bytesOf(dtype)], { dtype, device: "cpu" }) as Tensor;
    withBytes(tensor, (bytes) => fillRecord(this.#file, record, bytes));
    return tensor;
  }
}

/**
 * Returns the contents of a file of torch.save: tensors, in dicts (as objects), lists and tuples (as arrays), numbers,
 * strings. Tensors that share memory there share it here. Nothing in the file is run. float64 becomes float32 on `mps`,
 * which has no other, with a warning.
 *
 * @throws TorchFileError for a file that is damaged, cut off, made to mislead, of a format before PyTorch 1.6, or that
 *   holds anything else: nothing of it is loaded
 */
export function loadTorch(path: string, options: LoadOptions = {}): unknown {
  const call = "loadTorch";
  requireFile(call, path);
  const { device, mmap } = readLoadOptions(call, options);
  using file = new SourceFile("loadTorch", path);
  try {
    const records = recordsOf(file);
    const order = records.get("byteorder");
    if (order && readRecord(file, order).toString() !== "little") fail("its numbers are in big-endian order");
    const pickle = records.get("data.pkl")!;
    if (pickle.bytes > MAX_PICKLE_BYTES)
      fail(`its pickle has ${pickle.bytes} bytes; at most ${MAX_PICKLE_BYTES} are read`);
    const copy = new DeviceCopy(call, device);
    const storages = new Storages(file, records, copy, mmap);
    const value = unpickle(readRecord(file, pickle), {
      global: torchGlobal,
      call: torchCall,
      persistent: (id) => storages.get(id),
    });
    copy.tell();
    return value;
  } catch (error) {
    if (error instanceof TorchFileError)
      throw new TorchFileError(`${path} cannot be loaded: ${error.message}.`);
    throw error;
  }
}
