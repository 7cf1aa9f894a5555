// Which Python packages chosen test files need, so that the tests of one room run without a JupyterLab: found from their
// texts and those of what they import below test/.
import { closure, namedFiles } from "./graph.mjs";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Rooms that may do without Jupyter. The others open notebooks, or install. */
const OF_LIBRARY = /^test\/(lib|native(?!\/setup)|device|simulated_metal|house|runner|operators)\//;
const OF_JUPYTER = /jupyter_(tools|server|lab)|venvProgram|python_environment|kernel_process/;
const PYTHON = /\.venv\/bin\/python/;
/** What the programs beside tests of the library import, besides PyTorch. */
const OF_PEERS = ["safetensors"];

/**
 * @param {string} root
 * @param {readonly string[]} files of the project
 * @param {readonly string[]} tests that are chosen
 * @returns {readonly string[] | "all"} names in `requirements.txt`; none where no Python runs
 */
export function pythonPackages(root, files, tests) {
  if (!tests.every((file) => OF_LIBRARY.test(file))) return "all";
  const inTests = files.filter((file) => /^test\/.*\.(ts|mjs)$/.test(file));
  const texts = [...closure(namedFiles(root, inTests), tests)].map((file) =>
    readFileSync(path.join(root, file), "utf8"),
  );
  if (texts.some((text) => OF_JUPYTER.test(text))) return "all";
  return texts.some((text) => PYTHON.test(text)) ? OF_PEERS : [];
}
