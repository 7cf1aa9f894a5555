// Keeps the language's built-ins as they were when the session began. What a cell has replaced applies while code of
// cells runs; the session's own code runs with the originals:
//
//     JSON.stringify = () => "mine";  ->  cells print "mine", and reports to the kernel are unchanged
//
// A cell's replacements apply while it evaluates and in its awaits. `withOriginalBuiltins` installs the originals while
// the session's own code runs within an evaluation. `withUserBuiltins` installs the replacements while the session's
// own code calls the user's. Added properties stay, except keys of `Object.prototype`, which every object of the
// session would inherit. Code in this file must not use the built-ins that it guards.
//
// Node solves the same problem by using no prototype methods in its own modules. Here that would have to hold for all
// files of the runtime, and for every package that they use.

import "./function_text.ts";
import "./interrupt/timers.ts";

interface Original {
  readonly holder: object;
  readonly key: string | symbol;
  readonly descriptor: PropertyDescriptor;
}

/** A cell's replacement of a built-in. The descriptor is undefined if the cell deleted it. */
interface Replacement {
  readonly holder: object;
  readonly key: string | symbol;
  readonly descriptor: PropertyDescriptor | undefined;
  /** Undefined for a key that the cell has added. */
  readonly original: PropertyDescriptor | undefined;
}

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const prototypeOf = Object.getPrototypeOf as (value: object) => object;
const objectPrototype = Object.prototype;
const functionPrototype: object = Function.prototype;
const arrayPrototype: { readonly toJSON?: unknown } = Array.prototype as object;

/**
 * Objects whose functions are guarded. `Math` and `Date` are left out, because the session does not use them in ways
 * that a replacement breaks.
 */
const HOLDERS: readonly object[] = [
  ...[
    Object,
    Function,
    Array,
    String,
    Number,
    RegExp,
    Map,
    Set,
    WeakMap,
    WeakSet,
    WeakRef,
    Promise,
    Error,
    AbortController,
  ].flatMap((constructor) => [constructor, constructor.prototype as object]),
  ...[Symbol.prototype, prototypeOf(Uint8Array), prototypeOf(Uint8Array.prototype), Buffer, Buffer.prototype],
  ...[[].values(), new Map().values(), new Set().values(), "".matchAll(/a/g)].map(prototypeOf),
  ...[prototypeOf(prototypeOf([].values())), prototypeOf(prototypeOf(function* () {}.prototype as object))],
  ...[JSON, Reflect, Atomics],
];
const GLOBALS =
  `Array Atomics Buffer Error JSON Map Number Object Promise Reflect RegExp Set String Symbol TypeError
  URL WeakMap WeakRef WeakSet AbortController performance process queueMicrotask setImmediate setTimeout`.split(
    /\s+/,
  );
/** If a cell adds one of these keys to every object, Node can no longer talk to the inspector. */
const FORBIDDEN_KEYS = new Set<string | symbol>(
  "configurable enumerable error get id method params result set then toJSON value writable".split(" "),
);
const isForbidden = FORBIDDEN_KEYS.has.bind(FORBIDDEN_KEYS);
/** Node and the session set these keys themselves. */
const IGNORED_KEYS = new Set<string | symbol>(["prepareStackTrace", "stackTraceLimit"]);

const originals: readonly Original[] = [
  ...HOLDERS.flatMap((holder) => ownKeys(holder).map((key) => originalOf(holder, key))).filter(
    (original) => original !== null,
  ),
  ...GLOBALS.map(originalGlobal),
];
const objectKeys = ownKeys(objectPrototype);
const isChanged = comparison();

let userBuiltinsAreActive = false;
let evaluations = 0;
/** The cells' replacements, kept here while the originals are installed. */
let setAside: readonly Replacement[] = [];

/** Runs the session's own code with the originals. */
export function withOriginalBuiltins<Result>(work: () => Result): Result {
  return runWithOriginals(work, hasChanged);
}

/**
 * The same for printing, where time matters. Keys that a cell has added to `Object.prototype` stay unless they break
 * Node, because comparing all of them takes 0.3 us, as long as printing a line.
 */
export function withOriginalBuiltinsForPrinting<Result>(work: () => Result): Result {
  return runWithOriginals(work, isChangedOrThrows);
}

function runWithOriginals<Result>(work: () => Result, changed: () => boolean): Result {
  if (!userBuiltinsAreActive) return work();
  installOriginals(changed);
  try {
    return work();
  } finally {
    installReplacements();
  }
}

/** Runs the user's code with the cells' replacements, when the session's own code calls it. */
export function withUserBuiltins<Result>(work: () => Result): Result {
  if (userBuiltinsAreActive) return work();
  installReplacements();
  try {
    return work();
  } finally {
    installOriginals();
  }
}

/**
 * Which built-ins are installed. Code that may be ended in the middle of the functions above restores them with
 * `withBuiltinsOf`.
 */
export const builtinsOf = (): "user" | "session" => (userBuiltinsAreActive ? "user" : "session");

