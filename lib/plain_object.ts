// Plain objects: those that are nothing but the values of their names. A record of a table is one, although reading a name that
// it has not is an error.

/**
 * The prototypes of records, which are found in it without running a proxy's trap. There is one for all copies of this file: the
 * kernel's and the user's.
 */
const PROTOTYPES = ((globalThis as Record<symbol, unknown>)[Symbol.for("mpslab.recordPrototypes")] ??=
  new WeakSet()) as WeakSet<object>;
/** What JSON and promises ask of every object. */
const ASKED_OF_ANY: ReadonlySet<string> = new Set(["toJSON", "then"]);

/** Whether an object has no class of its own. Must not be called with a proxy, whose traps it would run. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || PROTOTYPES.has(prototype as object);
}

/**
 * The prototype of records of which no unknown name may be read: JavaScript gives undefined, with which each comparison is
 * false. It is the prototype that is a proxy, so that the names which a record has cost nothing, and it can be cloned.
 *
 * @param refuse throws the error for a name
 */
export function recordPrototype(refuse: (name: string) => never): object {
  const prototype = new Proxy(
    {},
    {
      get: (own, name) => {
        if (typeof name === "string" && !(name in own) && !ASKED_OF_ANY.has(name)) refuse(name);
        return Reflect.get(own, name) as unknown;
      },
    },
  );
  PROTOTYPES.add(prototype);
  return prototype;
}
