// Builds the tsconfig under which cells are checked: the folder's own, overridden where a cell needs it. It exists only
// as a document in the server's memory; nothing is written into the user's folder.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type JsxOptions,
  RESERVED_PREFIX,
  TYPESCRIPT_DEFAULTS,
  type TypeScriptOptions,
} from "../../cell/names.ts";
import type { Style } from "../cell_text.ts";
import { libraryTypes } from "./library.ts";
import { nodeLibs } from "./node_libs.ts";
import type { LanguageServer } from "./server.ts";
import { withSnapshot } from "./snapshot.ts";

/** A project must not have a file with this name, because the document would hide it. */
export const CONFIGURATION_NAME = `tsconfig.${RESERVED_PREFIX}.json`;

/** The folder's tsconfig cannot be read. The message names the place. */
class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export interface Configuration {
  readonly text: string;
  /** The folder's `tsconfig.json`, null if there is none. */
  readonly extends: string | null;
  /** The options that change how the folder's TypeScript runs. */
  readonly typescript: TypeScriptOptions;
  readonly jsx: JsxReferences;
}

/** What JSX elements use without naming it: a name such as `React`, or a module such as `react/jsx-runtime`. */
export interface JsxReferences {
  readonly names: readonly string[];
  readonly module: string | null;
}

/** A cell is a module with top-level `await`; the checker emits nothing, and resolves what the session can import. */
const REQUIRED = {
  target: "esnext",
  module: "preserve",
  moduleResolution: "bundler",
  resolveJsonModule: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  emitDeclarationOnly: false,
  isolatedDeclarations: false,
  // Unused names are no mistakes: later cells may use them, and each cell has a line of imports above it.
  noUnusedLocals: false,
  // Otherwise the projects of all parent folders are loaded as well.
  disableSolutionSearching: true,
};

/** The options of a folder without a tsconfig. */
const DEFAULTS = { strict: true, allowJs: true };

/**
 * The options for a notebook that imports tslab, in a folder without a tsconfig. As in tslab 1.0, nothing of `strict`
 * is set, and decorators are the legacy ones.
 */
const TSLAB = { strict: false, allowJs: true, experimentalDecorators: true };

/** `ScriptTarget.ES2022`, the first in which the language itself has class fields. */
const ES2022 = 9;

/**
 * Used unless the folder's tsconfig sets `lib` itself. There is no `dom`, because a cell runs in Node, whose types are
 * always included. With only a `target`, TypeScript would accept what this Node lacks: `new Float16Array(2)`.
 */
const LIB = nodeLibs(Number.parseInt(process.versions.node, 10));

interface ParsedConfiguration {
  readonly options: {
    readonly paths?: Record<string, string[]>;
    readonly pathsBasePath?: string;
    /** An absolute path. TypeScript 7 has dropped the option; older versions resolve `src/a` from it. */
    readonly baseUrl?: string;
    readonly lib?: readonly string[];
    /** The number of TypeScript's `ScriptTarget`. */
    readonly target?: number;
    readonly experimentalDecorators?: boolean;
    readonly emitDecoratorMetadata?: boolean;
    readonly useDefineForClassFields?: boolean;
    readonly verbatimModuleSyntax?: boolean;
    /** The number of TypeScript's `JsxEmit`. */
    readonly jsx?: number;
    readonly jsxFactory?: string;
    readonly jsxFragmentFactory?: string;
    readonly jsxImportSource?: string;
    readonly reactNamespace?: string;
  };
  readonly fileNames: readonly string[];
}

/** @param styles of the packages that cells have imported; a folder's tsconfig takes precedence over them */
export async function configurationFor(
  directory: string,
  server: LanguageServer,
  styles: ReadonlySet<Style>,
): Promise<Configuration> {
  const own = await folderConfiguration(directory, server);
  const tslab = styles.has("tslab");
  const asked = own === null && styles.has("react") ? { jsx: JSX.react } : own?.parsed.options;
  const jsx = asked === undefined ? null : jsxOptions(asked);
  const defaults = {
    ...TYPESCRIPT_DEFAULTS,
    experimentalDecorators: tslab,
    jsx: jsx ?? TYPESCRIPT_DEFAULTS.jsx,
  };
  const typescript = own === null ? defaults : typeScriptOptions(directory, own.parsed);
  const ownJsx = jsx === null ? [declarations("../jsx")] : [];
  const ambient = own?.parsed.fileNames.filter((file) => file.endsWith(".d.ts")) ?? [];
  const text = JSON.stringify({
    ...(own === null ? {} : { extends: own.file }),
    compilerOptions: {
      ...(own === null ? (tslab ? TSLAB : DEFAULTS) : {}),
      ...(own?.parsed.options.lib === undefined ? { lib: LIB } : {}),
      ...(jsx === null ? { jsx: "preserve" } : own === null ? { jsx: "react" } : {}),
      ...REQUIRED,
      // Without this line its value would follow from REQUIRED's target, not from the folder's.
      useDefineForClassFields: typescript.useDefineForClassFields,
      paths: { ...typescript.paths, ...productPaths() },
    },
    // The configuration is listed as a file of its own project: else the server would make another project for it.
    files: [CONFIGURATION_NAME, declarations("../globals"), ...ownJsx, nodeTypes(directory), ...ambient],
    include: [`${RESERVED_PREFIX}*.ts`],
    exclude: [],
    references: [],
  });
  return { text, extends: own?.file ?? null, typescript, jsx: referencesOf(jsx) };
}

