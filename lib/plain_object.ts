// Plain objects: those that are nothing but the values of their names. A record of a table is one, although reading a name that
// it has not is an error.

/** Marks the prototype of records. `Symbol.for`, because a cell and the kernel may have two copies of this file. */
const RECORD = Symbol.for("mpslab.record");
/** What JSON and promises ask of every object. */
const ASKED_OF_ANY: ReadonlySet<string> = new Set(["toJSON", "then"]);

/** Whether an object has no class of its own. Must not be called with a proxy, whose traps it would run. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || RECORD in (prototype as object);
}

/**
 * The prototype of records of which no unknown name may be read: JavaScript gives undefined, with which each comparison is
 * false. It is the prototype that is a proxy, so that the names which a record has cost nothing, and it can be cloned.
 *
 * @param refuse throws the error for a name
 */
export function recordPrototype(refuse: (name: string) => never): object {
  return new Proxy(
    { [RECORD]: true },
    {
      get: (own, name) => {
        if (typeof name === "string" && !(name in own) && !ASKED_OF_ANY.has(name)) refuse(name);
        return Reflect.get(own, name) as unknown;
      },
    },
  );
}
