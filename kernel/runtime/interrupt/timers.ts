// Ends code that an interrupted cell has left behind and that a timer resumes: a package's helper that tries again, a
// loop that sleeps. While a timer of such a cell and the promises that it settles run, the checks of the cell's code
// throw, and its awaits never end. A package's own timers, such as a connection's, run undisturbed. It must be imported
// before `replaced_builtins.ts` keeps the originals.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timerPromises from "node:timers/promises";
import { promisify } from "node:util";
import { type Cell, owningCell } from "../cells.ts";

type SetTimer = (callback: (...given: unknown[]) => unknown, ...rest: unknown[]) => NodeJS.Timeout;

/**
 * How often code is stopped in one turn of the event loop: code that calls itself again at once could never be left.
 */
const MAX_STRIKES = 1000;
/**
 * The number of promise jobs that `fetch` or a sleep takes to reject its promise, and the rejection to call its
 * handler.
 */
const JOBS_OF_ABORT = 5;

const { apply } = Reflect;
const { setImmediate: originalSetImmediate } = globalThis;
const interruptions = new WeakSet<object>();
let turns = 0;
/** How many interrupted cells have just ended. */
let ends = 0;
let strikes = 0;
let stop: () => void = () => {};

export const timersOfStopped = {
  /** @param given makes the checks of cells look */
  onRun(given: () => void): void {
    stop = given;
  },

  areRunning: (): boolean => turns > 0 || ends > 0,

  /** Stops code that would go on at once in a promise job, too. Handlers of the cell's AbortSignal run first. */
  async cellEnds(): Promise<void> {
    ends += 1;
    for (let job = 0; job < JOBS_OF_ABORT; job++) await Promise.resolve();
    ends -= 1;
    turnBegins();
  },

  /** Whether code of the cell must be stopped here. */
  mustEnd(cell: Cell | null): boolean {
    if (turns === 0 || !cell?.isStopped) return false;
    strikes += 1;
    return strikes <= MAX_STRIKES;
  },

  /** Records an interruption that need not be reported: its cell has reported the interrupt already. */
  threw(interruption: Error): Error {
    interruptions.add(interruption);
    return interruption;
  },

  hasThrown: (error: unknown): boolean =>
    typeof error === "object" && error !== null && interruptions.has(error),
};

function turnBegins(): void {
  turns += 1;
  stop();
  // By then the promises that the timer has settled have run their handlers.
  originalSetImmediate(() => {
    turns -= 1;
    strikes = 0;
  });
}

function ofCell(callback: unknown, clears: boolean): unknown {
  const cell = owningCell();
  if (cell === null || typeof callback !== "function") return callback;
  return function (this: NodeJS.Timeout, ...given: unknown[]): unknown {
    if (!cell.isStopped) return apply(callback, this, given);
    turnBegins();
    try {
      return apply(callback, this, given);
    } catch (error) {
      if (!timersOfStopped.hasThrown(error)) throw error;
      if (clears) clearInterval(this);
      return undefined;
    }
  };
}

/** `await setTimeout(10)` of node:timers/promises, and of `promisify`. */
function laterOfCell<Given extends readonly unknown[]>(
  original: (...given: Given) => Promise<unknown>,
): (...given: Given) => Promise<unknown> {
  const replacement = (...given: Given): Promise<unknown> => {
    const cell = owningCell();
    return original(...given).then((value) => {
      if (cell?.isStopped) turnBegins();
      return value;
    });
  };
  return named(replacement, original);
}

function named<Replacement extends object>(replacement: Replacement, original: object): Replacement {
  const { name, length } = original as () => void;
  return Object.defineProperties(replacement, { name: { value: name }, length: { value: length } });
}

function replace(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { ...Object.getOwnPropertyDescriptor(holder, name), value });
}

const later = timerPromises as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
for (const name of ["setTimeout", "setImmediate"] as const) replace(later, name, laterOfCell(later[name]!));
for (const name of ["setTimeout", "setInterval", "setImmediate"] as const) {
  const original = globalThis[name] as unknown as SetTimer;
  const replacement: SetTimer = (callback, ...rest) =>
    original(ofCell(callback, name === "setInterval") as typeof callback, ...rest);
  named(replacement, original);
  if (name !== "setInterval")
    Object.defineProperty(replacement, promisify.custom, { value: later[name], enumerable: true });
  for (const holder of [globalThis, timers]) replace(holder, name, replacement);
}
syncBuiltinESMExports();
