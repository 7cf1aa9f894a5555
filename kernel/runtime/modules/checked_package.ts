// The function that local files call for their imports of CommonJS packages. It is loaded in the thread in which the
// file runs.
import { createRequire } from "node:module";
import { isObject } from "../objects.ts";
import { type ModuleNamespace, withExportedNames } from "./checked_names.ts";

const { cache } = createRequire(import.meta.url);

/**
 * @param names the names that the import asks for
 * @throws SyntaxError, as Node does, for one that the package does not have
 */
export function __mpslab_checked(
  module: ModuleNamespace,
  specifier: string,
  names: readonly string[],
): object {
  const exported = module.default;
  const isCommonJs =
    isObject(exported) && Object.values(cache).some((loaded) => loaded?.exports === exported);
  const all = isCommonJs ? withExportedNames(module, exported) : module;
  const missing = names.find((name) => name !== "default" && !(name in all));
  if (missing === undefined) return "default" in all ? all : { ...all, default: all };
  throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${missing}'`);
}
