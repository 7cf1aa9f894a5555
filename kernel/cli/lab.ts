// JupyterLab of this installation's Python environment, in the foreground, with its kernel.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { INSTALLER, pythonPrefix } from "../../lib/installation/package.ts";
import { WAY_OUT } from "../../lib/installation/ways_out.ts";
import { jupyterDataFolder } from "../../lib/platform/folders.ts";
import { failureReason } from "../../lib/whole_file.ts";
import { opensOn } from "./first_notebook.ts";
import { knowsThisKernel, PROJECT_DATA_FOLDER, prefixDataFolder, writeKernelspec } from "./kernelspec.ts";
import { CommandError, venvProgram } from "./project.ts";
import { setUp } from "./set_up.ts";

/** Opens JupyterLab; `args` are its own. Resolves with its exit code. */
export async function lab(args: readonly string[]): Promise<number> {
  await setUp({ jupyter: true });
  // Python is started, and not the script that pip wrote for JupyterLab: in a copied clone that script would start the
  // first clone's Python, and in a folder with a name like `my $5` it would start none.
  if (!existsSync(venvProgram("jupyter-lab")))
    throw new CommandError(`JupyterLab is not in ${pythonPrefix()}: run ${WAY_OUT.jupyter}.`);
  requireFolderOfJupyter();
  makeKernelKnown();
  // JupyterLab refuses to run as root unless told so; in a container there is nobody else.
  const asRoot = process.getuid?.() === 0 && !args.includes("--allow-root") ? ["--allow-root"] : [];
  return await runInForeground(venvProgram("python"), ["-m", "jupyterlab", ...onNotebook(args), ...asRoot]);
}

/** A notebook that is named opens from the printed link too, unless the arguments say otherwise. */
function onNotebook(args: readonly string[]): readonly string[] {
  const named = args.filter((arg) => !arg.startsWith("-") && arg.endsWith(".ipynb") && existsSync(arg));
  const setsFolder = args.some((arg) => /^--(?:\w+\.)?(?:root_dir|notebook-dir|default_url)\b/.test(arg));
  if (named.length !== 1 || setsFolder) return args;
  const file = resolve(named[0]!);
  return [...args.filter((arg) => arg !== named[0]), ...opensOn(dirname(file), file)];
}

/**
 * pip has put a kernelspec into its environment. Set-up has done so for a clone too, because a clone may be read-only
 * by now.
 */
function makeKernelKnown(): void {
  if (INSTALLER === "pip") return;
  try {
    writeKernelspec(PROJECT_DATA_FOLDER);
  } catch (error) {
    if (!knowsThisKernel(prefixDataFolder(pythonPrefix()))) throw error;
  }
}

/** Without this check JupyterLab would end with several tracebacks. */
function requireFolderOfJupyter(): void {
  const folder = process.env["JUPYTER_RUNTIME_DIR"] || join(jupyterDataFolder(), "runtime");
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new CommandError(
      `JupyterLab keeps its files in ${folder}, and ${failureReason(folder, error)}: set HOME to a folder that you may write.`,
    );
  }
}

function runInForeground(program: string, args: readonly string[]): Promise<number> {
  const jupyterPath = [PROJECT_DATA_FOLDER, process.env["JUPYTER_PATH"]].filter(Boolean).join(delimiter);
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { ...process.env, JUPYTER_PATH: jupyterPath },
  });
  // The terminal sends its signals to the child as well, and the child decides when it ends.
  const wait = (): void => {};
  process.on("SIGINT", wait);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => done(code ?? 1));
  });
}
