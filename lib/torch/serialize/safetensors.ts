// Loads and saves tensors as safetensors files. The format holds nothing but tensors, so that no file can run code.
// `header.ts` reads and writes the header.
import type { DeviceName, DeviceText } from "../vocabulary/device_name.ts";
import { checkBoolean, describe, isRecord } from "../vocabulary/arguments.ts";
import { boolean, checkedLater, type OpenRules, readOptions, type Rules } from "../vocabulary/options.ts";
import { requireDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import { makeOperator } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { withBytes } from "../tensor/typed_arrays.ts";
import {
  decodeHeader,
  encodeHeader,
  type Header,
  isStorable,
  layOut,
  LENGTH_BYTES,
  type Metadata,
  readLength,
  SafetensorsError,
  type TensorDescription,
  type TensorPlace,
} from "./header.ts";
import { mapFile, partOf } from "./mapped_file.ts";
import { DeviceCopy } from "./device_copy.ts";
import { SourceFile } from "./source_file.ts";
import { writeWhole } from "../../whole_file.ts";

export interface SaveOptions {
  /** Strings to go with the tensors, as `{ format: "pt" }`. Default: none. */
  readonly metadata?: Metadata;
}

export interface LoadOptions {
  /** The device of the tensors. Default: `cpu`. */
  readonly device?: DeviceText;
  /** The same option under PyTorch's name: a device for all tensors, wherever they were saved. Default: none. */
  readonly mapLocation?: DeviceText | null;
  /** No code in a file is ever run, so that true is what happens; false is refused. Default: true. */
  readonly weightsOnly?: boolean | null;
  /**
   * Leaves the tensors in the file until they are used, so that loading takes neither time nor memory. Whatever is
   * written to them stays in memory; the file must not change meanwhile. A checksum is not verified. For the CPU only.
   * Default: false.
   */
  readonly mmap?: boolean;
}

/** The contents of a file without its tensors. */
export interface SafetensorsContents {
  readonly metadata: Metadata;
  readonly tensors: Readonly<Record<string, TensorDescription>>;
}

/**
 * Writes tensors, as a module's `stateDict()`, to a file that PyTorch's `safetensors` reads. The file is there whole or
 * not at all. Tensors may be on any device and of any strides; those that share memory are written once each.
 *
 * @throws TypeError for what the format cannot hold: sparse tensors, complex128
 */
export function saveSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  file: string,
  options: SaveOptions = {},
): void {
  const call = "saveSafetensors";
  requireFile(call, file);
  const { metadata } = readOptions<SaveOptions>(call, options, SAVE_RULES);
  if (!isRecord(tensors)) {
    throw new TypeError(`${call}: expected an object of tensors by name, got ${describe(tensors)}.`);
  }
  const given = new Map(Object.entries(tensors));
  for (const [name, tensor] of given) requireStorable(call, name, tensor);
  const places = layOut(given);
  writeWhole(call, file, (write) => {
    write(encodeHeader({ tensors: places, metadata }));
    for (const { name } of places) withBytes(given.get(name)!, write);
  });
}

/**
 * The tensors of a safetensors file by their names. float64 becomes float32 on `mps`, which has no other, with a warning.
 *
 * @throws SafetensorsError for a file that is damaged, cut off, or made to mislead: nothing of it is loaded
 */
export function loadSafetensors(file: string, options: LoadOptions = {}): Record<string, Tensor> {
  const call = "loadSafetensors";
  requireFile(call, file);
  const { device, mmap } = readLoadOptions(call, options);
  const copy = new DeviceCopy(call, device);
  const loaded = withOpen(call, file, (source, { tensors }, start) => {
    const mapped = mmap ? mapFile(source.path, source.bytes) : null;
    const read = (place: TensorPlace): Tensor =>
      checkBool(place.name, mapped ? mapTensor(mapped, start, place) : readTensor(source, start, place));
    return Object.fromEntries(
      tensors.map((place) => [place.name, copy.move(read(place), JSON.stringify(place.name))]),
    );
  });
  copy.tell();
  return loaded;
}

/** Reads the metadata of a safetensors file, and each tensor's dtype and shape. Reads no tensor. */
export function readSafetensorsHeader(file: string): SafetensorsContents {
  requireFile("readSafetensorsHeader", file);
  return withOpen("readSafetensorsHeader", file, (_, { tensors, metadata }) => ({
    metadata,
    tensors: Object.fromEntries(tensors.map(({ name, dtype, shape }) => [name, { dtype, shape }])),
  }));
}

export function requireFile(call: string, file: unknown): void {
  if (typeof file !== "string" || file === "")
    throw new TypeError(`${call}: the file must be a path, got ${describe(file)}.`);
}

const SAVE_RULES: Rules<SaveOptions> = { metadata: { fallback: {}, check: checkMetadata } };