function typeScriptOptions(directory: string, { options }: ParsedConfiguration): TypeScriptOptions {
  const base = options.baseUrl ?? options.pathsBasePath ?? directory;
  const written = { ...(options.baseUrl === undefined ? {} : { "*": ["*"] }), ...options.paths };
  const paths = Object.entries(written).map(([pattern, targets]) => [
    pattern,
    targets.map((target) => path.resolve(base, target)),
  ]);
  return {
    experimentalDecorators: options.experimentalDecorators ?? false,
    emitDecoratorMetadata: options.emitDecoratorMetadata ?? false,
    useDefineForClassFields: options.useDefineForClassFields ?? (options.target ?? ES2022) >= ES2022,
    verbatimModuleSyntax: options.verbatimModuleSyntax ?? false,
    jsx: jsxOptions(options) ?? TYPESCRIPT_DEFAULTS.jsx,
    paths: Object.fromEntries(paths),
  };
}

/** Values of TypeScript's `JsxEmit`. `preserve` leaves JSX to another tool; such tools compile it for React. */
const JSX = { preserve: 1, reactNative: 2, react: 3 };

/** Null for a tsconfig that says nothing about JSX. */
function jsxOptions(options: ParsedConfiguration["options"]): JsxOptions | null {
  const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource, reactNamespace = "React" } = options;
  if (jsx === undefined) return null;
  const leaves = jsx === JSX.preserve || jsx === JSX.reactNative;
  if (jsx === JSX.react || (leaves && jsxFactory !== undefined && jsxImportSource === undefined)) {
    const pragma = jsxFactory ?? `${reactNamespace}.createElement`;
    return { runtime: "classic", pragma, pragmaFrag: jsxFragmentFactory ?? `${reactNamespace}.Fragment` };
  }
  return { runtime: "automatic", importSource: jsxImportSource ?? "react" };
}

function referencesOf(jsx: JsxOptions | null): JsxReferences {
  if (jsx?.runtime === "automatic") return { names: [], module: `${jsx.importSource}/jsx-runtime` };
  const factories = jsx === null ? [] : [jsx.pragma, jsx.pragmaFrag];
  return { names: factories.map((factory) => factory.split(".")[0] ?? factory), module: null };
}

/** Throws where the tsconfig, or one that it extends, is not JSON. tsc reports other mistakes in it. */
export async function verifyConfiguration(server: LanguageServer): Promise<void> {
  const problems = await withSnapshot(server, (ask) =>
    ask<readonly { fileName?: string; code: number; text: string; pos: number }[]>(
      "getConfigFileParsingDiagnostics",
      {},
    ),
  );
  const syntax = problems.find(({ code }) => code >= 1000 && code < 2000);
  if (syntax === undefined) return;
  const file = syntax.fileName ?? "tsconfig.json";
  const line = readFileSync(file, "utf8").slice(0, syntax.pos).split("\n").length;
  throw new ConfigurationError(
    `${file}:${line} cannot be read: ${syntax.text} Correct it and run the cell again.`,
  );
}

/**
 * The folder's own tsconfig, or the nearest one above it that includes files of this folder. A repository's tsconfig
 * that includes only `src` does not apply to notebooks beside it.
 */
async function folderConfiguration(
  directory: string,
  server: LanguageServer,
): Promise<{ file: string; parsed: ParsedConfiguration } | null> {
  for (let folder = directory; ; folder = path.dirname(folder)) {
    const file = path.join(folder, "tsconfig.json");
    if (existsSync(file)) {
      const parsed = await server.compilerRequest<ParsedConfiguration>("parseConfigFile", { file });
      const inside = directory + path.sep;
      if (folder === directory || parsed.fileNames.some((name) => name.startsWith(inside)))
        return { file, parsed };
    }
    if (folder === path.dirname(folder)) return null;
  }
}

/** `import ... from "mpslab"` and `"tslab"` mean this installation, in every folder. */
const productPaths = (): Record<string, string[]> => ({
  mpslab: [libraryTypes()],
  tslab: [declarations("../../runtime/modules/tslab")],
});

/** The declarations of a file of ours, named from this folder: `../globals.d.ts` once built. */
function declarations(name: string): string {
  const built = fileURLToPath(new URL(`${name}.d.ts`, import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}

/**
 * Node's types: the folder's if it has them, else ours. The path is the real one: under a second path the same file
 * would be declared twice, with thousands of conflicts that cost 9 ms in each check.
 */
function nodeTypes(directory: string): string {
  for (let folder = directory; ; folder = path.dirname(folder)) {
    const file = path.join(folder, "node_modules", "@types", "node", "index.d.ts");
    if (existsSync(file)) return realpathSync(file);
    if (folder === path.dirname(folder)) break;
  }
  const manifest = createRequire(import.meta.url).resolve("@types/node/package.json");
  return path.join(realpathSync(path.dirname(manifest)), "index.d.ts");
}
