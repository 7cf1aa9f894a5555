// Reads a pickle that holds plain data. A pickle is a program for a stack machine. Instructions that build numbers,
// strings, lists, tuples and dicts are executed. Those that name a class or a function are executed only if the
// caller knows the name. Nothing is imported or run. Lib/pickletools.py (CPython)
import { PickleReader } from "./pickle_reader.ts";
import { fail } from "./torch_error.ts";

export interface PickleContext {
  /** Returns the object for a class's or function's name; throws for an unknown name. */
  readonly global: (module: string, name: string) => unknown;
  /** Returns the result of calling it. */
  readonly call: (callable: unknown, args: readonly unknown[]) => unknown;
  /** Returns the object outside of the pickle that a reference names: a storage. */
  readonly persistent: (id: unknown) => unknown;
}

/** What a dict becomes: keys are strings, integers as their text. */
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
  // Not by assignment: "__proto__" is a key like any other.
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
      if (opcode === 0x2e) break; // STOP
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

  /** What was pushed since the last mark. */
  popToMark(): unknown[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at < 0) fail("its pickle ends a group that it did not begin");
    return this.#stack.splice(at).slice(1);
  }

  popMany(count: number): unknown[] {
    return Array.from({ length: count }, () => this.pop()).toReversed();
  }

  put(index: number): void {
    // An index far beyond the others would make a table of empty places.
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

  /** Attributes that an OrderedDict carries, as a module's versions: left out. */
  build(): void {
    this.pop();
    if (!isPlainObject(this.top())) fail("it sets the state of what is no dict");
  }

  persistent(): void {
    this.push(this.#context.persistent(this.pop()));
  }
}

type Instruction = (machine: Machine, reader: PickleReader) => void;

/** By opcode, in the order of pickletools. */
const INSTRUCTIONS: Readonly<Record<number, Instruction>> = {
  0x80: (_, reader) => {
    const version = reader.uint8();
    if (version > 5) fail(`its pickle is of protocol ${version}; up to 5 are read`);
  },
  0x95: (_, reader) => void reader.uint64(), // FRAME: how many bytes follow
  0x4e: (machine) => machine.push(null),
  0x88: (machine) => machine.push(true),
  0x89: (machine) => machine.push(false),
  0x4b: (machine, reader) => machine.push(reader.uint8()),
  0x4d: (machine, reader) => machine.push(reader.uint16()),
  0x4a: (machine, reader) => machine.push(reader.int32()),
  0x8a: (machine, reader) => machine.push(reader.integer(reader.uint8())),
  0x8b: (machine, reader) => machine.push(reader.integer(reader.uint32())),
  0x47: (machine, reader) => machine.push(reader.float64()),
  0x58: (machine, reader) => machine.push(reader.text(reader.uint32())),
  0x8c: (machine, reader) => machine.push(reader.text(reader.uint8())),
  0x8d: (machine, reader) => machine.push(reader.text(reader.uint64())),
  0x42: (machine, reader) => machine.push(reader.bytes(reader.uint32())),
  0x43: (machine, reader) => machine.push(reader.bytes(reader.uint8())),
  0x28: (machine) => machine.mark(),
  0x5d: (machine) => machine.push([]),
  0x29: (machine) => machine.push([]), // an empty tuple: an array here
  0x7d: (machine) => machine.push({}),
  0x6c: (machine) => machine.push(machine.popToMark()),
  0x74: (machine) => machine.push(machine.popToMark()),
  0x85: (machine) => machine.push(machine.popMany(1)),
  0x86: (machine) => machine.push(machine.popMany(2)),
  0x87: (machine) => machine.push(machine.popMany(3)),
  0x61: (machine) => {
    const value = machine.pop();
    machine.append([value]);
  },
  0x65: (machine) => machine.append(machine.popToMark()),
  0x73: (machine) => {
    const pair = machine.popMany(2);
    machine.setItems(pair);
  },
  0x75: (machine) => machine.setItems(machine.popToMark()),
  0x71: (machine, reader) => machine.put(reader.uint8()),
  0x72: (machine, reader) => machine.put(reader.uint32()),
  0x94: (machine) => machine.memoize(),
  0x68: (machine, reader) => machine.get(reader.uint8()),
  0x6a: (machine, reader) => machine.get(reader.uint32()),
  0x30: (machine) => void machine.pop(),
  0x63: (machine, reader) => machine.global(reader.line(), reader.line()),
  0x93: (machine) => {
    const [module, name] = machine.popMany(2);
    machine.global(module, name);
  },
  0x52: (machine) => machine.reduce(),
  0x81: (machine) => machine.reduce(), // NEWOBJ: the class's own __new__
  0x62: (machine) => machine.build(),
  0x51: (machine) => machine.persistent(),
};

/**
 * The value that a pickle describes. Dicts become objects, tuples arrays, None null, integers beyond 2^53 bigints.
 *
 * @throws TorchFileError for instructions that plain data does not need, and for a pickle that is damaged
 */
export function unpickle(bytes: Buffer, context: PickleContext): unknown {
  return new Machine(bytes, context).run();
}
