// Reads a pickle that holds plain data. A pickle is a program for a stack machine. Instructions that build numbers,
// strings, lists, tuples and dicts are executed. Those that name a class or a function are executed only if the
// caller knows the name. Nothing is imported or run. Lib/pickletools.py (CPython)
import { OPCODES } from "./opcodes.ts";
import { PickleReader } from "./pickle_reader.ts";
import { fail } from "./torch_error.ts";

export interface PickleContext {
  /** Returns the object for a class's or function's name; throws for an unknown name. */
  readonly global: (module: string, name: string) => unknown;
  /** Returns the result of calling it. */
  readonly call: (callable: unknown, args: readonly unknown[]) => unknown;
  /** Returns the object outside of the pickle to which a reference leads: a storage. */
  readonly persistent: (id: unknown) => unknown;
}

/** The result of reading a dict. Keys are strings; integers become their text. */
export type PlainObject = Record<string, unknown>;

const MARK: unique symbol = Symbol("mark");

function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function setItem(target: unknown, key: unknown, value: unknown): void {
  if (!isPlainObject(target)) fail("it sets an item of what is no dict");
  if (typeof key !== "string" && !Number.isSafeInteger(key)) {
    fail(
      `it has a dict whose key is ${Array.isArray(key) ? "a tuple" : `${typeof key}`}; only strings and integers are read`,
    );
  }
  // Defined, because an assignment would treat "__proto__" unlike other keys.
  Object.defineProperty(target, key as string, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

class Machine {
  readonly #reader: PickleReader;
  readonly #context: PickleContext;
  readonly #stack: unknown[] = [];
  readonly #memo: unknown[] = [];

  constructor(bytes: Buffer, context: PickleContext) {
    this.#reader = new PickleReader(bytes);
    this.#context = context;
  }

  run(): unknown {
    for (;;) {
      const opcode = this.#reader.uint8();
      if (opcode === OPCODES.STOP) break;
      const instruction = INSTRUCTIONS[opcode];
      if (instruction === undefined)
        fail(
          `it has the pickle instruction 0x${opcode.toString(16).padStart(2, "0")}, which plain data does not need`,
        );
      instruction(this, this.#reader);
    }
    const result = this.pop();
    if (this.#stack.length > 0) fail("its pickle leaves more than one value");
    return result;
  }

  push(value: unknown): void {
    this.#stack.push(value);
  }

  pop(): unknown {
    if (this.#stack.length === 0) fail("its pickle takes a value where there is none");
    const value = this.#stack.pop();
    return value === MARK ? fail("its pickle takes a value where there is none") : value;
  }

  top(): unknown {
    const value = this.pop();
    this.push(value);
    return value;
  }

  mark(): void {
    this.#stack.push(MARK);
  }

  /** Removes and returns the values that were pushed since the last mark. */
  popToMark(): unknown[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at < 0) fail("its pickle ends a group that it did not begin");
    return this.#stack.splice(at).slice(1);
  }

  popMany(count: number): unknown[] {
    return Array.from({ length: count }, () => this.pop()).toReversed();
  }

  put(index: number): void {
    // Refused, because an index far beyond the others would make a table of empty places.
    if (index > this.#memo.length + 1_000_000) fail(`its pickle numbers a value ${index}`);
    this.#memo[index] = this.top();
  }

  memoize(): void {
    this.#memo.push(this.top());
  }

  get(index: number): void {
    if (!(index in this.#memo)) fail(`its pickle takes value ${index}, which it has not made`);
    this.push(this.#memo[index]);
  }

  append(values: readonly unknown[]): void {
    const list = this.top();
    if (!Array.isArray(list)) fail("it appends to what is no list");
    for (const value of values) list.push(value);
  }

  setItems(values: readonly unknown[]): void {
    if (values.length % 2 !== 0) fail("it sets a key without a value");
    const target = this.top();
    for (let i = 0; i < values.length; i += 2) setItem(target, values[i], values[i + 1]);
  }

  global(module: unknown, name: unknown): void {
    if (typeof module !== "string" || typeof name !== "string")
      return fail("it names a class by what is no text");
    this.push(this.#context.global(module, name));
  }

  reduce(): void {
    const [callable, args] = this.popMany(2);
    if (!Array.isArray(args)) return fail("it calls with arguments that are no tuple");
    this.push(this.#context.call(callable, args));
  }

  /** Attributes of an OrderedDict, such as a module's versions, are ignored. */
  build(): void {
    this.pop();
    if (!isPlainObject(this.top())) fail("it sets the state of what is no dict");
  }

  persistent(): void {
    this.push(this.#context.persistent(this.pop()));
  }
}

type Instruction = (machine: Machine, reader: PickleReader) => void;

/** The action of each opcode. STOP is missing: it ends the loop. */
const INSTRUCTIONS: Readonly<Record<number, Instruction>> = {
  [OPCODES.PROTO]: (_, reader) => {
    const version = reader.uint8();
    if (version > 5) fail(`its pickle is of protocol ${version}; up to 5 are read`);
  },
  [OPCODES.FRAME]: (_, reader) => void reader.uint64(), // how many bytes follow
  [OPCODES.NONE]: (machine) => machine.push(null),
  [OPCODES.NEWTRUE]: (machine) => machine.push(true),
  [OPCODES.NEWFALSE]: (machine) => machine.push(false),
  [OPCODES.BININT1]: (machine, reader) => machine.push(reader.uint8()),
  [OPCODES.BININT2]: (machine, reader) => machine.push(reader.uint16()),
  [OPCODES.BININT]: (machine, reader) => machine.push(reader.int32()),
  [OPCODES.LONG1]: (machine, reader) => machine.push(reader.integer(reader.uint8())),
  [OPCODES.LONG4]: (machine, reader) => machine.push(reader.integer(reader.uint32())),
  [OPCODES.BINFLOAT]: (machine, reader) => machine.push(reader.float64()),
  [OPCODES.BINUNICODE]: (machine, reader) => machine.push(reader.text(reader.uint32())),
  [OPCODES.SHORT_BINUNICODE]: (machine, reader) => machine.push(reader.text(reader.uint8())),
  [OPCODES.BINUNICODE8]: (machine, reader) => machine.push(reader.text(reader.uint64())),
  [OPCODES.BINBYTES]: (machine, reader) => machine.push(reader.bytes(reader.uint32())),
  [OPCODES.SHORT_BINBYTES]: (machine, reader) => machine.push(reader.bytes(reader.uint8())),
  [OPCODES.MARK]: (machine) => machine.mark(),
  [OPCODES.EMPTY_LIST]: (machine) => machine.push([]),
  [OPCODES.EMPTY_TUPLE]: (machine) => machine.push([]), // an empty tuple: an array here
  [OPCODES.EMPTY_DICT]: (machine) => machine.push({}),
  [OPCODES.LIST]: (machine) => machine.push(machine.popToMark()),
  [OPCODES.TUPLE]: (machine) => machine.push(machine.popToMark()),
  [OPCODES.TUPLE1]: (machine) => machine.push(machine.popMany(1)),
  [OPCODES.TUPLE2]: (machine) => machine.push(machine.popMany(2)),
  [OPCODES.TUPLE3]: (machine) => machine.push(machine.popMany(3)),
  [OPCODES.APPEND]: (machine) => {
    const value = machine.pop();
    machine.append([value]);
  },
  [OPCODES.APPENDS]: (machine) => machine.append(machine.popToMark()),
  [OPCODES.SETITEM]: (machine) => {
    const pair = machine.popMany(2);
    machine.setItems(pair);
  },
  [OPCODES.SETITEMS]: (machine) => machine.setItems(machine.popToMark()),
  [OPCODES.BINPUT]: (machine, reader) => machine.put(reader.uint8()),
  [OPCODES.LONG_BINPUT]: (machine, reader) => machine.put(reader.uint32()),
  [OPCODES.MEMOIZE]: (machine) => machine.memoize(),
  [OPCODES.BINGET]: (machine, reader) => machine.get(reader.uint8()),
  [OPCODES.LONG_BINGET]: (machine, reader) => machine.get(reader.uint32()),
  [OPCODES.POP]: (machine) => void machine.pop(),
  [OPCODES.GLOBAL]: (machine, reader) => machine.global(reader.line(), reader.line()),
  [OPCODES.STACK_GLOBAL]: (machine) => {
    const [module, name] = machine.popMany(2);
    machine.global(module, name);
  },
  [OPCODES.REDUCE]: (machine) => machine.reduce(),
  [OPCODES.NEWOBJ]: (machine) => machine.reduce(), // the class's own __new__
  [OPCODES.BUILD]: (machine) => machine.build(),
  [OPCODES.BINPERSID]: (machine) => machine.persistent(),
};

/**
 * The value that a pickle describes. Dicts become objects, tuples arrays, None null, integers beyond 2^53 bigints.
 *
 * @throws TorchFileError for instructions that plain data does not need, and for a pickle that is damaged
 */
export function unpickle(bytes: Buffer, context: PickleContext): unknown {
  return new Machine(bytes, context).run();
}
