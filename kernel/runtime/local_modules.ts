// Loader hooks for the notebook's own modules; Node runs them in a thread of their own. TypeScript is compiled as it
// is loaded, and a module whose files changed gets another URL, so that the next import loads it again:
// `./model.ts` -> `file:///home/me/model.ts?changed=3f2a...`
import { readFileSync } from "node:fs";
import type { LoadHook, ResolveHook } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformSync } from "oxc-transform";
import { syntaxErrorIn } from "./broken_file.ts";
import { fingerprint, isInPackage, resolveLocal } from "./local_graph.ts";

export interface LocalModulesData {
  /** URLs of the packages that are ours wherever the notebook lies. */
  readonly ownModules: Readonly<Record<string, string>>;
  /** Where this program lies: its modules must not be loaded a second time under another URL. */
  readonly ownCode: string;
}

const TYPESCRIPT = /\.(?:m?ts|tsx)$/;
let own: LocalModulesData = { ownModules: {}, ownCode: "" };

export function initialize(data: LocalModulesData): void {
  own = data;
}

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const url = own.ownModules[specifier];
  if (url !== undefined) return { url, shortCircuit: true };
  const importer = context.parentURL ?? "";
  if (!importer.startsWith("file:") || importer.startsWith(own.ownCode))
    return nextResolve(specifier, context);
  if (isInPackage(fileURLToPath(importer))) return nextResolve(specifier, context);
  const file = resolveLocal(specifier, fileURLToPath(importer));
  if (file === null || isInPackage(file)) return nextResolve(specifier, context);
  return { url: `${pathToFileURL(file).href}?changed=${fingerprint(file)}`, shortCircuit: true };
};

export const load: LoadHook = (url, context, nextLoad) => {
  if (!url.startsWith("file:")) return nextLoad(url, context);
  const file = fileURLToPath(url);
  if (isInPackage(file)) return nextLoad(url, context);
  if (TYPESCRIPT.test(file)) return { format: "module", source: compile(file), shortCircuit: true };
  if (file.endsWith(".json") && context.importAttributes["type"] === undefined)
    return { format: "module", source: `export default ${readFileSync(file, "utf8")}`, shortCircuit: true };
  return nextLoad(url, context);
};

function compile(file: string): string {
  const text = readFileSync(file, "utf8");
  const { code, errors } = transformSync(file, text);
  const [error] = errors;
  if (error) throw syntaxErrorIn(file, text) ?? new SyntaxError(`${file}: ${error.message}`);
  return code;
}
