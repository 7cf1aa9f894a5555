// The functions that a converted cell brings along for Python's collections, itertools, random, math and copy, for zip, for
// sets of tuples and for keyword arguments in a dict. They know nothing of the converter.

export const COLLECTION_HELPERS: Readonly<
  Record<string, { readonly text: string; readonly uses?: readonly string[] }>
> = {
  idOf: {
    text: `
/** A number of the object itself, which all cells know; not the one that id(value) is in Python. */
function idOf(value: object): number {
  const cells = globalThis as { objectIds?: WeakMap<object, number>; objectCount?: number };
  cells.objectIds ??= new WeakMap();
  if (!cells.objectIds.has(value)) cells.objectIds.set(value, (cells.objectCount = (cells.objectCount ?? 0) + 1));
  return cells.objectIds.get(value)!;
}`,
  },
  zip: {
    text: `
/** Pairs of elements, as many as the shortest list has; of an iterator the rest can be read on. */
function zip(...lists: Iterable<any>[]): any[][] {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const rows: any[][] = [];
  for (let row: any[] = []; lists.length > 0; rows.push(row), row = [])
    for (const iterator of iterators) {
      const { done, value } = iterator.next();
      if (done) return rows;
      row.push(value);
    }
  return rows;
}`,
  },
  optionsOf: {
    text: `
/** Keyword arguments under the names that options have here: batch_size is batchSize. */
function optionsOf(given: Record<string, any>): Record<string, any> {
  const named = (name: string) => name.replace(/(?<=[^_])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [named(name), value]));
}`,
  },
  copyOfOptimizer: {
    text: `
/** The same optimizer, with the same state, of copies of what it trains. */
function copyOfOptimizer(value: any, copied: (one: any) => any): any {
  const copy = new value.constructor(
    value.paramGroups.map((group: any) => ({ ...group, params: group.params.map(copied) })),
  );
  copy.loadStateDict(value.stateDict());
  return copy;
}`,
  },
  deepCopy: {
    uses: ["copyOfOptimizer"],
    text: `
/** A copy of a value with copies of all inside, as copy.deepcopy makes it: what is there twice is copied once. */
function deepCopy(value: any, copies: Map<any, any> = new Map()): any {
  if (copies.has(value)) return copies.get(value);
  const noted = <Copy>(copy: Copy): Copy => (copies.set(value, copy), copy);
  if (typeof value?.stateDict === "function" && typeof value.modules === "function") {
    const copy = value.clone();
    const partsOf = (one: any) => [...one.modules(), ...one.parameters(), ...one.buffers()];
    const parts = partsOf(copy);
    for (const [at, part] of partsOf(value).entries()) {
      if (copies.has(part)) throw new TypeError("A part of the module is copied already: copy what holds all of it first.");
      copies.set(part, parts[at]);
    }
    return copy;
  }
  if (value === null || typeof value !== "object") return value;
  if (typeof value.zeroGrad === "function" && Array.isArray(value.paramGroups))
    return noted(copyOfOptimizer(value, (one) => deepCopy(one, copies)));
  if (typeof value.setAt === "function") return noted(value.detach().clone().requiresGrad_(value.requiresGrad));
  if (Array.isArray(value)) {
    const list: any[] = noted([]);
    for (const one of value) list.push(deepCopy(one, copies));
    return list;
  }
  if (value instanceof Set) {
    const set = noted(new Set<any>());
    for (const one of value) set.add(deepCopy(one, copies));
    return set;
  }
  if (value instanceof Map) {
    const map = noted(new Map<any, any>());
    for (const [key, one] of value) map.set(key, deepCopy(one, copies));
    return map;
  }
  const object = noted(Object.create(Object.getPrototypeOf(value)));
  for (const [key, one] of Object.entries(value)) object[key] = deepCopy(one, copies);
  return object;
}`,
  },
  setOf: {
    text: `
/** A set that takes lists of equal elements for one, as Python does with tuples. */
function setOf(values: Iterable<any> = []): Set<any> {
  const lists = new Map<string, any>();
  const known = (value: any): any => (Array.isArray(value) ? (lists.get(JSON.stringify(value)) ?? value) : value);
  const set = new Set<any>();
  const { add, has, delete: remove } = Set.prototype;
  Object.defineProperties(set, {
    add: {
      value(value: any) {
        if (Array.isArray(value) && known(value) === value) lists.set(JSON.stringify(value), value);
        return add.call(set, known(value));
      },
    },
    has: { value: (value: any) => has.call(set, known(value)) },
    delete: { value: (value: any) => remove.call(set, known(value)) },
  });
  for (const value of values) set.add(value);
  return set;
}`,
  },
  sortOf: {
    uses: ["orderOf"],
    text: `
/** What of.sort() does in Python: a list in place, in the order of its elements; a tensor gives values and indices. */
function sortOf(of: any): any {
  if (!Array.isArray(of)) return of.sort();
  of.sort(orderOf);
  return null;
}`,
  },
  dequeOf: {
    text: `
/** Python's deque of at most so many elements: what is added at one end takes from the other. */
function dequeOf(values: Iterable<any>, maxLength: number): any[] {
  const deque: any[] = [];
  const add = (method: "push" | "unshift", drop: "shift" | "pop") => (...added: any[]) => {
    for (const one of added) {
      Array.prototype[method].call(deque, one);
      if (deque.length > maxLength) deque[drop]();
    }
    return deque.length;
  };
  Object.defineProperties(deque, {
    push: { value: add("push", "shift") },
    unshift: { value: add("unshift", "pop") },
  });
  deque.push(...values);
  return deque;
}`,
  },
  namedTuple: {
    text: `
/** Python's namedtuple: a list whose elements have names too. */
function namedTuple(name: string, fields: string[]): (...values: any[]) => any {
  return (...values) => {
    if (values.length !== fields.length)
      throw new TypeError(\`\${name} takes \${fields.length} values, got \${values.length}.\`);
    fields.forEach((field, at) => Object.defineProperty(values, field, { value: values[at] }));
    return values;
  };
}`,
  },
  productOf: {
    text: `
/** All rows with one element of each list, the last list's element changing first. */
function productOf(...lists: Iterable<any>[]): any[][] {
  return lists.reduce<any[][]>((rows, list) => {
    const values = [...list];
    return rows.flatMap((row) => values.map((value) => [...row, value]));
  }, [[]]);
}`,
  },
  combinationsOf: {
    text: `
/** All choices of so many elements, each in the order of the list. */
function combinationsOf(list: Iterable<any>, count: number): any[][] {
  if (count === 0) return [[]];
  const values = [...list];
  return values.flatMap((value, at) =>
    combinationsOf(values.slice(at + 1), count - 1).map((rest) => [value, ...rest]),
  );
}`,
  },
  permutationsOf: {
    text: `
/** All rows of so many elements, in every order. */
function permutationsOf(list: Iterable<any>, count?: number): any[][] {
  const values = [...list];
  if ((count ?? values.length) === 0) return [[]];
  return values.flatMap((value, at) =>
    permutationsOf(values.toSpliced(at, 1), (count ?? values.length) - 1).map((rest) => [value, ...rest]),
  );
}`,
  },
  countFrom: {
    text: `
/** start, start + step, ... without an end; a loop that is left does not end it */
function countFrom(start = 0, step = 1): IterableIterator<number> {
  let at = 0;
  return {
    next: () => ({ done: false, value: start + at++ * step }),
    [Symbol.iterator]() {
      return this;
    },
  };
}`,
  },
  firstOf: {
    text: `
/** At most so many elements. An iterator can be read on behind them. */
function firstOf(values: Iterable<any>, count: number): any[] {
  const iterator = values[Symbol.iterator]();
  const found: any[] = [];
  while (found.length < count) {
    const { done, value } = iterator.next();
    if (done) break;
    found.push(value);
  }
  return found;
}`,
  },
  accumulated: {
    text: `
/** What the elements make up to each place. */
function accumulated(values: Iterable<any>, join = (all: any, one: any): any => all + one): any[] {
  const found: any[] = [];
  for (const one of values) found.push(found.length === 0 ? one : join(found.at(-1), one));
  return found;
}`,
  },
  sampleOf: {
    text: `
/** So many different elements, in a random order. */
function sampleOf(list: Iterable<any>, count: number): any[] {
  const values = [...list];
  if (!(count >= 0 && count <= values.length))
    throw new RangeError(\`There are \${values.length} elements to draw \${count} from.\`);
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(Math.random() * (values.length - at));
    [values[at], values[other]] = [values[other], values[at]];
  }
  return values.slice(0, count);
}`,
  },
  shuffle: {
    uses: ["sampleOf"],
    text: `
/** Puts the elements into a random order. */
function shuffle(list: any[]): void {
  list.splice(0, list.length, ...sampleOf(list, list.length));
}`,
  },
  choiceOf: {
    text: `
/** A random element. */
function choiceOf(list: Iterable<any>): any {
  const values = [...list];
  if (values.length === 0) throw new RangeError("There is no element to choose.");
  return values[Math.floor(Math.random() * values.length)];
}`,
  },
  gaussian: {
    text: `
/** A number of a normal distribution. */
function gaussian(mean = 0, deviation = 1): number {
  const radius = Math.sqrt(-2 * Math.log(1 - Math.random()));
  return mean + deviation * radius * Math.cos(2 * Math.PI * Math.random());
}`,
  },
  powerModulo: {
    text: `
/** The remainder of base ** exponent, computed in whole numbers without an end. */
function powerModulo(base: number, exponent: number, modulus: number): number {
  if (exponent < 0) throw new RangeError(\`There is no power \${exponent} here.\`);
  const m = BigInt(modulus);
  let [result, factor, rest] = [1n, BigInt(base), BigInt(exponent)];
  for (; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % m;
    factor = (factor * factor) % m;
  }
  return Number(((result % m) + m) % m);
}`,
  },
  gcdOf: {
    text: `
/** The greatest whole number that divides all. */
function gcdOf(...numbers: number[]): number {
  return numbers.reduce((a, b) => {
    let [one, other] = [Math.abs(a), Math.abs(b)];
    while (other !== 0) [one, other] = [other, one % other];
    return one;
  }, 0);
}`,
  },
  factorialOf: {
    text: `
/** 1 * 2 * ... * n. Above 18 it has more digits than a number here. */
function factorialOf(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 18) throw new RangeError(\`The factorial of \${n} is no number here.\`);
  let product = 1;
  for (let factor = 2; factor <= n; factor++) product *= factor;
  return product;
}`,
  },
  chooseOf: {
    text: `
/** In how many ways k of n elements can be chosen. */
function chooseOf(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let count = 1n;
  for (let i = 1; i <= Math.min(k, n - k); i++) count = (count * BigInt(n - i + 1)) / BigInt(i);
  if (count > Number.MAX_SAFE_INTEGER) throw new RangeError(\`\${n} choose \${k} has more digits than a number here.\`);
  return Number(count);
}`,
  },
  rootOf: {
    text: `
/** The largest whole number whose square is not above n. */
function rootOf(n: number): number {
  if (!(n >= 0)) throw new RangeError(\`There is no root of \${n}.\`);
  let root = Math.floor(Math.sqrt(n));
  while (root * root > n) root--;
  return root;
}`,
  },
};
