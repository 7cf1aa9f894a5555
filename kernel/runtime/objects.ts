// Tests whether a value is an object in the language's sense: it has an identity and can be held weakly.

/** Functions and classes are objects too. */
export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
