// Functions that compiled code calls for features that Node 20 lacks, and the symbol under which decorators store
// metadata. Loaded when first called.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { HELPER_NAMES, HELPER_PREFIX, HELPERS } from "../../cell/names.ts";

/** `require`, because the package has no type declarations. */
const require = createRequire(import.meta.url);

export function installCompilerHelpers(): void {
  for (const name of HELPER_NAMES) {
    const load = (): unknown => require(HELPERS + name);
    Object.defineProperty(globalThis, HELPER_PREFIX + name, { get: load, configurable: true });
  }
  // Packages and the decorators' own helpers fall back to this symbol if the language has none.
  const metadata = Symbol.for("Symbol.metadata");
  if (!("metadata" in Symbol)) Object.defineProperty(Symbol, "metadata", { value: metadata });
}

/** Returns the URL of a helper that the notebook's own modules import. Null for any other import. */
export function helperUrl(specifier: string): string | null {
  return specifier.startsWith(HELPERS) ? pathToFileURL(require.resolve(specifier)).href : null;
}
