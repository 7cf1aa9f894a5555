// Gives a loaded module the names that TypeScript lets a cell import from it. For a CommonJS module, Node guesses the
// names from the text and often finds none, as in `module.exports = make()`; for JSON it has none.

export interface ModuleNamespace {
  readonly default?: unknown;
}

/** Properties that every function has, and that are no exports. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(["length", "name", "prototype", "arguments", "caller"]);

/**
 * A CommonJS module with all names of its `exports`, including those that a class or an instance inherits. If it was
 * compiled from an ES module (`__esModule`), the default export is that module's, as in bundlers and TypeScript.
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

/** A getter stays a getter: packages use them to load their parts, and to warn that a name is deprecated. */
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
