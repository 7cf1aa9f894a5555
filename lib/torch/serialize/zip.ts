// Reads the directory of a zip archive as PyTorch writes it: no record is compressed, so each is a range of the file.
// Treats the file as hostile. It refuses records that overlap, lie outside, hide behind other names or grow when they
// are unpacked. APPNOTE.TXT 6.3 (PKWARE)
// Libraries looked at: fflate 0.8.3 takes the whole archive as one array; @zip.js/zip.js 2.24.0 and yauzl 3.4.0 read a
// directory from a file, but by promises or callbacks, and loading is synchronous here; client-zip 2.5.1 only writes.
import { SourceFile } from "./source_file.ts";
import { fail } from "./torch_error.ts";
import {
  CENTRAL,
  CENTRAL_BYTES,
  STORED_IN_64_BITS,
  END,
  END_64,
  END_64_BYTES,
  END_BYTES,
  EXTRA_64,
  LOCAL,
  LOCAL_BYTES,
  LOCATOR_64,
  LOCATOR_64_BYTES,
} from "./zip_format.ts";

export interface ZipRecord {
  readonly name: string;
  /** The position of its content in the file. */
  readonly begin: number;
  readonly bytes: number;
  readonly crc32: number;
}

const MAX_COMMENT_BYTES = 0xffff;
const ENCRYPTED = 1;
const STORED = 0;
/** Limits the directory, so that a size in the file cannot exhaust the memory. */
const MAX_DIRECTORY_BYTES = 100_000_000;

function readBytes(file: SourceFile, begin: number, bytes: number, what: string): Buffer {
  if (begin < 0 || begin + bytes > file.bytes)
    fail(
      `its ${what} would lie from byte ${begin} to ${begin + bytes}, but it has ${file.bytes}: it is cut off`,
    );
  const buffer = Buffer.alloc(bytes);
  if (!file.fill(buffer, begin)) fail("it became shorter while it was read");
  return buffer;
}

/** @throws TorchFileError for numbers that no file reaches */
function readUint64(buffer: Buffer, at: number): number {
  const value = buffer.readBigUInt64LE(at);
  return value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : fail(`it speaks of byte ${value}, which no file has`);
}

interface Directory {
  readonly begin: number;
  readonly bytes: number;
  readonly count: number;
}

function findDirectory(file: SourceFile): Directory {
  const tailBytes = Math.min(file.bytes, END_BYTES + MAX_COMMENT_BYTES);
  const tail = readBytes(file, file.bytes - tailBytes, tailBytes, "end");
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length)
      continue;
    const end: Directory = {
      count: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      begin: tail.readUInt32LE(at + 16),
    };
    const is64 = end.count === 0xffff || end.bytes === STORED_IN_64_BITS || end.begin === STORED_IN_64_BITS;
    return is64 ? readDirectory64(file, file.bytes - tailBytes + at) : end;
  }
  return fail("its zip directory is missing: it is cut off");
}

function readDirectory64(file: SourceFile, endAt: number): Directory {
  const locator = readBytes(file, endAt - LOCATOR_64_BYTES, LOCATOR_64_BYTES, "zip64 locator");
  if (locator.readUInt32LE(0) !== LOCATOR_64) fail("its zip64 locator is missing");
  const end = readBytes(file, readUint64(locator, 8), END_64_BYTES, "zip64 directory's end");
  if (end.readUInt32LE(0) !== END_64) fail("its zip64 directory's end is missing");
  return { count: readUint64(end, 32), bytes: readUint64(end, 40), begin: readUint64(end, 48) };
}

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly crc32: number;
  readonly localAt: number;
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 100));

function checkName(name: string): string {
  const parts = name.split("/");
  const isPlain =
    !name.includes("\\") && !name.includes("\0") && parts.every((part) => part !== ".." && part !== "");
  return isPlain ? name : fail(`it has a record called ${quoted(name)}, which is no plain name`);
}

/**
 * Returns the numbers that the record stores in 64 bits because they do not fit into 32, in this order: size, packed
 * size, position.
 */
