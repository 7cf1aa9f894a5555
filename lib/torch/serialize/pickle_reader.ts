// Reads the numbers and texts in a pickle's bytes. Checks every read against the end.
import { TorchFileError } from "./torch_error.ts";

/** An integer of more bytes than this was not saved by any real program. */
const MAX_INTEGER_BYTES = 1024;

export class PickleReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at)
      throw new TorchFileError(
        `its pickle ends after ${this.#bytes.length} bytes, amid a value: it is cut off`,
      );
    this.#at += count;
    return at;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  uint16(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  int32(): number {
    return this.#bytes.readInt32LE(this.#take(4));
  }

  uint64(): number {
    return Number(this.#bytes.readBigUInt64LE(this.#take(8)));
  }

  /** The only number in pickles that is big-endian. */
  float64(): number {
    return this.#bytes.readDoubleBE(this.#take(8));
  }

  /** A signed integer of any size; a bigint beyond 2^53. */
  integer(bytes: number): number | bigint {
    if (bytes > MAX_INTEGER_BYTES) throw new TorchFileError(`its pickle has an integer of ${bytes} bytes`);
    const at = this.#take(bytes);
    let value = 0n;
    for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#bytes[at + i]!);
    const signed = BigInt.asIntN(8 * bytes, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return Uint8Array.from(this.#bytes.subarray(at, at + count));
  }

  text(count: number): string {
    const at = this.#take(count);
    return this.#bytes.toString("utf8", at, at + count);
  }

  /** Reads up to the end of the line. */
  line(): string {
    const end = this.#bytes.indexOf("\n", this.#at);
    if (end < 0) throw new TorchFileError("its pickle ends amid a name: it is cut off");
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return text;
  }
}
