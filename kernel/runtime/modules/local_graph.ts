// Resolves imports of local files, and computes a fingerprint that changes when the file or anything that it imports
// has changed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "../../../lib/typescript/oxc.ts";
import { refuseDeepNesting } from "../../../lib/typescript/parse.ts";
import { isCode } from "./file_kinds.ts";
import { typeScriptOptions } from "./local_source.ts";

const REQUIRED = /\brequire\(\s*(["'])((?:(?!\1).)+)\1\s*\)/g;

interface Scanned {
  readonly stamp: string;
  /** Specifiers of local files, as written. */
  readonly imports: readonly string[];
}

const scanned = new Map<string, Scanned>();

/** The file that an import names by a path, or by a pattern of the tsconfig's `paths`. */
export function resolveLocal(specifier: string, importer: string): string | null {
  const target = localPath(specifier, importer);
  return target === null ? resolvePattern(specifier) : fileAt(target);
}

/** Chooses the pattern with the longest text before its `*`, as TypeScript does. */
function resolvePattern(specifier: string): string | null {
  let longest = -1;
  let found: string | null = null;
  for (const [pattern, targets] of Object.entries(typeScriptOptions().paths)) {
    const [before = "", after] = pattern.split("*");
    const isExact = after === undefined && specifier === pattern;
    const fits =
      after !== undefined &&
      specifier.length >= before.length + after.length &&
      specifier.startsWith(before) &&
      specifier.endsWith(after);
    const length = isExact ? Infinity : before.length;
    if (!(isExact || fits) || length <= longest) continue;
    const part = isExact ? "" : specifier.slice(before.length, specifier.length - (after as string).length);
    longest = length;
    found = targets.map((target) => fileAt(target.replace("*", part))).find((file) => file !== null) ?? null;
  }
  return found;
}

/** Returns the file at a path by TypeScript's rules: extensions may be left out, and `./a.js` may mean `./a.ts`. */
export function fileAt(target: string): string | null {
  const written = [target, target.replace(/\.(m?)js$/, ".$1ts"), target.replace(/\.jsx?$/, ".tsx")];
  const completed = [".ts", ".tsx", ".mts", ".js", ".mjs", ".json"].flatMap((extension) => [
    target + extension,
    path.join(target, `index${extension}`),
  ]);
  return (
    [...written, ...completed].find((file) => (isCode(file) || file.endsWith(".json")) && isFile(file)) ??
    null
  );
}

/** Files of packages never change under a running notebook. */
export function isInPackage(file: string): boolean {
  return file.includes(`${path.sep}node_modules${path.sep}`);
}

/** A stamp that changes when the file is written. */
export function stampOf(file: string): string {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined ? "gone" : `${status.mtimeMs}:${status.size}`;
}

export function fingerprint(file: string): string {
  const reached = new Map<string, string>();
  visit(file, reached);
  const stamps = [...reached].map(([name, stamp]) => `${name}\0${stamp}`).sort();
  return createHash("sha1").update(stamps.join("\n")).digest("hex").slice(0, 12);
}

/** The file and all local files that it imports. */
export function reachedFiles(file: string): string[] {
  const reached = new Map<string, string>();
  visit(file, reached);
  return [...reached.keys()];
}

/**
 * The local files that a text imports, and all files that those import. The text's imports resolve as if it stood in
 * the file `importer`.
 */
export function filesReachedFrom(text: string, importer: string): string[] {
  const reached = new Map<string, string>();
  visitAll(localImports(text, importer), importer, reached);
  return [...reached.keys()];
}

function visit(file: string, reached: Map<string, string>): void {
  if (reached.has(file) || isInPackage(file)) return;
  const { stamp, imports } = scan(file);
  reached.set(file, stamp);
  visitAll(imports, file, reached);
}

function visitAll(specifiers: readonly string[], importer: string, reached: Map<string, string>): void {
  for (const specifier of specifiers) {
    const next = resolveLocal(specifier, importer) ?? resolveSubpath(specifier, importer);
    if (next !== null) visit(next, reached);
  }
}

function scan(file: string): Scanned {
  const stamp = stampOf(file);
  const known = scanned.get(file);
  if (known?.stamp === stamp) return known;
  const fresh = { stamp, imports: isCode(file) ? localImports(readFileSync(file, "utf8"), file) : [] };
  scanned.set(file, fresh);
  return fresh;
}

/** Type-only imports are left out: they load no code, so changes behind them reload nothing. */
function localImports(text: string, file: string): string[] {
  refuseDeepNesting(text);
  const { module } = parseSync(file, text);
  const specifiers = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest && !isType) specifiers.push(moduleRequest.value);
  if (!module.hasModuleSyntax)
    for (const [, , specifier = ""] of text.matchAll(REQUIRED)) specifiers.push(specifier);
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^["'](.*)["']$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (literal !== undefined) specifiers.push(literal);
  }
  return specifiers;
}

function localPath(specifier: string, importer: string): string | null {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  if (/^\.{1,2}\//.test(specifier)) return path.resolve(path.dirname(importer), specifier);
  return path.isAbsolute(specifier) ? specifier : null;
}

/** Resolves `#name` by the `imports` of the nearest package.json; null if there is no file. */
function resolveSubpath(specifier: string, importer: string): string | null {
  if (!specifier.startsWith("#")) return null;
  try {
    return createRequire(importer).resolve(specifier);
  } catch (error) {
    // `./lib/*.js` in `imports` may stand for a TypeScript file, as in any path.
    const file = /^Cannot find module '([^']+)'/.exec((error as Error).message)?.[1];
    return file === undefined || !path.isAbsolute(file) ? null : fileAt(file);
  }
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}