/** Installs the built-ins of that owner again. */
export function withBuiltinsOf(owner: "user" | "session"): void {
  if (owner === builtinsOf()) return;
  if (owner === "user") installReplacements();
  else installOriginals();
}

/** Notes that code of cells may run at any time from now on. Each call needs one call of `evaluationEnds`. */
export function evaluationBegins(): void {
  evaluations += 1;
  if (!userBuiltinsAreActive) installReplacements();
}

export function evaluationEnds(): void {
  evaluations -= 1;
  if (evaluations === 0 && userBuiltinsAreActive) installOriginals();
}

function installOriginals(changed: () => boolean = hasChanged): void {
  userBuiltinsAreActive = false;
  if (!changed()) return;
  const found = replacements();
  setAside = found;
  for (let i = 0; i < found.length; i += 1) {
    const { holder, key, original } = found[i] as Replacement;
    if (original === undefined) deleteProperty(holder, key);
    else defineProperty(holder, key, original);
  }
}

function installReplacements(): void {
  const given = setAside;
  setAside = [];
  for (let i = 0; i < given.length; i += 1) {
    const replacement = given[i] as Replacement;
    const { holder, key, descriptor } = replacement;
    if (descriptor === undefined) deleteProperty(holder, key);
    else if (!breaksNode(replacement)) defineProperty(holder, key, descriptor);
  }
  userBuiltinsAreActive = true;
}

/** Whether the replacement makes Node's own code fail at every event. Such a replacement is not installed again. */
function breaksNode({ holder, key, original }: Replacement): boolean {
  return original === undefined ? isForbidden(key) : holder === functionPrototype && key === "apply";
}

function hasChanged(): boolean {
  return isChangedOrThrows() || ownKeys(objectPrototype).length !== objectKeys.length;
}

function isChangedOrThrows(): boolean {
  try {
    return isChanged();
  } catch {
    return true; // A cell has put a getter there that throws.
  }
}

function replacements(): Replacement[] {
  const found: Replacement[] = [];
  const note = (holder: object, key: string | symbol, original: PropertyDescriptor | undefined): void => {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined && descriptor.value === original?.value && original !== undefined) return;
    // Not `push`, which the cell may have replaced.
    found[found.length] = { holder, key, descriptor: descriptor && plain(descriptor), original };
  };
  for (let i = 0; i < originals.length; i += 1) {
    const { holder, key, descriptor } = originals[i] as Original;
    note(holder, key, descriptor);
  }
  const keys = ownKeys(objectPrototype);
  for (let i = 0; i < keys.length; i += 1) {
    if (!isOriginalKey(keys[i] as string | symbol))
      note(objectPrototype, keys[i] as string | symbol, undefined);
  }
  if (getOwnPropertyDescriptor(arrayPrototype, "toJSON") !== undefined)
    note(arrayPrototype, "toJSON", undefined);
  return found;
}

function isOriginalKey(key: string | symbol): boolean {
  for (let i = 0; i < objectKeys.length; i += 1) if (objectKeys[i] === key) return true;
  return false;
}

/** A descriptor that inherits nothing: a cell may have given every object a `get`. */
function plain(descriptor: PropertyDescriptor): PropertyDescriptor {
  return { __proto__: null, ...descriptor } as PropertyDescriptor;
}

/** Null for constants, which cannot be written, and for accessors. */
function originalOf(holder: object, key: string | symbol): Original | null {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  const isGuarded =
    descriptor?.configurable && typeof descriptor.value === "function" && !IGNORED_KEYS.has(key);
  return isGuarded ? { holder, key, descriptor: plain(descriptor) } : null;
}

/** Node defines some globals as accessors that remember what is assigned. */
function originalGlobal(key: string): Original {
  const value = (globalThis as Record<string, unknown>)[key];
  const descriptor = plain({ value, writable: true, configurable: true, enumerable: false });
  return { holder: globalThis, key, descriptor };
}

/**
 * Makes a function that says whether any built-in is not the original, or whether a key was added that breaks Node. The
 * function is one long expression, because V8 folds comparisons of constants: it takes 0.01 to 0.15 us for 400
 * built-ins, where a loop would take 15.
 */
function comparison(): () => boolean {
  const given: unknown[] = [];
  const name = (value: unknown): string => `v${given.push(value) - 1}`;
  const terms = originals.map(({ holder, key, descriptor }) => {
    const property = typeof key === "string" ? JSON.stringify(key) : name(key);
    return `${name(holder)}[${property}] !== ${name(descriptor.value as unknown)}`;
  });
  const plainObject = name({});
  for (const key of FORBIDDEN_KEYS) terms.push(`${plainObject}[${JSON.stringify(key)}] !== undefined`);
  terms.push(`${name(arrayPrototype)}.toJSON !== undefined`);
  const parameters = given.map((_, index) => `v${index}`);
  const make = new Function(...parameters, `return () => ${terms.join(" || ")}`) as (
    ...values: unknown[]
  ) => () => boolean;
  return make(...given);
}
