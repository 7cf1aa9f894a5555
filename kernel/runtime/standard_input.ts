// Gives cells a `process.stdin`: what they read from it comes from an input box, one line at a time, and readline's
// `question` shows its own text there. Does not know how a question reaches the front end (`prompt.ts`).
import { syncBuiltinESMExports } from "node:module";
import readline from "node:readline";
import readlinePromises from "node:readline/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { outputCell } from "./cells.ts";
import { isError } from "./errors/thrown.ts";
import { KeyboardInterrupt } from "./interrupt/interrupt.ts";
import { isObject } from "./objects.ts";

type Ask = (question?: string) => string;

type Listener = Parameters<Readable["on"]>[1];

/** A listener to one of these events reads the stream. */
const READERS = ["data", "readable", "keypress"];

/**
 * Asks for a line only when somebody reads. readline's own listeners do not count: it listens as soon as an interface
 * is made, whether or not somebody wants its lines.
 */
class CellInput extends Readable {
  readonly #ask: Ask;
  /** The stream wants a line. */
  #wants = false;
  #turn: NodeJS.Immediate | undefined;
  /** The depth of calls in which readline adds listeners of its own. */
  #depth = 0;
  readonly #readlines = new WeakSet<(...args: never[]) => void>();
  readonly #interfaces = new Set<readline.Interface>();

  constructor(ask: Ask) {
    super();
    this.#ask = ask;
  }

  /** Returns the interface that `create` makes over this stream. */
  give(create: () => readline.Interface): readline.Interface {
    const lines = this.#nested(create);
    this.#interfaces.add(lines);
    lines.once("close", () => this.#interfaces.delete(lines));
    lines.on("newListener", () => this.#schedule());
    return lines;
  }

  override on(event: string | symbol, listener: Listener): this {
    // If somebody listens to keys, readline listens to the data.
    if (this.#depth > 0) this.#readlines.add(listener);
    this.#nested(() => super.on(event, listener));
    this.#schedule();
    return this;
  }

  override addListener(event: string | symbol, listener: Listener): this {
    return this.on(event, listener);
  }

  /**
   * Whether the last reader has ended or paused the stream, as readline does. The next reader then gets a new stream,
   * as another program would.
   */
  get isLeft(): boolean {
    return this.destroyed || (this.isPaused() && !this.#isRead());
  }

  override _read(): void {
    this.#wants = true;
    this.#schedule();
  }

  #nested<Result>(add: () => Result): Result {
    this.#depth++;
    try {
      return add();
    } finally {
      this.#depth--;
    }
  }

  #isRead(): boolean {
    if ([...this.#interfaces].some((lines) => lines.listenerCount("line") > 0)) return true;
    const listeners = READERS.flatMap((event) => this.rawListeners(event));
    return listeners.some((listener) => !this.#readlines.has(listener as () => void));
  }

  /**
   * Asks one turn later: the reader that got the last line may stop listening, and a new listener may not have been
   * added yet. The question belongs to the cell of the newest reader: a cell that has ended may have left one behind in
   * this same turn.
   */
  #schedule(): void {
    if (!this.#wants) return;
    clearImmediate(this.#turn);
    this.#turn = setImmediate(() => {
      const isPaused = this.readableFlowing === false && this.listenerCount("readable") === 0;
      if (!isPaused && !this.destroyed && this.#isRead()) this.#pushLine();
    });
  }

  #pushLine(): void {
    let line: string;
    try {
      line = this.#ask();
    } catch (error) {
      const pending = outputCell()?.pendingAwaits ?? new Set();
      if (!isError(error) || error instanceof KeyboardInterrupt || pending.size === 0) throw error;
      // The cell awaits a line that will not come.
      for (const reject of pending) reject(error);
      return;
    }
    this.#wants = false;
    // Programs with menus look for the character that the Enter key sends.
    this.push(this.listenerCount("keypress") > 0 ? `${line}\r` : `${line}\n`);
  }
}

/** @param ask blocks until the front end has answered; throws if the front end takes no input */
export function installStandardInput(ask: Ask): void {
  let input = new CellInput(ask);
  const current = () => (input.isLeft ? (input = new CellInput(ask)) : input);
  Object.defineProperty(process, "stdin", { get: current, configurable: true });

  type Create = (first: unknown, ...rest: unknown[]) => readline.Interface;
  const givesInput =
    (create: Create): Create =>
    (first, ...rest) => {
      const given = isObject(first) && "input" in first ? first.input : first;
      const make = () => create(first, ...rest);
      return given instanceof CellInput ? given.give(make) : make();
    };
  for (const module of [readline, readlinePromises])
    module.createInterface = givesInput(module.createInterface as Create) as never;

  type Question = (this: readline.Interface, query: string, ...rest: unknown[]) => unknown;
  const reads = (lines: readline.Interface & { readonly closed?: boolean }) =>
    !lines.closed && (lines as { input?: unknown }).input instanceof CellInput;
  const answersCallback = readline.Interface.prototype.question as Question;
  const answersPromise = readlinePromises.Interface.prototype.question as Question;
  function question(this: readline.Interface, query: string, ...rest: unknown[]): unknown {
    if (!reads(this)) return answersCallback.call(this, query, ...rest);
    return (rest.at(-1) as (answer: string) => void)(ask(query));
  }
  async function questionPromise(this: readline.Interface, query: string, ...rest: unknown[]) {
    return reads(this) ? ask(query) : answersPromise.call(this, query, ...rest);
  }
  Object.defineProperty(question, promisify.custom, { value: questionPromise });
  readline.Interface.prototype.question = question as never;
  readlinePromises.Interface.prototype.question = questionPromise as never;
  syncBuiltinESMExports();
}
