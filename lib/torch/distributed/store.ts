// A store of text keys that processes share over TCP: `torch.distributed.TCPStore`.
import { checkInteger, checkList, checkText, describe } from "../vocabulary/arguments.ts";
import { boolean, integer, readOptions, type Rules } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import { DistStoreError, isOfLibtorch, libtorchText } from "./errors.ts";

/** Options of `distributed.TCPStore` by name. */
export interface TCPStoreOptions {
  /** Whether this process is the server. Exactly one of them is. Default: false. */
  readonly isMaster?: boolean;
  /** How long to wait for the server, and for a key that is not there yet. Default: 300000, five minutes. */
  readonly timeoutMs?: number;
}

const RULES: Rules<TCPStoreOptions> = { isMaster: boolean(false), timeoutMs: integer(300_000, 1) };

function explain(call: string, error: unknown, address: string, timeoutMs: number, keys = ""): unknown {
  if (!isOfLibtorch(error)) return error;
  const text = libtorchText(error);
  const options = { cause: error };
  if (/EADDRINUSE|address already in use/i.test(text))
    return new DistStoreError(
      `${call}: the port of ${address} is in use by another program: take another port, or end the program that has it.`,
      options,
    );
  if (/EACCES|permission denied/i.test(text))
    return new DistStoreError(`${call}: the system does not allow to listen at ${address}.`, options);
  if (keys !== "" && /timeout|timed out/i.test(text))
    return new DistStoreError(`${call}: nobody has set ${keys} within ${timeoutMs} ms.`, options);
  if (/timeout|timed out|connect|resolve/i.test(text) && keys === "")
    return new DistStoreError(
      `${call}: no store answers at ${address} within ${timeoutMs} ms: start the process with isMaster (rank 0), or check the address.`,
      options,
    );
  return new DistStoreError(`${call}: the store at ${address} has ended.`, options);
}

function checkKey(call: string, key: unknown): string {
  const text = checkText(call, "the key", key);
  if (text === "") throw new RangeError(`${call}: the key must not be empty.`);
  return text;
}

function checkKeys(call: string, keys: readonly string[]): readonly string[] {
  const checked = Array.from(checkList(call, "keys", keys), (key) => checkKey(call, key));
  if (checked.length === 0) throw new RangeError(`${call}: the list of keys must not be empty.`);
  return checked;
}

function checkValue(call: string, name: string, value: unknown): Uint8Array {
  if (typeof value === "string") return Buffer.from(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`${call}: ${name} must be a string or a Uint8Array, got ${describe(value)}.`);
}

let numberOf: (store: TCPStore) => number;

/**
 * Keys and values that processes share, as PyTorch's: one is the server, and the others find it by its address. Calls
 * wait for at most `timeoutMs`; Stop ends the wait.
 *
 *     const store = new torch.distributed.TCPStore("127.0.0.1", 0, { isMaster: true });
 *     store.set("lr", "0.1");
 *     store.get("lr").toString(); // "0.1"
 */
export class TCPStore {
  readonly host: string;
  /** The port; if 0 was given, the free port that was chosen. */
  readonly port: number;
  readonly timeoutMs: number;
  readonly #store: number;

  /**
   * @param host the name or address of the server
   * @param port the port of the server. 0 on the server: any free port
   */
  constructor(host: string, port: number, options?: TCPStoreOptions) {
    const call = "new distributed.TCPStore";
    const { isMaster, timeoutMs } = readOptions<TCPStoreOptions>(call, options, RULES);
    this.host = checkText(call, "host", host);
    const asked = checkInteger(call, "port", port, isMaster ? 0 : 1);
    if (asked > 65_535) throw new RangeError(`${call}: port must be at most 65535, got ${asked}.`);
    this.timeoutMs = timeoutMs;
    try {
      const { store, port: taken } = native.distributed.openStore(this.host, asked, isMaster, timeoutMs);
      this.#store = store;
      this.port = taken;
    } catch (error) {
      throw explain(call, error, `${this.host}:${asked}`, timeoutMs);
    }
  }