function wideNumbers(extra: Buffer, wanted: number): number[] {
  for (let at = 0; at + 4 <= extra.length;) {
    const bytes = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === EXTRA_64 && bytes >= 8 * wanted && at + 4 + bytes <= extra.length)
      return Array.from({ length: wanted }, (_, i) => readUint64(extra, at + 4 + 8 * i));
    at += 4 + bytes;
  }
  return fail("a record's size in 64 bits is missing");
}

function readEntry(directory: Buffer, at: number): { readonly entry: Entry; readonly next: number } {
  if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL)
    fail("its zip directory is damaged");
  const flags = directory.readUInt16LE(at + 8);
  const method = directory.readUInt16LE(at + 10);
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
    directory.readUInt16LE(at + field),
  ) as [number, number, number];
  const nameAt = at + CENTRAL_BYTES;
  const extraAt = nameAt + nameBytes;
  const next = extraAt + extraBytes + commentBytes;
  if (next > directory.length) fail("its zip directory is damaged");
  const name = checkName(directory.toString("utf8", nameAt, extraAt));
  if (flags & ENCRYPTED) fail(`its record ${quoted(name)} is encrypted`);
  const narrow = [24, 20, 42].map((field) => directory.readUInt32LE(at + field));
  const missing = narrow.filter((value) => value === STORED_IN_64_BITS).length;
  const wide = missing > 0 ? wideNumbers(directory.subarray(extraAt, extraAt + extraBytes), missing) : [];
  const [bytes, packedBytes, localAt] = narrow.map((value) =>
    value === STORED_IN_64_BITS ? wide.shift()! : value,
  ) as [number, number, number];
  if (method !== STORED || bytes !== packedBytes) {
    fail(
      `its record ${quoted(name)} is compressed (${packedBytes} bytes for ${bytes}), which PyTorch never does; save it again with torch.save`,
    );
  }
  return { entry: { name, bytes, crc32: directory.readUInt32LE(at + 16), localAt }, next };
}

/** Finds where the content begins: after the header that repeats the name, and the padding that aligns it. */
function locate(file: SourceFile, { name, bytes, crc32, localAt }: Entry): ZipRecord {
  const what = `record ${quoted(name)}`;
  const header = readBytes(file, localAt, LOCAL_BYTES, what);
  if (header.readUInt32LE(0) !== LOCAL) fail(`its ${what} does not begin where the directory says`);
  const nameBytes = header.readUInt16LE(26);
  const begin = localAt + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
  const repeated = readBytes(file, localAt + LOCAL_BYTES, nameBytes, what).toString("utf8");
  if (repeated !== name) fail(`its ${what} calls itself ${quoted(repeated)}`);
  if (begin + bytes > file.bytes)
    fail(
      `its ${what} would lie from byte ${begin} to ${begin + bytes}, but it has ${file.bytes}: it is cut off`,
    );
  return { name, begin, bytes, crc32 };
}

/**
 * The archive's records by name.
 *
 * @throws TorchFileError
 */
export function readZip(file: SourceFile): ReadonlyMap<string, ZipRecord> {
  const { begin, bytes, count } = findDirectory(file);
  if (bytes > MAX_DIRECTORY_BYTES)
    fail(`its zip directory is said to have ${bytes} bytes; at most 100,000,000 are allowed`);
  const directory = readBytes(file, begin, bytes, "zip directory");
  const records = new Map<string, ZipRecord>();
  const places: { readonly begin: number; readonly end: number; readonly name: string }[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const { entry, next } = readEntry(directory, at);
    at = next;
    if (records.has(entry.name)) fail(`it has two records called ${quoted(entry.name)}`);
    const record = locate(file, entry);
    records.set(entry.name, record);
    places.push({ begin: entry.localAt, end: record.begin + record.bytes, name: entry.name });
  }
  if (at !== directory.length) fail("its zip directory is damaged");
  places.sort((a, b) => a.begin - b.begin);
  for (const [i, place] of places.entries()) {
    const limit = places[i + 1]?.begin ?? begin;
    if (place.end > limit)
      fail(`its record ${quoted(place.name)} ends at byte ${place.end}, inside of what begins at ${limit}`);
  }
  return records;
}
