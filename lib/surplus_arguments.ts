// Throws the error for a call with more arguments than its function takes, where types are not checked: `x.sum(0, 1)`
// would sum over one dimension, and `[a, b].map(torch.relu)` passes three. libtorch's operators, and the handwritten
// functions beside them, call it. For other functions TypeScript refuses the call, and JavaScript ignores surplus
// arguments.

/**
 * `torch.tensor takes at most 2 arguments (values, options); 3 were given.`
 *
 * @param parameters the names of its parameters; none for a generated operator
 */
export function tooManyArguments(call: string, max: number, given: number, parameters?: string): TypeError {
  const taken = max === 0 ? "no arguments" : `at most ${max} argument${max === 1 ? "" : "s"}`;
  const which = parameters === undefined ? ", its options included" : parameters && ` (${parameters})`;
  return new TypeError(`${call} takes ${taken}${which}; ${given} ${given === 1 ? "was" : "were"} given.`);
}

/**
 * Whether `[a, b].map(layer)` or a similar method makes the call, which passes an element, its index and the array.
 * Then a function that takes one argument gets only the element, as from Python's `map`.
 */
export function isArrayCallback(given: ArrayLike<unknown>): boolean {
  const [value, index, array] = Array.from(given);
  return given.length === 3 && typeof index === "number" && Array.isArray(array) && array[index] === value;
}