  #ask<Answer>(call: string, question: () => Answer, keys?: string, timeoutMs = this.timeoutMs): Answer {
    try {
      return question();
    } catch (error) {
      throw explain(`TCPStore.${call}`, error, `${this.host}:${this.port}`, timeoutMs, keys);
    }
  }

  /** Sets a key. */
  set(key: string, value: string | Uint8Array): void {
    const name = checkKey("TCPStore.set", key);
    const bytes = checkValue("TCPStore.set", "the value", value);
    this.#ask("set", () => native.distributed.storeSet(this.#store, name, bytes), name);
  }

  /**
   * The value of a key. Waits until it is set.
   *
   * @throws DistStoreError if nobody sets it in time
   */
  get(key: string, timeoutMs: number = this.timeoutMs): Buffer {
    const name = checkKey("TCPStore.get", key);
    const wait = checkInteger("TCPStore.get", "timeoutMs", timeoutMs, 1);
    const ask = () => native.distributed.storeGet(this.#store, name, wait);
    return Buffer.from(this.#ask("get", ask, JSON.stringify(name), wait));
  }

  /**
   * Sets a key if its value is the expected one; "" stands for a key that does not exist. Returns the value that it has
   * afterwards.
   */
  compareSet(key: string, expected: string | Uint8Array, desired: string | Uint8Array): Buffer {
    const call = "TCPStore.compareSet";
    const name = checkKey(call, key);
    const [old, next] = [checkValue(call, "expected", expected), checkValue(call, "desired", desired)];
    const ask = () => native.distributed.storeCompareSet(this.#store, name, old, next);
    return Buffer.from(this.#ask("compareSet", ask, name));
  }

  /**
   * Adds to a counter, which begins at 0. Returns the sum.
   *
   * @throws TypeError if the key holds a text that is not a whole number
   */
  add(key: string, amount: number): number {
    const name = checkKey("TCPStore.add", key);
    const by = checkInteger("TCPStore.add", "amount", amount, -Infinity);
    // Checked first, because PyTorch's server closes the connection of a client that adds to a text.
    const held = this.check([name]) ? this.get(name).toString() : "0";
    if (!/^-?\d+$/.test(held))
      throw new TypeError(
        `TCPStore.add: the value of ${JSON.stringify(name)} is no whole number: ${describe(held)}.`,
      );
    return this.#ask("add", () => native.distributed.storeAdd(this.#store, name, by), name);
  }

  /** Whether all of the keys exist. */
  check(keys: readonly string[]): boolean {
    const names = checkKeys("TCPStore.check", keys);
    return this.#ask("check", () => native.distributed.storeCheck(this.#store, names), names.join(", "));
  }

  /** Waits until all of the keys exist. */
  wait(keys: readonly string[], timeoutMs: number = this.timeoutMs): void {
    const names = checkKeys("TCPStore.wait", keys);
    const wait = checkInteger("TCPStore.wait", "timeoutMs", timeoutMs, 1);
    const shown = names.map((name) => JSON.stringify(name)).join(", ");
    this.#ask("wait", () => native.distributed.storeWait(this.#store, names, wait), shown, wait);
  }

  /** Removes a key. Returns whether it existed. */
  deleteKey(key: string): boolean {
    const name = checkKey("TCPStore.deleteKey", key);
    return this.#ask("deleteKey", () => native.distributed.storeDelete(this.#store, name), name);
  }

  /** How many keys there are. */
  numKeys(): number {
    return this.#ask("numKeys", () => native.distributed.storeNumKeys(this.#store), "the keys");
  }

  /** Ends the connection. On the server this also ends the store, once no group uses it. */
  close(): void {
    native.distributed.closeStore(this.#store);
  }

  static {
    numberOf = (store) => store.#store;
  }
}

/** The addon's number of a store. */
export const storeNumber = (store: TCPStore): number => numberOf(store);
