// Plain objects: those that are nothing but the values of their names. A record of a table is one, although reading a name that
// it has not is an error.

/** What JSON and promises ask of every object. */
const ASKED_OF_ANY: ReadonlySet<string> = new Set(["toJSON", "then"]);

/**
 * The prototype of records, of which no unknown name may be read: JavaScript gives undefined, with which each comparison is
 * false. It is the prototype that is a proxy, so that the names which a record has cost nothing, and it can be cloned. There is
 * one for all tables, so that records with the same values are deeply equal, and for all copies of this file: the kernel's
 * and the user's.
 */
export const RECORD_PROTOTYPE = ((globalThis as Record<symbol, unknown>)[
  Symbol.for("mpslab.recordPrototype")
] ??= new Proxy(
  {},
  {
    get: (own, name, record: object) => {
      if (typeof name === "string" && !(name in own) && !ASKED_OF_ANY.has(name))
        throw new RangeError(`record.${name}: ${noColumn(name, Object.keys(record))}`);
      return Reflect.get(own, name) as unknown;
    },
  },
)) as object;

/** Whether an object has no class of its own. Must not be called with a proxy, whose traps it would run. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === RECORD_PROTOTYPE;
}

/** `there is no column "ag"; there are name, age.` */
export function noColumn(name: string, names: readonly string[]): string {
  return `there is no column ${JSON.stringify(name)}; there ${names.length === 0 ? "is none at all" : `are ${names.join(", ")}`}.`;
}
