// Replaces `console`, `process.stdout` and `process.stderr` of the session, so that output goes to the cell whose code
// wrote it. V8's console is replaced because it keeps the last 1,000 argument lists alive, tensors included.
import { Console } from "node:console";
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { inspect, types } from "node:util";
import { type Cell, outputCell, owningCell } from "../cells.ts";
import { reportText } from "./report.ts";

/**
 * What `inspect` prints with `colors`: weight, and no colour, of which none has a contrast of 4.5 on JupyterLab's white and on its
 * black page (the yellow of numbers has 1.9 on white). Kinds that are not named stay plain: texts have quotes.
 */
const STYLES = {
  number: "bold",
  bigint: "bold",
  boolean: "bold",
  null: "bold",
  date: "bold",
  module: "underline",
};

const PRINTING = ["log", "info", "debug", "warn", "error", "trace"] as const;

/**
 * It is a Writable only by type: `write` goes straight to the report. Writable's own `write` would remember a call that
 * never returned (because V8 unwound it from outside, or the report threw), and hold back all later ones for good.
 */
export class CellStream extends Writable {
  /**
   * The descriptors of Node's own streams. Some packages write to the descriptor itself, and that output is captured
   * too.
   */
  readonly fd: number;
  readonly #name: "stdout" | "stderr";
  readonly #decoder = new StringDecoder("utf8");

  constructor(name: "stdout" | "stderr") {
    super({ decodeStrings: false, autoDestroy: false, emitClose: false });
    this.#name = name;
    this.fd = name === "stdout" ? 1 : 2;
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    this.#print(chunk);
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") process.nextTick(done as () => void, null);
    return true;
  }

  /** Writes a line for a cell, and uses nothing that the cell can replace. */
  writeLine(line: string, cell: Cell): void {
    reportText(cell.id, this.#name, `${line}\n`);
  }

  /** The stream stays open after `end`, as Node's own streams do: later cells print here too. */
  override end(...given: unknown[]): this {
    const done = given.findLast((value) => typeof value === "function");
    const [chunk] = given;
    if (chunk !== undefined && chunk !== null && chunk !== done) this.write(chunk);
    process.nextTick(() => {
      this.emit("finish");
      if (done !== undefined) (done as () => void)();
    });
    return this;
  }

  override destroy(): this {
    return this;
  }

  #print(chunk: unknown): void {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
      throw new TypeError(
        `process.${this.#name}.write takes text or bytes, not ${inspect(chunk)}: use console.log.`,
      );
    }
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk as Buffer);
    const cell = outputCell();
    if (text !== "" && cell !== null) reportText(cell.id, this.#name, text);
  }
}

/**
 * @returns a function that closes open groups and restores what a cell has replaced; it returns the names of the latter
 */
export function installConsole(): () => string[] {
  const stdout = new CellStream("stdout");
  const stderr = new CellStream("stderr");
  inspect.styles = STYLES as Partial<typeof inspect.styles> as typeof inspect.styles;
  const own = new Console({ stdout, stderr, colorMode: false });
  const isStyled = !process.env["NO_COLOR"];
  const depth = countGroups(own);
  for (const method of PRINTING) {
    const print = printing(own[method].bind(own), isStyled);
    const stream = method === "warn" || method === "error" ? stderr : stdout;
    own[method] = method === "trace" ? (...values) => print(values) : linesAtOnce(stream, depth, print);
  }
  const kept: [owner: object, prefix: string, properties: PropertyDescriptorMap][] = [
    [globalThis, "", { console: { value: own, writable: true, configurable: true } }],
    [process, "process.", { stdout: fixed(stdout), stderr: fixed(stderr) }],
    [own, "console.", Object.getOwnPropertyDescriptors(own)],
    [stdout, "process.stdout.", writing(stdout)],
    [stderr, "process.stderr.", writing(stderr)],
  ];
  for (const [owner, , properties] of kept) Object.defineProperties(owner, properties);
  return () => {
    while (depth.groups > 0) own.groupEnd();
    return kept.flatMap(([owner, prefix, properties]) => {
      const replaced = Object.keys(properties).filter(
        (name) => Object.getOwnPropertyDescriptor(owner, name)?.value !== properties[name]?.value,
      );
      for (const name of replaced) Object.defineProperty(owner, name, properties[name]!);
      return replaced.map((name) => prefix + name);
    });
  };
}

const fixed = (value: unknown): PropertyDescriptor => ({ value, configurable: true });

/** The members that programs replace in order to collect what is printed. */
const writing = ({ write, end }: CellStream): PropertyDescriptorMap => ({
  write: { value: write, writable: true, configurable: true },
  end: { value: end, writable: true, configurable: true },
});

/** Prints a single string outside of groups as it is, without formatting: a loop may print 20,000 of them. */
function linesAtOnce(
  stream: CellStream,
  depth: { readonly groups: number },
  print: (values: unknown[]) => void,
): (...values: unknown[]) => void {
  return (...values) => {
    const line = values[0];
    const cell = typeof line === "string" && values.length === 1 && depth.groups === 0 ? owningCell() : null;
    if (cell === null) print(values);
    else stream.writeLine(line as string, cell);
  };
}

/** Counts the open groups of the console, whose lines are indented. */
function countGroups(target: Console): { readonly groups: number } {
  const depth = { groups: 0 };
  const { group, groupEnd } = target;
  target.group = target.groupCollapsed = (...label) => {
    group.apply(target, label);
    depth.groups += 1;
  };
  target.groupEnd = () => {
    groupEnd.call(target);
    depth.groups = Math.max(0, depth.groups - 1);
  };
  return depth;
}

/** Prints objects with weight, as a terminal does with colour. Text and numbers stay plain, so that they can be searched with grep. */
function printing(plain: (...values: unknown[]) => void, isStyled: boolean): (values: unknown[]) => void {
  return (values) => {
    const first = values[0];
    // A format string controls how its arguments look.
    if (!isStyled || (typeof first === "string" && first.includes("%"))) plain(...values);
    else plain(...values.map((value) => (hasStyle(value) ? inspect(value, { colors: true }) : value)));
  };
}

function hasStyle(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  // `instanceof` would run a proxy's trap.
  return types.isProxy(value) || !(value instanceof Error);
}
