// What a parsed cell declares and refers to. Knows scopes and names; changes nothing.

export type DeclarationKind =
  | "const"
  | "let"
  | "var"
  | "using"
  | "function"
  | "class"
  | "enum"
  | "namespace"
  | "import"
  | "type"
  | "interface";

export interface Declared {
  readonly name: string;
  readonly kind: DeclarationKind;
  /** The JavaScript name in the session: differs where a global of that name must stay visible to libraries. */
  readonly runtimeName: string;
  /** `interface`, `type` and `import type` exist for the checker alone. */
  readonly typeOnly: boolean;
}

/** What earlier cells left behind, by name. Plain data; `commit` makes the next one. */
export interface Bindings {
  readonly names: ReadonlyMap<string, Declared>;
}

export const NO_BINDINGS: Bindings = { names: new Map() };

/**
 * Bindings after a cell ran. A cell that failed passes only the names that it had initialised.
 *
 * @param initialised runtime names that hold a value; types are always committed
 */
export function commit(
  bindings: Bindings,
  declared: readonly Declared[],
  initialised: ReadonlySet<string>,
): Bindings {
  const names = new Map(bindings.names);
  for (const entry of declared) {
    if (entry.typeOnly || initialised.has(entry.runtimeName)) names.set(entry.name, entry);
  }
  return { names };
}
