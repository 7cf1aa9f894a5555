// The notebook's own files: where an import of one leads, and a fingerprint that changes when the file or anything
// that it imports has changed. Reads files; knows nothing of Node's loader.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const MODULE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;
const PARSED = /\.(?:m?[jt]s|[jt]sx)$/;

interface Scanned {
  readonly stamp: string;
  /** Specifiers of local files, as written. */
  readonly imports: readonly string[];
}

const scanned = new Map<string, Scanned>();

/** The file that an import names, by TypeScript's rules: extensions may be left out, `./a.js` may mean `./a.ts`. */
export function resolveLocal(specifier: string, importer: string): string | null {
  const target = localPath(specifier, importer);
  if (target === null) return null;
  const written = [target, target.replace(/\.(m?)js$/, ".$1ts"), target.replace(/\.jsx?$/, ".tsx")];
  const completed = [".ts", ".tsx", ".mts", ".js", ".mjs", ".json"].flatMap((extension) => [
    target + extension,
    path.join(target, `index${extension}`),
  ]);
  return [...written, ...completed].find((file) => MODULE.test(file) && isFile(file)) ?? null;
}

/** Files of packages never change under a running notebook. */
export function isInPackage(file: string): boolean {
  return file.includes(`${path.sep}node_modules${path.sep}`);
}

export function fingerprint(file: string): string {
  const reached = new Map<string, string>();
  visit(file, reached);
  const stamps = [...reached].map(([name, stamp]) => `${name}\0${stamp}`).sort();
  return createHash("sha1").update(stamps.join("\n")).digest("hex").slice(0, 12);
}

function visit(file: string, reached: Map<string, string>): void {
  if (reached.has(file) || isInPackage(file)) return;
  const { stamp, imports } = scan(file);
  reached.set(file, stamp);
  for (const specifier of imports) {
    const next = resolveLocal(specifier, file);
    if (next !== null) visit(next, reached);
  }
}

function scan(file: string): Scanned {
  const { mtimeMs, size } = statSync(file);
  const stamp = `${mtimeMs}:${size}`;
  const known = scanned.get(file);
  if (known?.stamp === stamp) return known;
  const fresh = { stamp, imports: PARSED.test(file) ? localImports(file) : [] };
  scanned.set(file, fresh);
  return fresh;
}

function localImports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const { module } = parseSync(file, text);
  const specifiers = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest) specifiers.push(moduleRequest.value);
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

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}
