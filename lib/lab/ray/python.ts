// Finds a Python that has Ray. Ray Client requires the cluster's versions of Python and Ray, so it must be the user's
// Python and not one that set-up makes.
import { pythonWith } from "../../installation/python_with.ts";
import { RayError } from "./errors.ts";

/**
 * @returns the Python of `MPSLAB_RAY_PYTHON` if that is set, otherwise the first with Ray
 * @throws RayError if none has Ray
 */
export function rayPython(environment: NodeJS.ProcessEnv = process.env): string {
  const { MPSLAB_RAY_PYTHON: named } = environment;
  const { python, tried } = pythonWith("ray", named, environment);
  if (python !== null) return python;
  throw new RayError(
    named
      ? `MPSLAB_RAY_PYTHON is ${named}, which has no Ray: name a Python with Ray, or install it there by ${named} -m pip install "ray[client]".`
      : `No Python here has Ray (${tried.join(", ")}): install the cluster's version by ${tried[0]} -m pip install "ray[client]", or name a Python that has it in MPSLAB_RAY_PYTHON.`,
  );
}
