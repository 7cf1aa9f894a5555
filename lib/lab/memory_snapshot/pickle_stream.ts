// Writes a pickle piece by piece, for a million dicts of the same few keys. `lib/torch/serialize/pickle_writer.ts`
// writes a whole value at a time without a memo, so that it would take seconds and repeat each key. Uses opcodes of
// protocol 2, which PyTorch's MemoryViz.js reads too. Lib/pickletools.py (CPython)
import { OPCODES } from "../../torch/serialize/opcodes.ts";

const PROTOCOL = 2;
const PIECE_BYTES = 1 << 20;
/** Room that is kept free at the end of a piece: no call writes more than this, except for strings. */
const MARGIN_BYTES = 64;
const INT32 = 2 ** 31;
const WORD = 2 ** 32;
const BYTE = 256;

/** An index into the memo, by which a value is written again. */
export type Memo = number & { readonly __memo: unique symbol };

export class PickleStream {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #strings = new Map<string, Memo>();
  #piece = Buffer.alloc(PIECE_BYTES);
  #used = 0;
  #memos = 0;

  /** @param write gets the bytes in order, and must not keep them */
  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
    this.#put2(OPCODES.PROTO, PROTOCOL);
  }

  end(): void {
    this.#put(OPCODES.STOP);
    this.#flush();
  }

  /** Writes a dict; `fill` writes its keys and values in turn. */
  dict(fill: () => void): void {
    this.#put2(OPCODES.EMPTY_DICT, OPCODES.MARK);
    fill();
    this.#put(OPCODES.SETITEMS);
  }

  list(fill: () => void): void {
    this.#put2(OPCODES.EMPTY_LIST, OPCODES.MARK);
    fill();
    this.#put(OPCODES.APPENDS);
  }

  /** A tuple of two whole numbers. */
  pair(first: number, second: number): void {
    this.whole(first);
    this.whole(second);
    this.#put(OPCODES.TUPLE2);
  }

  boolean(value: boolean): void {
    this.#put(value ? OPCODES.NEWTRUE : OPCODES.NEWFALSE);
  }

  /** A whole number that a double holds exactly. */
  whole(value: number): void {
    if (value >= 0 && value < BYTE) return this.#put2(OPCODES.BININT1, value);
    if (value >= -INT32 && value < INT32) {
      this.#put(OPCODES.BININT);
      this.#used = this.#piece.writeInt32LE(value, this.#used);
      return;
    }
    this.#put2(OPCODES.LONG1, 8);
    const high = Math.floor(value / WORD);
    this.#used = this.#piece.writeUInt32LE(value - high * WORD, this.#used);
    this.#used = this.#piece.writeInt32LE(high, this.#used);
  }

  /** Writes a string in full the first time, and by its memo after that. */
  string(value: string): void {
    const known = this.#strings.get(value);
    if (known !== undefined) return this.again(known);
    const text = Buffer.from(value);
    this.#put(OPCODES.BINUNICODE);
    this.#used = this.#piece.writeUInt32LE(text.length, this.#used);
    this.#flush();
    this.#write(text);
    this.#strings.set(value, this.remember());
  }

  /** Remembers the value that was written last. */
  remember(): Memo {
    const memo = this.#memos++ as Memo;
    this.#put(OPCODES.LONG_BINPUT);
    this.#used = this.#piece.writeUInt32LE(memo, this.#used);
    return memo;
  }

  /** Writes a remembered value again: the reader gets the same object. */
  again(memo: Memo): void {
    if (memo < BYTE) return this.#put2(OPCODES.BINGET, memo);
    this.#put(OPCODES.LONG_BINGET);
    this.#used = this.#piece.writeUInt32LE(memo, this.#used);
  }

  #put(byte: number): void {
    if (this.#used > PIECE_BYTES - MARGIN_BYTES) this.#flush();
    this.#piece[this.#used++] = byte;
  }

  #put2(first: number, second: number): void {
    this.#put(first);
    this.#piece[this.#used++] = second;
  }

  #flush(): void {
    this.#write(this.#piece.subarray(0, this.#used));
    this.#used = 0;
  }
}
