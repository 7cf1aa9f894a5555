// Loader hooks for local modules, which Node runs in their own thread. TypeScript is compiled as it is loaded. A module
// whose files changed gets another URL, so that the next import loads it again: `./model.ts` ->
// `file:///home/me/model.ts?changed=3f2a...`
import { readFileSync } from "node:fs";
import type { LoadHook, ResolveFnOutput, ResolveHook } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TypeScriptOptions } from "../../cell/names.ts";
import { helperUrl } from "./compiler_helpers.ts";
import { isTypeScript } from "./file_kinds.ts";
import { fileAt, fingerprint, isInPackage, resolveLocal } from "./local_graph.ts";
import { compileFile, setTypeScriptOptions } from "./local_source.ts";

export interface LocalModulesData {
  /** URLs of our own packages, which can be imported from any folder. */
  readonly ownModules: Readonly<Record<string, string>>;
  /** The folder of this program. Its modules must not be loaded a second time under another URL. */
  readonly ownCode: string;
  readonly typescript: TypeScriptOptions;
}

let own: Omit<LocalModulesData, "typescript"> = { ownModules: {}, ownCode: "" };

/**
 * Called again, with the same hooks, when the folder's tsconfig has changed. The compiler is imported here, since Node
 * 22 cannot `require` an ES module in the thread of the hooks unless it has been loaded.
 */
export async function initialize({ typescript, ...data }: LocalModulesData): Promise<void> {
  own = data;
  setTypeScriptOptions(typescript);
  await Promise.all([import("oxc-parser"), import("oxc-transform")]);
}

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const url = own.ownModules[specifier] ?? helperUrl(specifier);
  if (url !== null) return { url, shortCircuit: true };
  const importer = context.parentURL ?? "";
  if (!importer.startsWith("file:") || importer.startsWith(own.ownCode))
    return nextResolve(specifier, context);
  if (isInPackage(fileURLToPath(importer))) return nextResolve(specifier, context);
  const file = resolveLocal(specifier, fileURLToPath(importer));
  if (file !== null && !isInPackage(file)) return { url: stamped(file), shortCircuit: true };
  const resolved = await resolveAsNode(() => nextResolve(specifier, context));
  const isOurs = resolved.url.startsWith("file:") && !resolved.url.startsWith(own.ownCode);
  // A subpath of the notebook's own package, or a package of its workspace, is a local file too.
  if (!isOurs || isInPackage(fileURLToPath(resolved.url))) return resolved;
  return { url: stamped(fileURLToPath(resolved.url)), shortCircuit: true };
};

/** `"#lib/*": "./lib/*.js"` may stand for a TypeScript file, as in any path. */
async function resolveAsNode(
  next: () => ResolveFnOutput | Promise<ResolveFnOutput>,
): Promise<ResolveFnOutput> {
  try {
    return await next();
  } catch (error) {
    const { url } = error as { url?: string };
    const file = url?.startsWith("file:") ? fileAt(fileURLToPath(url)) : null;
    if (file === null) throw error;
    return { url: pathToFileURL(file).href };
  }
}

function stamped(file: string): string {
  return `${pathToFileURL(file).href}?changed=${fingerprint(file)}`;
}

export const load: LoadHook = (url, context, nextLoad) => {
  if (!url.startsWith("file:")) return nextLoad(url, context);
  const file = fileURLToPath(url);
  if (isInPackage(file)) return nextLoad(url, context);
  if (isTypeScript(file)) return { format: "module", source: compileFile(file).code, shortCircuit: true };
  if (file.endsWith(".json") && context.importAttributes["type"] === undefined)
    return { format: "module", source: jsonModule(readFileSync(file, "utf8")), shortCircuit: true };
  return nextLoad(url, context);
};

/** A module for a JSON file: its value, and its keys as named exports, which TypeScript allows. */
function jsonModule(text: string): string {
  const value: unknown = JSON.parse(text);
  const isNamed = typeof value === "object" && value !== null && !Array.isArray(value);
  const keys = isNamed ? Object.keys(value).filter((key) => key !== "default") : [];
  const names = keys.map(
    (key, at) =>
      `const key${at} = value[${JSON.stringify(key)}]; export { key${at} as ${JSON.stringify(key)} };`,
  );
  return `const value = ${text}; export default value; ${names.join(" ")}`;
}
