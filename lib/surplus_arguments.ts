// What a call is told that has more arguments than its function has parameters. Set-up puts the question into every
// public function (`native/codegen/argument_counts.ts`), with the names that its declaration has.

/**
 * `nn.init.zeros_ takes at most 1 argument (tensor); 3 were given.`
 *
 * @param parameters the names of those that it takes; without them it is a generated operator
 */
export function tooManyArguments(call: string, most: number, given: number, parameters?: string): TypeError {
  const taken = most === 0 ? "no arguments" : `at most ${most} argument${most === 1 ? "" : "s"}`;
  const which = parameters === undefined ? ", its options included" : parameters && ` (${parameters})`;
  return new TypeError(`${call} takes ${taken}${which}; ${given} ${given === 1 ? "was" : "were"} given.`);
}

/**
 * Whether `[a, b].map(layer)` and its like call, which give an element, its place and the array: what takes one argument is
 * given one by it, as by Python's `map`.
 */
export function isArrayCallback(given: ArrayLike<unknown>): boolean {
  const [value, index, array] = Array.from(given);
  return given.length === 3 && typeof index === "number" && Array.isArray(array) && array[index] === value;
}

/** `Adam.step`: by the class of the object, where the method may have been written for many. */
export function methodName(self: unknown, method: string): string {
  const name = (self as { constructor?: { name?: unknown } } | null | undefined)?.constructor?.name;
  return typeof name === "string" && name !== "" ? `${name}.${method}` : method;
}
