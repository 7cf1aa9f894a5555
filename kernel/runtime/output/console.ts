// Replaces `console`, `process.stdout` and `process.stderr` of the session, so that output goes to the cell whose code
// wrote it. V8's console is replaced because it keeps the last 1,000 argument lists alive, tensors included.
import { Console } from "node:console";
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { inspect, types } from "node:util";
import { type Cell, outputCell, owningCell } from "../cells.ts";
import { withOriginalBuiltinsForPrinting } from "../primordials.ts";
import { reportText } from "./report.ts";

const PRINTING = ["log", "info", "debug", "warn", "error", "trace"] as const;

/**
 * A Writable by its type only: `write` goes straight to the report. Writable's own would remember a write that never
 * came back (V8 unwound it from outside, or the report threw) and hold back all later ones for good.
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
    withOriginalBuiltinsForPrinting(() => this.#print(chunk));
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") process.nextTick(done as () => void, null);
    return true;
  }

  /** The same for a line of a cell, with nothing of ours that the cell can replace. */
  writeLine(line: string, cell: Cell): void {
    reportText(cell.id, this.#name, `${line}\n`);
  }

  /** Later cells print here too: what a package pipes into it, or ends, leaves it open, as Node leaves its own. */
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

/** @returns undoes what a cell has left: open groups, and what it replaced, of which it returns the names */
export function installConsole(): () => string[] {
  const stdout = new CellStream("stdout");
  const stderr = new CellStream("stderr");
  const own = new Console({ stdout, stderr, colorMode: false });
  const colours = !process.env["NO_COLOR"];
  const depth = countGroups(own);
  for (const method of PRINTING) {
    const print = printing(own[method].bind(own), colours);
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

/** What programs replace that gather what is printed. */
const writing = ({ write, end }: CellStream): PropertyDescriptorMap => ({
  write: { value: write, writable: true, configurable: true },
  end: { value: end, writable: true, configurable: true },
});

/** One text alone is a line as it is, outside of groups: 20,000 of them are not formatted one by one. */
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

/** How many groups of the console are open: their lines are indented. */
function countGroups(target: Console): { readonly groups: number } {
  const depth = { groups: 0 };
  const { group, groupEnd } = target;
  target.group = target.groupCollapsed = (...label) => {
    withOriginalBuiltinsForPrinting(() => group.apply(target, label));
    depth.groups += 1;
  };
  target.groupEnd = () => {
    withOriginalBuiltinsForPrinting(() => groupEnd.call(target));
    depth.groups = Math.max(0, depth.groups - 1);
  };
  return depth;
}

/** Objects in colour, as in a terminal; text and numbers plain, so that what programs print stays greppable. */
function printing(plain: (...values: unknown[]) => void, colours: boolean): (values: unknown[]) => void {
  const print = (values: unknown[]): void => {
    const first = values[0];
    // A format string decides itself how its arguments look.
    if (!colours || (typeof first === "string" && first.includes("%"))) plain(...values);
    else plain(...values.map((value) => (hasColour(value) ? inspect(value, { colors: true }) : value)));
  };
  return (values) => withOriginalBuiltinsForPrinting(() => print(values));
}

function hasColour(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  // `instanceof` would run a trap.
  return types.isProxy(value) || !(value instanceof Error);
}
