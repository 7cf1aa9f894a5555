// Writes zip archives as PyTorch does. Records are stored without compression, each at a multiple of 64 bytes, so
// that they can be mapped. Sizes and offsets always take 64 bits, so that small files and large have one form.
// APPNOTE.TXT 6.3 (PKWARE), caffe2/serialize/inline_container.cc
// Libraries looked at: fflate 0.8.3 writes no zip64; client-zip 2.5.1 cannot align; @zip.js/zip.js 2.24.0 aligns to 64
// bytes (its option `usdz`) and has zip64, but writes by promises, and saving is synchronous here.
import { crc32 } from "node:zlib";
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

const ALIGNMENT_BYTES = 64;
/** Id and length of an extra field. */
const EXTRA_HEAD_BYTES = 4;
/** The size, and the packed size. */
const LOCAL_64_BYTES = EXTRA_HEAD_BYTES + 16;
/** The same, and the position. */
const CENTRAL_64_BYTES = EXTRA_HEAD_BYTES + 24;
/** PyTorch's id, "FB", for the padding that aligns a record. */
const EXTRA_FILLING = 0x4246;
/** 4.5, the first version that has 64 bits. */
const VERSION = 45;
const UTF8_NAMES = 0x0800;

interface Written {
  readonly name: Buffer;
  readonly bytes: number;
  readonly crc32: number;
  readonly at: number;
}

/** Writes the fields that local headers and the directory share, from `at` on. */
function describeRecord(header: Buffer, at: number, { name, crc32: checksum }: Written): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(UTF8_NAMES, at + 2);
  header.writeUInt32LE(checksum, at + 10);
  header.writeUInt32LE(STORED_IN_64_BITS, at + 14);
  header.writeUInt32LE(STORED_IN_64_BITS, at + 18);
  header.writeUInt16LE(name.length, at + 22);
}

function extra64(numbers: readonly number[]): Buffer {
  const extra = Buffer.alloc(EXTRA_HEAD_BYTES + 8 * numbers.length);
  extra.writeUInt16LE(EXTRA_64, 0);
  extra.writeUInt16LE(8 * numbers.length, 2);
  for (const [i, number] of numbers.entries())
    extra.writeBigUInt64LE(BigInt(number), EXTRA_HEAD_BYTES + 8 * i);
  return extra;
}

/** Padding that aligns the following bytes to a multiple of 64. */
function filling(end: number): Buffer {
  const missing = (ALIGNMENT_BYTES - ((end + EXTRA_HEAD_BYTES) % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES;
  const extra = Buffer.alloc(EXTRA_HEAD_BYTES + missing, "Z");
  extra.writeUInt16LE(EXTRA_FILLING, 0);
  extra.writeUInt16LE(missing, 2);
  return extra;
}

export class ZipWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #records: Written[] = [];
  #bytes = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  #put(bytes: Uint8Array): void {
    this.#write(bytes);
    this.#bytes += bytes.length;
  }

  /** Adds a record. Names must differ. */
  add(recordName: string, content: Uint8Array): void {
    const name = Buffer.from(recordName);
    const record = { name, bytes: content.length, crc32: crc32(content), at: this.#bytes };
    const sizes = extra64([record.bytes, record.bytes]);
    const padding = filling(this.#bytes + LOCAL_BYTES + name.length + LOCAL_64_BYTES);
    const header = Buffer.alloc(LOCAL_BYTES);
    header.writeUInt32LE(LOCAL, 0);
    describeRecord(header, 4, record);
    header.writeUInt16LE(sizes.length + padding.length, 28);
    for (const part of [header, name, sizes, padding, content]) this.#put(part);
    this.#records.push(record);
  }

  /** The directory: nothing may be added after it. */
  end(): void {
    const begin = this.#bytes;
    for (const record of this.#records) {
      const header = Buffer.alloc(CENTRAL_BYTES);
      header.writeUInt32LE(CENTRAL, 0);
      header.writeUInt16LE(VERSION, 4);
      describeRecord(header, 6, record);
      header.writeUInt16LE(CENTRAL_64_BYTES, 30);
      header.writeUInt32LE(STORED_IN_64_BITS, 42);
      for (const part of [header, record.name, extra64([record.bytes, record.bytes, record.at])])
        this.#put(part);
    }
    this.#putEnd(begin, this.#bytes - begin);
  }

  #putEnd(begin: number, bytes: number): void {
    const count = BigInt(this.#records.length);
    const end64 = Buffer.alloc(END_64_BYTES);
    end64.writeUInt32LE(END_64, 0);
    end64.writeBigUInt64LE(BigInt(END_64_BYTES - 12), 4); // without what stands before it
    end64.writeUInt16LE(VERSION, 12);
    end64.writeUInt16LE(VERSION, 14);
    end64.writeBigUInt64LE(count, 24);
    end64.writeBigUInt64LE(count, 32);
    end64.writeBigUInt64LE(BigInt(bytes), 40);
    end64.writeBigUInt64LE(BigInt(begin), 48);
    const locator = Buffer.alloc(LOCATOR_64_BYTES);
    locator.writeUInt32LE(LOCATOR_64, 0);
    locator.writeBigUInt64LE(BigInt(begin + bytes), 8);
    locator.writeUInt32LE(1, 16);
    const end = Buffer.alloc(END_BYTES);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(0xffff, 8);
    end.writeUInt16LE(0xffff, 10);
    end.writeUInt32LE(STORED_IN_64_BITS, 12);
    end.writeUInt32LE(STORED_IN_64_BITS, 16);
    for (const part of [end64, locator, end]) this.#put(part);
  }
}
