// Remembers the fields of objects that a step read, and tells whether they have changed. For a model these are its
// layers, parameters and settings, including its own lists, maps and objects. Knows no layer and no optimizer. The
// addon compares the contents of tensors.
import { native } from "./native.ts";

/** Of lists and maps with more elements than this, only the length is compared. */
const MOST_ELEMENTS = 10_000;
/**
 * At most this many objects are remembered, the nearest ones, so that a reference to half of the program does not slow
 * each call down.
 */
const MOST_OBJECTS = 10_000;
/** Fields that every function has. They are skipped, because a module is a function. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(["prototype", "length", "name", "arguments", "caller"]);

type Fields = Readonly<Record<string | number, unknown>>;

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

const isNaN = (value: unknown): boolean => value !== value;

/**
 * Fields of objects with their values when they were added. They are kept in parallel lists, because each call of a
 * small step goes through all of them.
 */
class Places {
  readonly #holders: Fields[] = [];
  readonly #names: (string | number)[] = [];
  readonly #values: unknown[] = [];
  readonly #counted: object[] = [];
  readonly #counts: number[] = [];
  readonly #others: (() => boolean)[] = [];

  /** `skipped`: fields whose new values a replay uses. */
  addFields(object: object, skipped: readonly string[]): readonly unknown[] {
    const values: unknown[] = [];
    for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (skipped.includes(name) || (typeof object === "function" && OF_FUNCTIONS.has(name))) continue;
      const { get } = field;
      // A getter is not run; it counts as changed if its function is another one.
      if (get !== undefined)
        this.#others.push(() => Object.getOwnPropertyDescriptor(object, name)?.get === get);
      else values.push(this.#add(object, name, field.value));
    }
    this.#counted.push(object);
    this.#counts.push(Object.keys(object).length);
    return values;
  }

  addList(list: readonly unknown[]): readonly unknown[] {
    this.#add(list, "length", list.length);
    if (list.length > MOST_ELEMENTS) return [];
    return list.map((element, index) => this.#add(list, index, element));
  }

  addMap(map: ReadonlyMap<unknown, unknown>): readonly unknown[] {
    this.#add(map, "size", map.size);
    if (map.size > MOST_ELEMENTS) return [];
    const [keys, values] = [[...map.keys()], [...map.values()]];
    this.#others.push(() => {
      for (let i = 0; i < keys.length; i++) {
        const now = map.get(keys[i]);
        if (now !== values[i] && !(isNaN(now) && isNaN(values[i]))) return false;
        if (now === undefined && !map.has(keys[i])) return false;
      }
      return true;
    });
    return [...keys, ...values];
  }

  addSet(set: ReadonlySet<unknown>): readonly unknown[] {
    this.#add(set, "size", set.size);
    if (set.size > MOST_ELEMENTS) return [];
    const elements = [...set];
    this.#others.push(() => elements.every((element) => set.has(element)));
    return elements;
  }

  /** Bytes are copied and compared, because nothing reports that they were written. */
  addBytes(view: ArrayBufferView): readonly unknown[] {
    const bytes = () => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    const copy = Buffer.from(bytes());
    this.#others.push(() => copy.equals(bytes()));
    return [];
  }

  areSame(): boolean {
    const [holders, names, values] = [this.#holders, this.#names, this.#values];
    for (let i = 0; i < holders.length; i++) {
      const now = holders[i]![names[i]!];
      if (now !== values[i] && !(isNaN(now) && isNaN(values[i]))) return false;
    }
    for (let i = 0; i < this.#counted.length; i++)
      if (Object.keys(this.#counted[i]!).length !== this.#counts[i]) return false;
    for (const isSame of this.#others) if (!isSame()) return false;
    return true;
  }

  #add(holder: object, name: string | number, value: unknown): unknown {
    this.#holders.push(holder as Fields);
    this.#names.push(name);
    this.#values.push(value);
    return value;
  }
}

/**
 * Remembers the objects, and everything that their fields lead to. `objects` names for each object the fields to skip.
 *
 * Returns a function that tells whether everything is unchanged.
 */
export function rememberFields(objects: ReadonlyMap<object, readonly string[]>): () => boolean {
  const places = new Places();
  const seen = new Set(objects.keys());
  const placed = (object: object): readonly unknown[] => {
    if (ArrayBuffer.isView(object)) return places.addBytes(object);
    if (Array.isArray(object)) return places.addList(object);
    if (object instanceof Map) return places.addMap(object);
    if (object instanceof Set) return places.addSet(object);
    return places.addFields(object, objects.get(object) ?? []);
  };
  // The list grows while this loop goes through it.
  for (const object of seen) {
    for (const value of placed(object)) {
      if (isObject(value) && !native.isTensor(value) && seen.size < MOST_OBJECTS) seen.add(value);
    }
  }
  return () => places.areSame();
}
