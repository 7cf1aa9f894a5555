// Offers TypeScript for Python in a cell. The converter is loaded at the first error that may come from Python code.
import type { Adviser } from "../language/service.ts";
import type { PythonAnswer } from "../python/hints.ts";

/**
 * Unknown names, missing members, and arguments that do not fit: "Cannot find name 'x'.", "Property 'x' does not exist on
 * type 'y'.", "Expected 1 arguments, but got 2.", "No overload matches this call."
 */
const MAY_BE_PYTHON = new Set([
  2304, 2339, 2345, 2348, 2349, 2353, 2503, 2551, 2552, 2554, 2555, 2559, 2584, 2588, 2632, 2740, 2769, 7053,
  18004,
]);

export const pythonAdviser: Adviser = async ({ code, text, around }, types) => {
  if (!MAY_BE_PYTHON.has(code)) return [];
  const { offersForNames } = await import("../python/hints.ts");
  return offersForNames(text, around, await types());
};

/** For a text that TypeScript cannot read. */
export async function answerSyntax(
  text: string,
  offset: number,
  types: ReadonlyMap<string, string>,
): Promise<PythonAnswer> {
  const { answerForSyntax } = await import("../python/hints.ts");
  return answerForSyntax(text, offset, types);
}
