// Writes TensorBoard's event files: a record for each event, which is a protocol buffer between its length and checksums.
// Sources: tensorflow/core/lib/io/record_writer.cc, tensorboard/compat/proto/event.proto, summary.proto.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** One value of an event: a number, a histogram, an image or a text, under a tag. */
export type EventValue =
  | { readonly tag: string; readonly scalar: number }
  | { readonly tag: string; readonly text: string }
  | { readonly tag: string; readonly histogram: HistogramSummary }
  | { readonly tag: string; readonly image: ImageSummary };

export interface HistogramSummary {
  readonly min: number;
  readonly max: number;
  readonly count: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  /** The right edge of each bucket. */
  readonly limits: readonly number[];
  readonly counts: readonly number[];
}

export interface ImageSummary {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly png: Uint8Array;
}

let files = 0;

/** An event file in a folder, to which events are appended. Each stands on the disk when the call returns. */
export class EventFile {
  readonly path: string;
  #descriptor: number | null;

  /** @param suffix ends the file's name, which TensorBoard knows by its beginning */
  constructor(folder: string, suffix: string) {
    mkdirSync(folder, { recursive: true });
    const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
    const name = `events.out.tfevents.${seconds}.${os.hostname()}.${process.pid}.${files++}${suffix}`;
    this.path = path.join(folder, name);
    this.#descriptor = openSync(this.path, "a");
    this.#append(message(double(1, Date.now() / 1000), text(3, "brain.Event:2")));
  }

  get isOpen(): boolean {
    return this.#descriptor !== null;
  }

  /** @param seconds since 1970 */
  write(value: EventValue, step: number, seconds: number): void {
    this.#append(
      message(double(1, seconds), varint(2, step), bytes(5, message(bytes(1, summaryValue(value))))),
    );
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #append(event: Buffer): void {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(event.length));
    writeSync(this.#descriptor!, Buffer.concat([length, checksum(length), event, checksum(event)]));
  }
}

/** `Summary.Value`. A text is a tensor of strings, which the text plugin shows. */
function summaryValue(value: EventValue): Buffer {
  const tag = text(1, value.tag);
  if ("scalar" in value) return message(tag, float(2, value.scalar));
  if ("image" in value) {
    const { width, height, channels, png } = value.image;
    return message(
      tag,
      bytes(4, message(varint(1, height), varint(2, width), varint(3, channels), bytes(4, png))),
    );
  }
  if ("histogram" in value) {
    const { min, max, count, sum, sumOfSquares, limits, counts } = value.histogram;
    const figures = [min, max, count, sum, sumOfSquares].map((figure, at) => double(at + 1, figure));
    return message(tag, bytes(5, message(...figures, bytes(6, doubles(limits)), bytes(7, doubles(counts)))));
  }
  const STRING = 7;
  const shape = message(bytes(2, message(varint(1, 1))));
  const tensor = message(varint(1, STRING), bytes(2, shape), text(8, value.text));
  const plugin = message(bytes(1, message(text(1, "text"))));
  return message(tag, bytes(8, tensor), bytes(9, plugin));
}

// --- protocol buffers --------------------------------------------------------------------------------------------

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** @param value a whole number; a negative one takes ten bytes, as int64 does */
function encoded(value: number): Buffer {
  const encodedBytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    encodedBytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(encodedBytes);
}

const key = (field: number, wire: number): Buffer => encoded(field * 8 + wire);
const varint = (field: number, value: number): Buffer => message(key(field, VARINT), encoded(value));
const bytes = (field: number, value: Uint8Array): Buffer =>
  message(key(field, DELIMITED), encoded(value.length), Buffer.from(value));
const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value));

function double(field: number, value: number): Buffer {
  return message(key(field, FIXED_64), doubles([value]));
}

function doubles(values: readonly number[]): Buffer {
  const written = Buffer.alloc(values.length * 8);
  for (const [at, value] of values.entries()) written.writeDoubleLE(value, at * 8);
  return written;
}

function float(field: number, value: number): Buffer {
  const written = Buffer.alloc(4);
  written.writeFloatLE(value);
  return message(key(field, FIXED_32), written);
}

// --- checksums ---------------------------------------------------------------------------------------------------

/** CRC-32C, Castagnoli's polynomial, reflected. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** A checksum that is masked, because checksums of texts that hold checksums are weak. */
function checksum(content: Buffer): Buffer {
  let crc = 0xffffffff;
  for (const byte of content) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  crc = (crc ^ 0xffffffff) >>> 0;
  const masked = (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
  const written = Buffer.alloc(4);
  written.writeUInt32LE(masked);
  return written;
}
