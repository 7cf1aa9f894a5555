// Reads which objects are inside a value, in pieces, so that a search can stop between pieces or turn to another value.
// Runs none of the user's code: no accessor, no proxy trap, no iterator of a subclass. Knows nothing of tensors.
import { types } from "node:util";
import { isPlainObject } from "../../plain_object.ts";

/** The most objects that one piece returns, and the most values that it looks at. */
const MAX_OBJECTS = 256;
const MAX_VALUES = 4096;

/** Arrays longer than this are read by index; their named properties are not seen. */
export const LONG_ARRAY = 1024;
/** An array longer than this that consists mostly of holes is read by its keys. */
const LONG_SPARSE = 2 ** 20;
const PROBES = 16;

/** Receives a member and the key of its path. For a key of a Map, which is itself a member, the key is undefined. */
export type Take = (key: unknown, member: object) => void;

export interface Members {
  /** How many values have not been looked at. */
  left(): number;
  /** Reads one piece. @returns how many values it looked at */
  read(take: Take): number;
}

export const isObject = (value: unknown): value is object =>
  typeof value === "object" ? value !== null : typeof value === "function";

/**
 * Null for a value without members to search: a proxy, which may be anything, numbers in a buffer, a boxed primitive.
 */
export function membersOf(value: object): Members | null {
  if (types.isProxy(value)) return null;
  if (Array.isArray(value)) return value.length > LONG_ARRAY ? longArray(value) : properties(value);
  if (isPlainObject(value)) return properties(value);
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) || types.isBoxedPrimitive(value))
    return null;
  if (types.isMap(value)) return inTurn(entriesOf.call(value), sizeOfMap.call(value), properties(value));
  if (types.isSet(value)) return inTurn(valuesOf.call(value), sizeOfSet.call(value), properties(value));
  return properties(value);
}

const entriesOf = Map.prototype.entries as (this: object) => Iterator<readonly [unknown, unknown]>;
const valuesOf = Set.prototype.values as (this: object) => Iterator<unknown>;
const sizeOf = (prototype: object): ((this: object) => number) =>
  Object.getOwnPropertyDescriptor(prototype, "size")?.get as (this: object) => number;
const sizeOfMap = sizeOf(Map.prototype);
const sizeOfSet = sizeOf(Set.prototype);

/**
 * Numbers, strings and booleans are skipped quickly: 10 million take 10 ms. The array is read from its end, where the
 * latest elements are.
 */
function longArray(values: readonly unknown[]): Members {
  if (values.length > LONG_SPARSE && isSparse(values)) return properties(values);
  let end = values.length;
  return {
    left: () => end,
    read(take) {
      const from = end;
      const to = Math.max(0, end - MAX_VALUES);
      // Only two elements are tested: libraries that watch arrays give accessors to all elements.
      const isData = !hasAccessor(values, to) && !hasAccessor(values, from - 1);
      for (let objects = 0; end > to && objects < MAX_OBJECTS; end--) {
        const member = isData ? values[end - 1] : dataOf(values, end - 1);
        if (!isObject(member)) continue;
        take(end - 1, member);
        objects++;
      }
      return from - end;
    },
  };
}

function isSparse(values: readonly unknown[]): boolean {
  const step = Math.floor(values.length / PROBES);
  return (
    Array.from({ length: PROBES }, (_, probe) => Object.hasOwn(values, probe * step)).filter(Boolean).length <
    2
  );
}

const hasAccessor = (value: object, key: PropertyKey): boolean =>
  Object.getOwnPropertyDescriptor(value, key)?.get !== undefined;

function dataOf(value: object, key: PropertyKey): unknown {
  try {
    return Object.getOwnPropertyDescriptor(value, key)?.value;
  } catch {
    // A module that exports it has not run its declaration yet.
    return undefined;
  }
}

/**
 * For objects with many keys. V8 lists them all at once, a million in 0.3 to 0.6 s, and nothing can stop it meanwhile.
 */
const keyCounts = new WeakMap<object, number>();
const MANY_KEYS = 20_000;
const KEYS_PER_MS = 2_000;

/** How long listing the keys of the value would take. Null if it was not done before, or is quick. */
export function listedBefore(value: object): { readonly count: number; readonly ms: number } | null {
  const count = keyCounts.get(value);
  return count === undefined ? null : { count, ms: count / KEYS_PER_MS };
}

function properties(value: object): Members {
  let keys: readonly PropertyKey[] = Object.keys(value);
  if (keys.length >= MANY_KEYS) keyCounts.set(value, keys.length);
  // Lists symbols and non-enumerable keys too, which takes twice the time.
  else keys = Reflect.ownKeys(value);
  let at = 0;
  return {
    left: () => keys.length - at,
    read(take) {
      const begin = at;
      const end = Math.min(keys.length, at + MAX_OBJECTS);
      for (; at < end; at++) {
        const key = keys[at] as PropertyKey;
        // The prototype of a function is created when it is asked for; it holds the methods of a class.
        if (key === "prototype" && typeof value === "function") continue;
        const member = dataOf(value, key);
        if (isObject(member)) take(key, member);
      }
      return at - begin;
    },
  };
}

/** The entries of a Map or the values of a Set, then their named properties. */
function inTurn(entries: Iterator<unknown>, size: number, named: Members): Members {
  let left = size;
  const isMap = types.isMapIterator(entries);
  return {
    left: () => left + named.left(),
    read(take) {
      if (left <= 0) return named.read(take);
      let read = 0;
      for (; read < MAX_OBJECTS && left > 0; read++, left--) {
        const entry = entries.next().value;
        if (isMap) {
          // By index, because destructuring a pair takes ten times as long.
          const pair = entry as readonly [unknown, unknown];
          const key = pair[0];
          const member = pair[1];
          if (isObject(key)) take(undefined, key);
          if (isObject(member)) take(key, member);
        } else if (isObject(entry)) take(undefined, entry);
      }
      return read;
    },
  };
}
