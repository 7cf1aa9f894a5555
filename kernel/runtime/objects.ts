// What is an object to the language: has an identity and can be held weakly. A leaf.

/** Functions and classes are objects too. */
export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
