// Gives a loaded module the names that TypeScript lets a cell import of it. Node guesses those of a CommonJS module from its
// text and often finds none, as in `module.exports = make()`; of JSON it has none.

export interface ModuleNamespace {
  readonly default?: unknown;
}

/** What every function has beside what a package gave it. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(["length", "name", "prototype", "arguments", "caller"]);

/**
 * A CommonJS module by its `exports`: all their names, also those that a class or an instance inherits. Where it was made
 * of an ES module (`__esModule`), the default export is that module's, as bundlers have it and TypeScript reads it.
 *
 * @param exported `module.exports`, or the value of a JSON file
 */
export function withExportedNames(module: ModuleNamespace, exported: object): ModuleNamespace {
  const isCompiled = valueOf(exported, "__esModule") === true && "default" in exported;
  const names = namesOf(exported);
  if (!isCompiled && names.every((name) => name in module)) return module;
  const all: ModuleNamespace = { ...module };
  for (const name of names) {
    if (name in module && name !== "default") continue;
    Object.defineProperty(all, name, propertyOf(exported, name));
  }
  Object.defineProperty(all, "default", isCompiled ? propertyOf(exported, "default") : data(exported));
  return all;
}

const data = (value: unknown): PropertyDescriptor => ({ value, ...SHOWN });
const SHOWN = { enumerable: true, configurable: true };

const valueOf = (holder: object, name: string): unknown =>
  Object.getOwnPropertyDescriptor(holder, name)?.value;

/** A getter stays one: packages load their parts by them, and say that a name is deprecated. */
function propertyOf(exported: object, name: string): PropertyDescriptor {
  const own = Object.getOwnPropertyDescriptor(exported, name);
  if (own !== undefined && "value" in own) return { ...data(own.value), enumerable: own.enumerable === true };
  const get = (): unknown => (exported as Record<string, unknown>)[name];
  return { get, enumerable: own?.enumerable === true, configurable: true };
}

function namesOf(exported: object): string[] {
  const names = new Set<string>();
  for (
    let at: object | null = exported;
    at !== null && !isBuiltIn(at);
    at = Object.getPrototypeOf(at) as object | null
  )
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  names.delete("constructor");
  if (typeof exported === "function")
    for (const name of OF_FUNCTIONS) if (!isEnumerable(exported, name)) names.delete(name);
  return [...names];
}

const isEnumerable = (holder: object, name: string): boolean =>
  Object.prototype.propertyIsEnumerable.call(holder, name);

const isBuiltIn = (prototype: object): boolean =>
  prototype === Object.prototype || prototype === Function.prototype || prototype === Array.prototype;
