// JupyterLab of this installation's Python environment, in the foreground, with its kernel.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { INSTALLER } from "../../lib/installation/package.ts";
import { PROJECT_DATA_FOLDER, writeKernelspec } from "./kernelspec.ts";
import { CommandError, venvProgram } from "./project.ts";
import { setUp } from "./set_up.ts";

/** Opens JupyterLab; `args` are its own. Resolves with its exit code. */
export async function lab(args: readonly string[]): Promise<number> {
  await setUp({ jupyter: true });
  // JupyterLab refuses to run as root unless told so; in a container there is nobody else.
  const asRoot = process.getuid?.() === 0 && !args.includes("--allow-root") ? ["--allow-root"] : [];
  return await runInForeground(venvProgram("jupyter-lab"), [...args, ...asRoot]);
}

function runInForeground(program: string, args: readonly string[]): Promise<number> {
  if (!existsSync(program)) {
    const wayOut = { clone: "npm start once", npm: "npx mpslab setup", pip: "pip install jupyterlab" };
    throw new CommandError(`${program} is missing: run ${wayOut[INSTALLER]}.`);
  }
  // pip has put one into its environment.
  if (INSTALLER !== "pip") writeKernelspec(PROJECT_DATA_FOLDER);
  const jupyterPath = [PROJECT_DATA_FOLDER, process.env["JUPYTER_PATH"]].filter(Boolean).join(delimiter);
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { ...process.env, JUPYTER_PATH: jupyterPath },
  });
  // The terminal sends its signals to the child as well, which says when it is done with them.
  const wait = (): void => {};
  process.on("SIGINT", wait);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => done(code ?? 1));
  });
}