const LOAD_RULES = {
  device: checkedLater<DeviceText | undefined>(undefined),
  mapLocation: checkedLater<DeviceText | null | undefined>(undefined),
  weightsOnly: checkedLater<boolean | null | undefined>(undefined),
  mmap: boolean(false),
} satisfies OpenRules<LoadOptions>;

export function readLoadOptions(
  call: string,
  options: LoadOptions,
): { readonly device: DeviceName; readonly mmap: boolean } {
  const { device: given, mapLocation: place, weightsOnly, mmap } = readOptions(call, options, LOAD_RULES);
  const mapLocation = place ?? undefined;
  if (!checkBoolean(call, "weightsOnly", weightsOnly ?? true))
    throw new TypeError(
      `${call}: weightsOnly must be true: objects of Python's classes cannot be made here, and no code in a file is run; leave it out.`,
    );
  if (given !== undefined && mapLocation !== undefined)
    throw new TypeError(`${call}: device and mapLocation are one option; give one of them.`);
  if (mapLocation !== undefined && typeof mapLocation !== "string")
    throw new TypeError(
      `${call}: mapLocation is one device for all tensors, as "cpu", got ${describe(mapLocation)}; move them one by one after loading.`,
    );
  const device = requireDevice(given ?? mapLocation ?? "cpu");
  if (mmap && device !== "cpu") {
    throw new TypeError(
      `${call}: mmap leaves the tensors in the file, so they cannot be on ${device}; leave one of them out.`,
    );
  }
  return { device, mmap };
}

function checkMetadata(call: string, name: string, metadata: unknown): Metadata {
  if (!isRecord(metadata))
    throw new TypeError(`${call}: ${name} must be an object of strings, got ${describe(metadata)}.`);
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== "string")
      throw new TypeError(
        `${call}: metadata holds strings alone, but ${JSON.stringify(key)} is ${describe(value)}.`,
      );
  }
  return metadata as Metadata;
}

function requireStorable(call: string, name: string, tensor: unknown): void {
  if (!native.isTensor(tensor))
    throw new TypeError(`${call}: ${JSON.stringify(name)} must be a tensor, got ${describe(tensor)}.`);
  if (name === "__metadata__")
    throw new RangeError(
      `${call}: no tensor can be called "__metadata__": the format keeps that name for itself.`,
    );
  const layout = native.layout(tensor);
  if (layout !== "strided")
    throw new TypeError(`${call}: ${JSON.stringify(name)} is ${layout}; save .toDense() of it.`);
  const dtype = native.dtype(tensor);
  if (!isStorable(dtype)) {
    const way = dtype.startsWith("complex") ? "save torch.viewAsReal() of it" : "convert it first";
    throw new TypeError(
      `${call}: ${JSON.stringify(name)} is ${dtype}, which the format does not have; ${way}.`,
    );
  }
}

function withOpen<Result>(
  call: string,
  path: string,
  body: (file: SourceFile, header: Header, dataStart: number) => Result,
): Result {
  using file = new SourceFile(call, path);
  try {
    const start = Buffer.alloc(Math.min(LENGTH_BYTES, file.bytes));
    readAll(file, start, 0);
    const bytes = Buffer.alloc(readLength(start, file.bytes));
    readAll(file, bytes, LENGTH_BYTES);
    const dataStart = LENGTH_BYTES + bytes.length;
    return body(file, decodeHeader(bytes, file.bytes - dataStart), dataStart);
  } catch (error) {
    if (error instanceof SafetensorsError)
      throw new SafetensorsError(`${path} cannot be loaded: ${error.message}.`);
    throw error;
  }
}

function readAll(file: SourceFile, bytes: Uint8Array, position: number): void {
  if (!file.fill(bytes, position)) throw new SafetensorsError("it became shorter while it was read");
}

const makeEmpty = makeOperator("empty", "memory_format");

/** Read directly into the tensor's own memory. */
function readTensor(file: SourceFile, dataStart: number, { dtype, shape, begin }: TensorPlace): Tensor {
  const tensor = makeEmpty([...shape], { dtype, device: "cpu" }) as Tensor;
  withBytes(tensor, (bytes) => readAll(file, bytes, dataStart + begin));
  return tensor;
}

function mapTensor(mapped: Tensor, dataStart: number, { dtype, shape, begin, end }: TensorPlace): Tensor {
  return partOf(mapped, dataStart + begin, end - begin, dtype).view([...shape]);
}

/** Other bytes are refused, because libtorch's kernels assume that a bool's byte is 0 or 1. */
function checkBool(name: string, tensor: Tensor): Tensor {
  if (native.dtype(tensor) === "bool" && native.item(tensor.view("uint8").gt(1).any()) === true)
    throw new SafetensorsError(`${JSON.stringify(name)} is bool, but holds bytes other than 0 and 1`);
  return tensor;
}
