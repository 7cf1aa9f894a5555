// Set-up of a package that npm installed, in one folder for all of a user's projects: libtorch, JupyterLab, and the addon
// where npm brought none for this machine. `kernel/cli/set_up.ts` calls it; a clone has `native/setup.mjs`.
import { mkdirSync } from "node:fs";
import { buildAddon } from "./build.mjs";
import { checkFolder } from "./folder.mjs";
import { checkNode } from "./node_support.mjs";
import { checkPlatform, readPlatform } from "./platform.mjs";
import { findTorch, setUpCmake, setUpJupyter } from "./python.mjs";
import { SetupError, allOrFirstFailure, createReport, explainUnwritable } from "./report.mjs";

/**
 * Skips each part that is there already.
 *
 * @param {string} root the package's folder, which is only read
 * @param {string} folder the user's folder, for `.venv` and `build/`
 * @param {{ jupyter: boolean, compile: boolean }} parts what the command needs beside libtorch
 */
export async function setUpForUser(root, folder, { jupyter, compile }) {
  checkNode();
  checkPlatform(await readPlatform());
  checkFolder(folder);
  if (compile) checkFolder(root);
  const report = createReport(folder);
  try {
    mkdirSync(folder, { recursive: true });
    const torch = findTorch(folder, report);
    await allOrFirstFailure([
      torch,
      jupyter ? setUpJupyter(folder, report, root) : null,
      compile ? setUpCmake(folder, report) : null,
    ]);
    if (compile) await buildAddon(folder, report, await torch, { asan: false, sources: root });
  } catch (error) {
    const sentence = explainUnwritable(error, folder, "set XDG_DATA_HOME to a folder of yours");
    throw sentence === null ? error : new SetupError(sentence, { cause: error });
  }
}
