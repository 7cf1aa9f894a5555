// Asks TypeScript, under the options of cells, which imports of a package it accepts, and what their values must be.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript-5";

/** An import that the checker lets pass. */
export interface Accepted {
  readonly specifier: string;
  readonly forms: readonly Form[];
  /** What `import { ... }` may name, values only. Null where there are no types: any name then. */
  readonly names: ReadonlyMap<string, Kind> | null;
  readonly defaultKind: Kind;
}

export type Form = "default" | "namespace" | "require" | "dynamic";
/** What can be told of a value at run time. */
export type Kind = "function" | "value";

const FORMS: Readonly<Record<Form, (specifier: string) => string>> = {
  default: (specifier) => `import given from "${specifier}"; export const value = given;`,
  namespace: (specifier) => `import * as given from "${specifier}"; export const value = given;`,
  require: (specifier) => `import given = require("${specifier}"); export const value = given;`,
  dynamic: (specifier) => `export const value = await import("${specifier}");`,
};

/** Subpaths of a package that are tried: as many say whether the two resolve alike. */
const MAX_SUBPATHS = 3;
/** "Could not find a declaration file for module 'x'." is a warning in a cell. */
const UNTYPED = 7016;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  resolveJsonModule: true,
  noEmit: true,
  strict: true,
  allowJs: true,
  skipLibCheck: true,
  types: ["node"],
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
};

export function acceptedImports(folder: string, packages: readonly string[]): Map<string, Accepted[]> {
  const specifiers = packages.flatMap((name) => [name, ...subpathsOf(folder, name)]);
  const files = new Map<string, string>();
  for (const [at, specifier] of specifiers.entries())
    for (const form of Object.keys(FORMS) as Form[])
      files.set(fileOf(folder, at, form), FORMS[form](specifier));
  const host = ts.createCompilerHost(OPTIONS);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (file) => files.get(file) ?? readFile.call(host, file);
  host.fileExists = (file) => files.has(file) || fileExists.call(host, file);
  host.getSourceFile = (file, options) => {
    const text = files.get(file);
    return text === undefined
      ? getSourceFile.call(host, file, options)
      : ts.createSourceFile(file, text, options, true);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  const accepted = new Map<string, Accepted[]>(packages.map((name) => [name, []]));
  for (const [at, specifier] of specifiers.entries()) {
    const found = acceptedOf(program, folder, at, specifier);
    if (found !== null) accepted.get(packageOf(specifier))?.push(found);
  }
  return accepted;
}

/** With the properties of what `export =` exports. */
interface Checker extends ts.TypeChecker {
  getExportsAndPropertiesOfModule(module: ts.Symbol): ts.Symbol[];
}

function acceptedOf(program: ts.Program, folder: string, at: number, specifier: string): Accepted | null {
  const checker = program.getTypeChecker() as Checker;
  const sourceOf = (form: Form) => program.getSourceFile(fileOf(folder, at, form))!;
  let isTyped = true;
  const forms = (Object.keys(FORMS) as Form[]).filter((form) => {
    const found = program.getSemanticDiagnostics(sourceOf(form));
    isTyped &&= found.every(({ code }) => code !== UNTYPED);
    return found.every(({ code }) => code === UNTYPED);
  });
  if (forms.length === 0) return null;
  const kindOf = (type: ts.Type): Kind =>
    type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0 ? "function" : "value";
  const valueOf = (form: Form): ts.Type => {
    const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(sourceOf(form))!);
    return checker.getTypeOfSymbol(exports.find(({ name }) => name === "value")!);
  };
  const names = new Map<string, Kind>();
  const imported = sourceOf("namespace").statements[0] as ts.ImportDeclaration;
  const module = isTyped ? checker.getSymbolAtLocation(imported.moduleSpecifier) : undefined;
  for (const symbol of module === undefined ? [] : checker.getExportsAndPropertiesOfModule(module)) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const isType = (target.flags & ts.SymbolFlags.Value) === 0;
    if (isType || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(symbol.name)) continue;
    if (["default", "prototype"].includes(symbol.name)) continue;
    names.set(symbol.name, kindOf(checker.getTypeOfSymbol(target)));
  }
  const defaultKind = isTyped && forms.includes("default") ? kindOf(valueOf("default")) : "value";
  return { specifier, forms, names: isTyped ? names : null, defaultKind };
}

const fileOf = (folder: string, at: number, form: Form): string =>
  path.join(folder, `__import_${at}_${form}.ts`);

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Those that `exports` names; without it, files and folders at the top, without their extension. */
function subpathsOf(folder: string, name: string): string[] {
  const home = path.join(folder, "node_modules", name);
  const manifest = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8")) as {
    readonly exports?: unknown;
  };
  const { exports } = manifest;
  if (typeof exports === "object" && exports !== null) {
    const keys = Object.keys(exports).filter(
      (key) => /^\.\/[^*]*[^*/]$/.test(key) && !/\.(?:css|json|d\.ts)$/.test(key),
    );
    return keys.slice(0, MAX_SUBPATHS).map((key) => `${name}/${key.slice(2)}`);
  }
  if (exports !== undefined) return [];
  const entries = ["", "lib", "dist"].flatMap((inner) => {
    const place = path.join(home, inner);
    if (!existsSync(place)) return [];
    return readdirSync(place, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() &&
          /^(?!.*(?:config|[Gg]runtfile|gulpfile|karma|\.min|test|cli|bin|browser))[\w-]+\.js$/.test(
            entry.name,
          ),
      )
      .slice(0, 1)
      .map((entry) => path.posix.join(inner, entry.name.replace(/\.js$/, "")));
  });
  return entries.slice(0, MAX_SUBPATHS).map((entry) => `${name}/${entry}`);
}
