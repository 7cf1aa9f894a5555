// Resolves imports from the notebook's folder, wherever this file is. `mpslab` and `tslab` are always this
// installation's. Local TypeScript files go through loader hooks, which are registered when first needed.
import { existsSync, readFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import vm from "node:vm";
import { insteadOfForeign, npmSpecifier, satisfies } from "../../cell/foreign_specifiers.ts";
import { interruptible } from "../interrupt/awaits.ts";
import { syntaxErrorBeneath } from "./broken_file.ts";
import { isTypeScript } from "./file_kinds.ts";
import { owningCell } from "../cells.ts";
import { framesOf } from "../errors/frames.ts";
import type { RunRequest } from "../../session/channel.ts";
import { type ModuleNamespace, withExportedNames } from "./checked_names.ts";
import { CommonJsFiles } from "./common_js.ts";
import { isInPackage, reachedFiles, resolveLocal } from "./local_graph.ts";
import { isObject } from "../objects.ts";
import { keepWhatModuleReplaces } from "../replaced_builtins.ts";
import type { LocalModulesData } from "./local_modules.ts";
import { setTypeScriptOptions, typeScriptOptions } from "./local_source.ts";
import { CHECKED_PACKAGE } from "./package_imports.ts";
import * as tslab from "./tslab.ts";

type Import = (specifier: string, options?: ImportCallOptions) => Promise<unknown>;

const OWN_MODULES: Record<string, string> = {
  mpslab: new URL("../../../lib/index.js", import.meta.url).href,
  tslab: new URL("./tslab.js", import.meta.url).href,
  [CHECKED_PACKAGE]: new URL("./checked_package.js", import.meta.url).href,
};

/** Errors of Node's loader if the package exists, but no file at the path. */
const NO_FILE: ReadonlySet<string> = new Set(["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"]);

/** The errors of Node 20 and of Node 24 if a path without an extension leads to JSON. */
const NO_JSON: ReadonlySet<string> = new Set([
  "ERR_IMPORT_ATTRIBUTE_MISSING",
  "ERR_IMPORT_ASSERTION_TYPE_MISSING",
]);

/** The folder of this program. */
const OWN_CODE = new URL("../../../", import.meta.url).href;

export class Notebook {
  readonly directory: string;
  /** JupyterLab sends the notebook's path; other front ends do not. */
  readonly filename: string;
  readonly require: NodeJS.Require;
  readonly #commonJs: CommonJsFiles;
  readonly #import: Import;
  readonly #imported = new Map<string, { readonly module: unknown } | { readonly error: unknown }>();
  /** Local files that cells have imported directly. */
  readonly #entryFiles = new Set<string>();
  #hooksRegistered = false;

  constructor(directory: string) {
    this.directory = directory;
    this.filename = path.join(directory, path.basename(process.env["JPY_SESSION_NAME"] ?? "notebook.ipynb"));
    const load = createRequire(this.filename);
    this.#commonJs = new CommonJsFiles(load.cache, fileURLToPath(OWN_CODE));
    const requireFresh = (specifier: string): unknown => {
      if (specifier === "tslab") return tslab;
      if (specifier.startsWith("npm:")) return this.require(this.#ofNpm(specifier));
      if (isTypeScript(specifier) && isLocal(specifier)) {
        const message = `require cannot load TypeScript: write import ... from ${JSON.stringify(specifier)}, or await import(...)`;
        throw new TypeError(message);
      }
      this.#commonJs.forgetChanged();
      const loaded = keepWhatModuleReplaces();
      try {
        return load(specifier) as unknown;
      } catch (error) {
        // The checker lets a cell require a package that is for ES modules only. Node can load its file.
        if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
        return load(fileURLToPath(this.#resolve(specifier))) as unknown;
      } finally {
        loaded();
        this.#commonJs.remember();
      }
    };
    this.require = Object.assign(requireFresh, load);
    // Only an import in a vm.Script uses Node's own loader and resolves from a folder of the caller's choice.
    const script = new vm.Script("(specifier, options) => import(specifier, options)", {
      filename: this.filename,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    this.#import = script.runInThisContext() as Import;
  }

  /**
   * The local files that cells have imported, and those that these import. For a file that is missing or does not
   * parse, only the file itself is listed.
   */
  importedFiles(): string[] {
    const files = new Set<string>();
    for (const file of this.#entryFiles) {
      files.add(file);
      try {
        for (const reached of reachedFiles(file)) files.add(reached);
      } catch {
        // The cell that imported the file has shown the error.
      }
    }
    return [...files];
  }

  /** Sets the options of the folder's tsconfig. Modules that were loaded before stay as they are. */
  configure(typescript: RunRequest["typescript"]): void {
    if (isDeepStrictEqual(typescript, typeScriptOptions())) return;
    setTypeScriptOptions(typescript);
    if (this.#hooksRegistered) this.#registerHooks();
  }

  /** Loads what a cell imports statically, one after the other, as JavaScript does. Never rejects. */
  async load(imports: RunRequest["imports"]): Promise<void> {
    this.#imported.clear();
    for (const { specifier, options } of imports) {
      const isLoaded = await this.#loadImported(specifier, options);
      if (!isLoaded) break;
    }
  }

  /**
   * Loads a cell's static imports that come after a step which sets the environment. `imported` then returns the
   * module, or throws.
   */
  readonly loadLate = (specifier: string, options?: ImportCallOptions): unknown =>
    interruptible(this.#loadImported(specifier, options));

  async #loadImported(specifier: string, options?: ImportCallOptions): Promise<boolean> {
    const outcome = await this.#load(specifier, options).then(
      (module) => ({ module }),
      (error: unknown) => ({ error }),
    );
    this.#imported.set(keyOf(specifier, options), outcome);
    return "module" in outcome;
  }

  /** The module of a static import. If loading failed, it throws the error at the line of the import. */
  readonly imported = (specifier: string, options?: ImportCallOptions): unknown => {
    const outcome = this.#imported.get(keyOf(specifier, options));
    if (outcome !== undefined && "module" in outcome) return outcome.module;
    throw atImport(outcome?.error, this.imported);
  };

  /** `import(specifier, options)` in a cell. It can be interrupted, because a module may await for ever. */
  readonly import = (specifier: string, options?: ImportCallOptions): unknown =>
    interruptible(this.#load(specifier, options));

  async #load(written: string, options?: ImportCallOptions): Promise<unknown> {
    const specifier = this.#ofNpm(written);
    const own = OWN_MODULES[specifier];
    if (own !== undefined) return import(own);
    const local = resolveLocal(specifier, this.filename);
    if (local !== null && !isInPackage(local)) this.#entryFiles.add(local);
    if (local !== null || isLocal(specifier)) {
      this.#needHooks();
      this.#commonJs.forgetChanged();
    }
    const isJson = options === undefined && specifier.endsWith(".json");
    const withType = isJson ? { with: { type: "json" } } : options;
    const loaded = keepWhatModuleReplaces();
    try {
      const module = await this.#loadAsNode(local === null ? specifier : pathToFileURL(local).href, withType);
      return this.#asChecked(module as ModuleNamespace, local ?? specifier);
    } catch (error) {
      throw this.#withPlace(error, specifier) ?? explain(error, specifier, this.directory);
    } finally {
      loaded();
      this.#commonJs.remember();
    }
  }

  /**
   * The package that `npm:name@version` means.
   *
   * @throws Error where another version is installed
   */
  #ofNpm(written: string): string {
    const asked = npmSpecifier(written);
    if (asked === null) return written;
    const { specifier, name, version } = asked;
    const installed = version === null ? null : this.#installedVersion(name);
    if (version === null || installed === null || satisfies(installed, version)) return specifier;
    throw new Error(
      `'${written}': version ${installed} is installed. Install the other: %npm install ${name}@${version}`,
    );
  }

  /** Null if the package is not installed. */
  #installedVersion(name: string): string | null {
    for (const folder of this.require.resolve.paths(name) ?? []) {
      const manifest = path.join(folder, name, "package.json");
      if (existsSync(manifest))
        return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
    }
    return null;
  }

  /** For a module that does not parse, an error with the place. */
  #withPlace(error: unknown, specifier: string): SyntaxError | null {
    if (!(error instanceof SyntaxError)) return null;
    // In Node 24 the import itself is among the frames, under the notebook's name.
    if (framesOf(error).some(({ place }) => place !== this.filename)) return null;
    try {
      return syntaxErrorBeneath(this.require.resolve(specifier));
    } catch {
      return null; // The rules of CommonJS find no such module.
    }
  }

  /**
   * Imports with Node's loader, and tries again where Node is stricter than the checker. A package in the notebook's
   * own workspace may be TypeScript, which shows only when it is loaded. A path into a package without `exports` may
   * lack its extension, as TypeScript and CommonJS allow: `lodash/debounce`.
   */
  async #loadAsNode(specifier: string, options: ImportCallOptions | undefined): Promise<unknown> {
    try {
      return await this.#import(specifier, options);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
      if (code === "ERR_UNKNOWN_FILE_EXTENSION" && !this.#hooksRegistered) {
        this.#needHooks();
        return await this.#import(specifier, options);
      }
      // The file may be JSON under another name: `exports` may call it "./package".
      if (NO_JSON.has(code) && options === undefined)
        return await this.#import(specifier, { with: { type: "json" } });
      const file = NO_FILE.has(code) && !isLocal(specifier) ? this.#resolveAsCommonJs(specifier) : null;
      if (file === null) throw error;
      return await this.#import(pathToFileURL(file).href, options);
    }
  }

  #resolveAsCommonJs(specifier: string): string | null {
    try {
      return this.require.resolve(specifier);
    } catch {
      return null;
    }
  }

  /**
   * The module with the names that TypeScript lets a cell import. For CommonJS and JSON, Node has only some of them, or
   * none.
   */
  #asChecked(module: ModuleNamespace, specifier: string): ModuleNamespace {
    const exported = module.default;
    if (!isObject(exported)) return module;
    const isNamed = specifier.endsWith(".json") || this.#isExportedBy(specifier, exported);
    return isNamed ? withExportedNames(module, exported) : module;
  }

  /** Whether the import leads to a CommonJS file whose `module.exports` this is. */
  #isExportedBy(specifier: string, exported: object): boolean {
    try {
      const url = path.isAbsolute(specifier) ? pathToFileURL(specifier).href : this.#resolve(specifier);
      const { cache } = this.require;
      if (cache[fileURLToPath(url)]?.exports === exported) return true;
    } catch {
      // The specifier lacks an extension, which the rules of CommonJS allow.
    }
    const file = this.#resolveAsCommonJs(specifier);
    return file !== null && this.require.cache[file]?.exports === exported;
  }

  /**
   * A cell's `import.meta`. In addition to the usual members it has `signal`, an AbortSignal that fires when the cell
   * is interrupted.
   */
  get meta(): object {
    const { directory, filename } = this;
    return {
      url: pathToFileURL(filename).href,
      dirname: directory,
      filename,
      resolve: this.#resolve,
      get signal() {
        const cell = owningCell();
        return cell?.running ? cell.signal : undefined;
      },
    };
  }

  /** Returns the URL that an import in the cell leads to. As in JavaScript, there need not be a file at a path. */
  readonly #resolve = (specifier: string): string => {
    const own = OWN_MODULES[specifier];
    if (own !== undefined) return own;
    const local = resolveLocal(specifier, this.filename);
    if (local !== null) return pathToFileURL(local).href;
    const url = import.meta.resolve(specifier, pathToFileURL(this.filename).href);
    return url.replace(/\?changed=\w+$/, "");
  };

  /**
   * Loads a package synchronously, in the form that an import of it would load: a package with a CommonJS and an ES
   * form has separate state in each.
   */
  readonly requireImported = (specifier: string): unknown =>
    this.require(fileURLToPath(this.#resolve(specifier)));

  /** Starts the hooks only when the first local module is needed, because they take a thread of their own. */
  #needHooks(): void {
    if (!this.#hooksRegistered) this.#registerHooks();
  }

  #registerHooks(): void {
    this.#hooksRegistered = true;
    const { url, data } = this.moduleHooks();
    register(url, { data });
  }

  /** Returns the hooks with which Node loads the notebook's own modules, in any thread that registers them. */
  moduleHooks(): { readonly url: string; readonly data: LocalModulesData } {
    const url = new URL("./local_modules.js", import.meta.url).href;
    return { url, data: { ownModules: OWN_MODULES, ownCode: OWN_CODE, typescript: typeScriptOptions() } };
  }
}

