// Names with which compiled cells reach the session's runtime. The compiler writes them and the runtime defines them,
// so this file imports nothing.

/** Prefix of every name that the compiler inserts; a cell that declares such a name is refused. */
export const RESERVED_PREFIX = "__mpslab_";

/**
 * Names on `globalThis` of the session process. A compiled cell reads them as plain identifiers.
 *
 * `stop` is an Int32Array over shared memory; the session's worker thread sets element 0 when the user interrupts, and
 * when a deadline has passed. `interrupted()` clears it and throws what stops the code that calls it, if it is meant.
 */
export const RUNTIME = {
  /** `if (__mpslab_stop[0]) __mpslab_interrupted();` stands at the head of every loop and function. */
  stop: "__mpslab_stop",
  interrupted: "__mpslab_interrupted",
  /**
   * `finally { ... }` -> `finally { __mpslab_cleanup(1); try { ... } finally { __mpslab_cleanup(-1); } }`: what an
   * interrupted cell does there is not interrupted again, unless the user asks once more.
   */
  cleanup: "__mpslab_cleanup",
  /** Called by the session's worker thread, in the main thread, before it unwinds the code that runs there. */
  forceUnwind: "__mpslab_force_unwind",
  /** Called likewise, before it stops that code: what stops it is to name the line. */
  standsHere: "__mpslab_stands_here",
  /** Called likewise: whether the code that runs there is under a deadline that has passed. */
  overdue: "__mpslab_overdue",
  /**
   * `await x` -> `await __mpslab_await(x)`, in functions too: an interrupt rejects what is pending, so that `finally`
   * runs and the cell does not go on later.
   */
  await: "__mpslab_await",
  /** `for await (v of x)` -> `for await (v of __mpslab_await_each(x))`, for the same reason. */
  awaitEach: "__mpslab_await_each",
  /**
   * `__mpslab_imported(specifier, options?)`: what a static import gave. The session loads those before it evaluates
   * the cell, so that importing takes no `await`: until its first one, a cell can be stopped in a package's loop too.
   */
  imported: "__mpslab_imported",
  /** `await __mpslab_load_late(specifier, options?)`: loads it where it stands, below a step that sets the environment. */
  loadLate: "__mpslab_load_late",
  /** `Deno.jupyter` -> `__mpslab_deno.jupyter`, where no cell has declared a `Deno`. */
  deno: "__mpslab_deno",
  /** `await __mpslab_import(specifier, options?)`: dynamic import as seen from the notebook's folder. */
  import: "__mpslab_import",
  /** `__mpslab_epochs(description)` opens an epoch loop and returns its `EpochLoop`. */
  epochs: "__mpslab_epochs",
  /** `await __mpslab_magic(name, call, code?)` runs a magic of the session, such as `%memory`. */
  magic: "__mpslab_magic",
  /** `__mpslab_magic_end(value?)`: the code behind a magic that runs it in place has ended. Returns the value. */
  magicEnd: "__mpslab_magic_end",
  /** `await __mpslab_restore(names)`: what `%restore` has become. */
  restore: "__mpslab_restore",
  /** `import.meta` of the notebook. */
  meta: "__mpslab_meta",
  /** `<b>hi</b>` -> `__mpslab_jsx("b", null, "hi")`, unless the folder's tsconfig names a factory. */
  jsx: "__mpslab_jsx",
  /** `<>hi</>` -> `__mpslab_jsx(__mpslab_fragment, null, "hi")` */
  jsxFragment: "__mpslab_fragment",
  /** The functions with which the debugger looks at values: `shown_values.ts`. */
  debugger: "__mpslab_debugger",
  /** `throw x` -> `throw __mpslab_thrown(x)`, unless `x` is `new ...`: what is no error has no stack of its own. */
  thrown: "__mpslab_thrown",
} as const;

/** A cell's variable that would hide a global from libraries has this before its name: `__mpslab_own_module`. */
export const OWN_PREFIX = `${RESERVED_PREFIX}own_`;

/** Returns the name that the user gave to a variable of the session. */
export function userName(runtimeName: string): string {
  return runtimeName.startsWith(OWN_PREFIX) ? runtimeName.slice(OWN_PREFIX.length) : runtimeName;
}

/** The package of the helpers that the transformer imports on its own account. */
export const HELPER_PACKAGE = "@oxc-project/runtime/";
export const HELPERS = `${HELPER_PACKAGE}helpers/`;
/** The helpers for what Node 20 has not: `using`, and decorators by the older proposal. */
export const HELPER_NAMES = ["usingCtx", "decorate", "decorateMetadata", "decorateParam"] as const;
/** The prefix of a helper's name in a cell. The helper `decorate` is `__mpslab_helper_decorate`. */
export const HELPER_PREFIX = `${RESERVED_PREFIX}helper_`;

/** What elements in JSX become: calls of functions that a cell has, or those of a package's module for it. */
export type JsxOptions =
  | { readonly runtime: "classic"; readonly pragma: string; readonly pragmaFrag: string }
  | { readonly runtime: "automatic"; readonly importSource: string };

/** The options of a tsconfig that change how TypeScript runs, under the names that they have there. */
export interface TypeScriptOptions {
  readonly experimentalDecorators: boolean;
  readonly emitDecoratorMetadata: boolean;
  readonly useDefineForClassFields: boolean;
  readonly verbatimModuleSyntax: boolean;
  readonly jsx: JsxOptions;
  /** Absolute paths by pattern, as `@app/*`. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** The options of a folder without a tsconfig. */
export const TYPESCRIPT_DEFAULTS: TypeScriptOptions = {
  experimentalDecorators: false,
  emitDecoratorMetadata: false,
  useDefineForClassFields: true,
  verbatimModuleSyntax: false,
  jsx: { runtime: "classic", pragma: RUNTIME.jsx, pragmaFrag: RUNTIME.jsxFragment },
  paths: {},
};

/** One static import of a cell, which the session loads before it evaluates the cell. */
export interface StaticImport {
  readonly specifier: string;
  readonly options?: { readonly with: Readonly<Record<string, string>> };
}

/** Scheme of the name that V8 sees for the code of one run: `mpslab-cell:3`. Stack traces are mapped from it. */
export const CELL_URL_SCHEME = "mpslab-cell:";
