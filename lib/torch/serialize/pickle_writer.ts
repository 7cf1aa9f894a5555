// Writes plain values as a pickle: numbers, strings, booleans, null, arrays (as lists), objects and Maps (as dicts).
// The caller encodes all other values. Uses protocol 2, which PyTorch's restricted reader accepts. Lib/pickletools.py
// (CPython), torch/_weights_only_unpickler.py

import { isPlainObject } from "../../plain_object.ts";
import { OPCODES } from "./opcodes.ts";

/** A class or function by its name in Python. */
export class PickleGlobal {
  constructor(
    readonly module: string,
    readonly name: string,
  ) {}
}

/** Arguments, or the key of an object outside of the pickle: an array would be written as a list. */
export class PickleTuple {
  constructor(readonly items: readonly unknown[]) {}
}

/** The result of calling a Python function. */
export class PickleCall {
  constructor(
    readonly callable: PickleGlobal,
    readonly args: PickleTuple,
  ) {}
}

/** An object outside of the pickle, by its key. */
export class PickleReference {
  constructor(readonly key: PickleTuple) {}
}

/** Encodes values that are not plain, for the caller. */
export interface PickleRules {
  /** Whether `reduce` takes the value. */
  readonly isKnown: (value: object) => boolean;
  /** Returns the call that represents it. */
  readonly reduce: (value: object) => PickleCall;
  /** Throws for a value that cannot be written: a function, an instance of a class, a value that contains itself. */
  readonly refuse: (path: string, value: unknown) => never;
}

const PROTOCOL = 2;
const INT32 = 2 ** 31;

const isWholeNumber = (key: string) => /^(0|-?[1-9]\d*)$/.test(key) && Number.isSafeInteger(Number(key));

class Writer {
  readonly #parts: Buffer[] = [];
  readonly #rules: PickleRules;
  readonly #ancestors = new Set<object>();

  constructor(rules: PickleRules) {
    this.#rules = rules;
  }

  write(value: unknown): Buffer {
    this.#put(OPCODES.PROTO, PROTOCOL);
    this.#value(value, "");
    this.#put(OPCODES.STOP);
    return Buffer.concat(this.#parts);
  }

  #put(...bytes: readonly number[]): void {
    this.#parts.push(Buffer.from(bytes));
  }

  #value(value: unknown, path: string): void {
    if (value === null || value === undefined) this.#put(OPCODES.NONE);
    else if (typeof value === "boolean") this.#put(value ? OPCODES.NEWTRUE : OPCODES.NEWFALSE);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "bigint") this.#whole(value);
    else if (typeof value === "string") this.#string(value);
    else if (typeof value === "object") this.#object(value, path);
    else this.#rules.refuse(path, value);
  }

  #number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return this.#whole(BigInt(value));
    const double = Buffer.alloc(9);
    double.writeUInt8(OPCODES.BINFLOAT);
    double.writeDoubleBE(value, 1);
    this.#parts.push(double);
  }

  #whole(value: bigint): void {
    if (value >= -INT32 && value < INT32) {
      const int32 = Buffer.alloc(5);
      int32.writeUInt8(OPCODES.BININT);
      int32.writeInt32LE(Number(value), 1);
      this.#parts.push(int32);
      return;
    }
    // Two's complement in the fewest bytes that keep the sign.
    let bits = 64;
    while (BigInt.asIntN(bits, value) !== value) bits += 64;
    const digits = BigInt.asUintN(bits, value)
      .toString(16)
      .padStart(bits / 4, "0");
    this.#put(OPCODES.LONG1, bits / 8);
    this.#parts.push(Buffer.from(digits, "hex").reverse());
  }

  #string(value: string): void {
    const text = Buffer.from(value);
    const head = Buffer.alloc(5);
    head.writeUInt8(OPCODES.BINUNICODE);
    head.writeUInt32LE(text.length, 1);
    this.#parts.push(head, text);
  }

  #object(value: object, path: string): void {
    if (value instanceof PickleGlobal) {
      this.#put(OPCODES.GLOBAL);
      this.#parts.push(Buffer.from(`${value.module}\n${value.name}\n`, "latin1"));
      return;
    }
    if (value instanceof PickleTuple) {
      this.#put(OPCODES.MARK);
      this.#items(value.items, path);
      return this.#put(OPCODES.TUPLE);
    }
    if (value instanceof PickleCall) {
      this.#value(value.callable, path);
      this.#value(value.args, path);
      return this.#put(OPCODES.REDUCE);
    }
    if (value instanceof PickleReference) {
      this.#value(value.key, path);
      return this.#put(OPCODES.BINPERSID);
    }
    if (this.#rules.isKnown(value)) return this.#value(this.#rules.reduce(value), path);
    if (this.#ancestors.has(value)) this.#rules.refuse(path, value);
    this.#ancestors.add(value);
    if (Array.isArray(value)) this.#list(value, path);
    else this.#dict(this.#entries(value, path), path);
    this.#ancestors.delete(value);
  }

  #list(items: readonly unknown[], path: string): void {
    this.#put(OPCODES.EMPTY_LIST, OPCODES.MARK);
    this.#items(items, path);
    this.#put(OPCODES.APPENDS);
  }

  #items(items: readonly unknown[], path: string): void {
    for (const [index, item] of items.entries()) this.#value(item, `${path}[${index}]`);
  }

  #entries(value: object, path: string): [unknown, unknown][] {
    if (value instanceof Map) return [...(value as Map<unknown, unknown>)];
    if (!isPlainObject(value)) this.#rules.refuse(path, value);
    const entries = Object.entries(value);
    const isNumbered = entries.every(
      ([key, one]) =>
        isWholeNumber(key) &&
        !(typeof one === "object" && one !== null && this.#rules.isKnown(one as object)),
    );
    return isNumbered ? entries.map(([key, one]) => [Number(key), one]) : entries;
  }

  #dict(entries: readonly (readonly [unknown, unknown])[], path: string): void {
    this.#put(OPCODES.EMPTY_DICT, OPCODES.MARK);
    for (const [key, value] of entries) {
      if (typeof key !== "string" && typeof key !== "number" && typeof key !== "bigint")
        this.#rules.refuse(path === "" ? "a key" : `a key of ${path}`, key);
      this.#value(key, path);
      this.#value(value, path === "" ? String(key) : `${path}.${key}`);
    }
    this.#put(OPCODES.SETITEMS);
  }
}

/**
 * A pickle of `value`. Keys of objects are strings. If all of them are whole numbers and the encoder takes none of the
 * values, they become numbers, as in an optimizer's state. A Map keeps the keys that it has.
 */
export function pickle(value: unknown, rules: PickleRules): Buffer {
  return new Writer(rules).write(value);
}
