// Finds a Python of the user's that has a package which mpslab does not install: Ray, Optuna.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { pythonPrefix } from "./package.ts";

/** A Python that has the package, or those that were tried. */
export type FoundPython =
  | { readonly python: string; readonly tried: null }
  | { readonly python: null; readonly tried: readonly string[] };

/**
 * @param named the Python that the user names, which then must have it; otherwise the first with it: of the active environment, of
 *   the one that opens notebooks, of the PATH
 */
export function pythonWith(
  module: string,
  named: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): FoundPython {
  const { VIRTUAL_ENV, CONDA_PREFIX } = environment;
  const prefixes = [VIRTUAL_ENV, CONDA_PREFIX, pythonPrefix()].flatMap((prefix) => prefix || []);
  const usual = [...prefixes.map((prefix) => path.join(prefix, "bin", "python")), "python3"];
  const tried = named ? [named] : [...new Set(usual)];
  const python = tried.find((each) => has(each, module));
  return python === undefined ? { python: null, tried } : { python, tried: null };
}

function has(python: string, module: string): boolean {
  const program = `import importlib.util, sys; sys.exit(importlib.util.find_spec('${module}') is None)`;
  return spawnSync(python, ["-c", program], { stdio: "ignore" }).status === 0;
}
