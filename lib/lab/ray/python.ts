// Finds a Python that has Ray. Ray Client requires the cluster's versions of Python and Ray, so it must be the user's
// Python and not one that set-up makes.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { pythonPrefix } from "../../installation/package.ts";
import { RayError } from "./errors.ts";

const HAS_RAY = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ray') is None)";

/**
 * @returns the Python of `MPSLAB_RAY_PYTHON` if that is set, otherwise the first with Ray: of the active environment, of
 *   the one that opens notebooks, of the PATH
 * @throws RayError if none has Ray
 */
export function rayPython(environment: NodeJS.ProcessEnv = process.env): string {
  const { MPSLAB_RAY_PYTHON: named, VIRTUAL_ENV, CONDA_PREFIX } = environment;
  if (named) {
    if (hasRay(named)) return named;
    throw new RayError(
      `MPSLAB_RAY_PYTHON is ${named}, which has no Ray: name a Python with Ray, or install it there by ${named} -m pip install "ray[client]".`,
    );
  }
  const prefixes = [VIRTUAL_ENV, CONDA_PREFIX, pythonPrefix()].flatMap((prefix) => prefix || []);
  const pythons = [...new Set([...prefixes.map((prefix) => path.join(prefix, "bin", "python")), "python3"])];
  const found = pythons.find(hasRay);
  if (found !== undefined) return found;
  throw new RayError(
    `No Python here has Ray (${pythons.join(", ")}): install the cluster's version by ${pythons[0]} -m pip install "ray[client]", or name a Python that has it in MPSLAB_RAY_PYTHON.`,
  );
}

function hasRay(python: string): boolean {
  return spawnSync(python, ["-c", HAS_RAY], { stdio: "ignore" }).status === 0;
}