function isLocal(specifier: string): boolean {
  return /^\.{0,2}\/|^file:|^#/.test(specifier);
}

function keyOf(specifier: string, options?: ImportCallOptions): string {
  return JSON.stringify([specifier, options?.with]);
}

/** A module that fails to load does so before the cell runs. This adds the line of the import to the error's stack. */
function atImport(error: unknown, imported: (specifier: string) => unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isNotFound(error)) Error.captureStackTrace(error, imported);
  if (!(error instanceof SyntaxError)) return error;
  // A copy, because Node throws the same error for every import of the module.
  const copy = new SyntaxError(error.message);
  Error.captureStackTrace(copy, imported);
  copy.stack = `${error.stack}${copy.stack?.slice(`${error.name}: ${error.message}`.length)}`;
  return copy;
}

/** Such an error comes from Node's loader, and its stack has none of the user's lines. */
function isNotFound(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
}

/** Node's message names the importing file; this one says what to do. */
function explain(error: unknown, specifier: string, directory: string): unknown {
  // A package of npm that is there, and fails by itself, may have the name of a package of Python.
  const mayBeForeign = specifier.includes(":") || (error instanceof Error && isNotFound(error));
  const foreign = mayBeForeign ? insteadOfForeign(specifier) : null;
  if (error instanceof Error && foreign !== null) {
    error.message = foreign;
    return error;
  }
  if (!(error instanceof Error) || !isNotFound(error)) return error;
  const missing = /Cannot find package '([^']+)'/.exec(error.message)?.[1];
  const hint = missing === undefined ? "" : ` Install it there: %npm install ${missing}`;
  error.message = `Cannot find '${missing ?? specifier}' from the notebook's folder ${directory}.${hint}`;
  return error;
}
