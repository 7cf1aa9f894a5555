// Puts back the language's built-ins that a cell's own code has replaced, when that code has ended: the session's code
// uses them too. What a module replaces while it loads stays, as polyfills (core-js) and zone.js need it.
//
//     Array.prototype.map = () => [];  ->  this cell maps to nothing; the next one has the original again, with a note
//
// What a cell adds stays, except keys of `Object.prototype`, which every object of the session would inherit. The code
// here uses no method of the built-ins that it looks at.

// They replace built-ins for the session, before the originals are kept here.
import "./function_text.ts";
import "./interrupt/timers.ts";
import { listed } from "../../lib/words.ts";

interface Builtin {
  /** `Array.prototype.map` */
  readonly name: string;
  readonly holder: object;
  readonly key: string | symbol;
  /** Undefined for a key of `Object.prototype` that a cell has added. */
  value: unknown;
}

const { defineProperty, deleteProperty, get, getOwnPropertyDescriptor, ownKeys } = Reflect;

const HOLDERS =
  `Object Function Array String Number RegExp Map Set WeakMap WeakSet WeakRef Promise Error AbortController
  Symbol Buffer JSON Reflect Atomics`.split(/\s+/);
const GLOBALS =
  `Array Atomics Buffer Error JSON Map Number Object Promise Reflect RegExp Set String Symbol TypeError URL
  WeakMap WeakRef WeakSet AbortController performance process queueMicrotask setImmediate setTimeout`.split(
    /\s+/,
  );
/** How many names a note shows. */
const MAX_NAMES = 5;

const builtins: Builtin[] = [
  ...HOLDERS.flatMap((name) => {
    const holder = get(globalThis, name) as { readonly prototype?: object };
    const { prototype } = holder;
    return [...methodsOf(name, holder), ...(prototype ? methodsOf(`${name}.prototype`, prototype) : [])];
  }),
  ...[[], new Map(), new Set()].flatMap((list) => {
    const iterator = Object.getPrototypeOf(list.values()) as object;
    return methodsOf(`${list.constructor.name}'s iterator`, iterator);
  }),
  { name: "performance.now", holder: performance, key: "now", value: performance.now },
  ...GLOBALS.map((key) => ({ name: key, holder: globalThis, key, value: get(globalThis, key) as unknown })),
];
const objectPrototype = Object.prototype;
const objectKeys = ownKeys(objectPrototype);

/** Puts back what the cell's own code has replaced. @returns what to tell about it; null if it has replaced nothing */
export function restoreBuiltins(): string | null {
  const found = replaced();
  if (found.length === 0) return null;
  for (let i = 0; i < found.length; i += 1) {
    const builtin = found[i]!;
    const { holder, key, value } = builtin;
    if (value === undefined) deleteProperty(holder, key);
    else
      defineProperty(holder, key, { __proto__: null, value, writable: true, configurable: true } as object);
    builtin.value = valueIn(builtin); // The cell may have frozen it.
  }
  const names = found.map(({ name }) => name);
  const rest = names.length - MAX_NAMES;
  const [verb, pronoun] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  const shown = listed(rest > 0 ? [...names.slice(0, MAX_NAMES), `${rest} more`] : names);
  return (
    `After this cell, ${shown} ${verb} as before, because mpslab's own code uses ${pronoun} too. ` +
    "To replace a built-in for all cells, do it in a module, and import that."
  );
}

/** What a module replaces while it loads stays. @returns a function to call when it has loaded */
export function keepWhatModuleReplaces(): () => void {
  const before = replaced();
  return () => {
    const found = replaced();
    for (let i = 0; i < found.length; i += 1) {
      const builtin = found[i]!;
      if (isAmong(before, builtin)) continue;
      if (builtin.value === undefined) objectKeys[objectKeys.length] = builtin.key;
      else builtin.value = valueIn(builtin);
    }
  };
}

function replaced(): Builtin[] {
  const found: Builtin[] = [];
  for (let i = 0; i < builtins.length; i += 1) {
    const builtin = builtins[i]!;
    if (valueIn(builtin) !== builtin.value) found[found.length] = builtin;
  }
  const keys = ownKeys(objectPrototype);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i]!;
    let isOwn = false;
    for (let j = 0; j < objectKeys.length; j += 1) if (objectKeys[j] === key) isOwn = true;
    if (!isOwn)
      found[found.length] = { ...named("Object.prototype", key), holder: objectPrototype, value: undefined };
  }
  return found;
}

function valueIn({ holder, key }: Builtin): unknown {
  try {
    return get(holder, key);
  } catch {
    return undefined; // A cell has put a getter there that throws.
  }
}

function isAmong(list: readonly Builtin[], { holder, key }: Builtin): boolean {
  for (let i = 0; i < list.length; i += 1)
    if (list[i]!.holder === holder && list[i]!.key === key) return true;
  return false;
}

/** Constants cannot be replaced; `Error.prepareStackTrace` is there for packages to set. */
function methodsOf(name: string, holder: object): Builtin[] {
  return ownKeys(holder).flatMap((key) => {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    const isMethod =
      descriptor?.configurable && typeof descriptor.value === "function" && key !== "prepareStackTrace";
    return isMethod ? [{ ...named(name, key), holder, value: descriptor.value as unknown }] : [];
  });
}

function named(
  holder: string,
  key: string | symbol,
): { readonly name: string; readonly key: string | symbol } {
  return { name: typeof key === "symbol" ? `${holder}[${key.description ?? ""}]` : `${holder}.${key}`, key };
}
