// Reads and writes the header of a safetensors file: the name, dtype, shape and bytes of each tensor. Treats the file
// as hostile. Before any tensor is made, it refuses a header that does not describe each byte of the file exactly
// once. https://huggingface.co/docs/safetensors (format), safetensors/src/tensor.rs (its checks)
import { bytesOf, type DType } from "../vocabulary/dtype.ts";

/** The file is not what its format says, or holds what this library cannot. */
export class SafetensorsError extends Error {
  override readonly name = "SafetensorsError";
}

export interface TensorDescription {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** Bytes from `begin` up to `end`, counted from the end of the header. */
export interface TensorPlace extends TensorDescription {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

export type Metadata = Readonly<Record<string, string>>;

export interface Header {
  readonly tensors: readonly TensorPlace[];
  readonly metadata: Metadata;
}

/** The length of the header stands before it, as a 64-bit integer. */
export const LENGTH_BYTES = 8;
/** The limit of the reference implementation, so that a length in the file cannot exhaust the memory. */
const MAX_HEADER_BYTES = 100_000_000;
const METADATA = "__metadata__";

const NAMES: Readonly<Partial<Record<DType, string>>> = {
  bool: "BOOL",
  uint8: "U8",
  int8: "I8",
  uint16: "U16",
  int16: "I16",
  uint32: "U32",
  int32: "I32",
  uint64: "U64",
  int64: "I64",
  float8_e4m3fn: "F8_E4M3",
  float8_e5m2: "F8_E5M2",
  float16: "F16",
  bfloat16: "BF16",
  float32: "F32",
  float64: "F64",
  complex64: "C64",
};
const DTYPES = new Map(Object.entries(NAMES).map(([dtype, name]) => [name, dtype as DType]));

/** Whether the format has a name for the dtype: complex128 and complex32 have none. */
export function isStorable(dtype: DType): boolean {
  return NAMES[dtype] !== undefined;
}

/** Places each tensor aligned to its elements: those of wide elements first, then by name, as the reference does. */
export function layOut(tensors: ReadonlyMap<string, TensorDescription>): TensorPlace[] {
  const ordered = [...tensors].sort(
    ([aName, a], [bName, b]) => bytesOf(b.dtype) - bytesOf(a.dtype) || (aName < bName ? -1 : 1),
  );
  let begin = 0;
  return ordered.map(([name, { dtype, shape }]) => {
    const end = begin + shape.reduce((product, size) => product * size, bytesOf(dtype));
    const place = { name, dtype, shape, begin, end };
    begin = end;
    return place;
  });
}

/** Length, header, and the spaces that align what follows to 8 bytes. */
export function encodeHeader({ tensors, metadata }: Header): Buffer {
  const entries = tensors.map(({ name, dtype, shape, begin, end }): [string, unknown] => [
    name,
    { dtype: NAMES[dtype], shape, data_offsets: [begin, end] },
  ]);
  const described: [string, unknown][] = Object.keys(metadata).length > 0 ? [[METADATA, metadata]] : [];
  const text = JSON.stringify(Object.fromEntries([...described, ...entries]));
  const length = Math.ceil(Buffer.byteLength(text) / 8) * 8;
  const bytes = Buffer.alloc(LENGTH_BYTES + length, " ");
  bytes.writeBigUInt64LE(BigInt(length), 0);
  bytes.write(text, LENGTH_BYTES);
  return bytes;
}

/**
 * The length of the header, from the file's first 8 bytes.
 *
 * @throws SafetensorsError
 */
export function readLength(start: Buffer, fileBytes: number): number {
  if (start.length < LENGTH_BYTES) fail(`it has ${fileBytes} bytes, and its header's length alone takes 8`);
  const length = start.readBigUInt64LE(0);
  if (length > MAX_HEADER_BYTES)
    fail(`its header is said to have ${length} bytes; at most 100,000,000 are allowed`);
  if (Number(length) > fileBytes - LENGTH_BYTES) {
    fail(
      `its header is said to have ${length} bytes, but only ${fileBytes - LENGTH_BYTES} follow: it is cut off`,
    );
  }
  return Number(length);
}

/**
 * @param bytes the header without its length
 * @param dataBytes how many bytes follow it
 * @throws SafetensorsError
 */
export function decodeHeader(bytes: Buffer, dataBytes: number): Header {
  const parsed = parse(bytes);
  let metadata: Metadata = {};
  const tensors: TensorPlace[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (name === METADATA) metadata = readMetadata(value);
    else tensors.push(readPlace(name, value));
  }
  tensors.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = 0;
  for (const { name, begin, end: next } of tensors) {
    if (begin < end)
      fail(`${quoted(name)} begins at byte ${begin}, inside of the tensor before it, which ends at ${end}`);
    if (begin > end) fail(`no tensor holds its bytes from ${end} to ${begin}`);
    end = next;
  }
  if (end > dataBytes)
    fail(`its tensors need ${end} bytes, but only ${dataBytes} follow the header: it is cut off`);
  if (end < dataBytes) fail(`no tensor holds its last ${dataBytes - end} bytes`);
  return { tensors, metadata };
}

function parse(bytes: Buffer): Record<string, unknown> {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    return fail(`its header is no JSON (${(error as Error).message})`);
  }
  // The format requires the brace to come first, although JSON would allow white space before it.
  if (!isRecord(value) || bytes[0] !== 0x7b) return fail("its header is no JSON object");
  const twice = repeatedKey(text);
  if (twice !== null) fail(`its header has the key ${twice} twice`);
  return value;
}

/**
 * Refuses equal keys, of which JSON.parse silently keeps the last. @param text valid JSON
 */
function repeatedKey(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const key = JSON.parse(token.slice(0, -1).trimEnd()) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return quoted(key);
      keys?.add(key);
    }
  }
  return null;
}

function readMetadata(value: unknown): Metadata {
  if (!isRecord(value) || !Object.values(value).every((text) => typeof text === "string"))
    return fail(`its ${METADATA} is no object of strings`);
  return value as Metadata;
}

function readPlace(name: string, value: unknown): TensorPlace {
  if (!isRecord(value)) return fail(`its entry ${quoted(name)} is no object`);
  const { dtype: dtypeName, shape, data_offsets: offsets } = value;
  const dtype = DTYPES.get(dtypeName as string);
  if (dtype === undefined)
    return fail(`${quoted(name)} is of dtype ${quoted(dtypeName)}, which this library does not have`);
  if (!Array.isArray(shape) || !shape.every(isCount))
    return fail(`${quoted(name)} has no valid shape: ${quoted(shape)}`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    return fail(`${quoted(name)} has no valid data_offsets: ${quoted(offsets)}`);
  const [begin, end] = offsets as [number, number];
  let bytes = bytesOf(dtype);
  for (const size of shape as number[]) {
    bytes *= size;
    if (!Number.isSafeInteger(bytes))
      fail(`${quoted(name)} has no valid shape: ${quoted(shape)} is larger than any file`);
  }
  if (end - begin !== bytes) {
    fail(
      `${quoted(name)} lies from byte ${begin} to ${end}, but ${dtype} [${shape.join(", ")}] takes ${bytes} bytes`,
    );
  }
  return { name, dtype, shape, begin, end };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

function fail(reason: string): never {
  throw new SafetensorsError(reason);
}
