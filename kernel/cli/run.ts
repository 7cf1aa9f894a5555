// Runs Jupyter's programs from the project's Python environment, in the foreground, with this project's kernel.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { PROJECT_DATA_FOLDER, writeKernelspec } from "./kernelspec.ts";
import { CommandError, EXECUTE_SCRIPT, REPLAY_SCRIPT, SWEEP_SCRIPT, venvProgram } from "./project.ts";

/** Opens JupyterLab; `args` are its own. Resolves with its exit code. */
export function lab(args: readonly string[]): Promise<number> {
  // JupyterLab refuses to run as root unless told so; in a container there is nobody else.
  const asRoot = process.getuid?.() === 0 && !args.includes("--allow-root") ? ["--allow-root"] : [];
  return runInForeground(venvProgram("jupyter-lab"), [...args, ...asRoot]);
}

export interface ExecuteOptions {
  readonly notebook: string;
  /** The folder for what comes of it; `output/` under the current one if not said. */
  readonly output?: string | undefined;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Whether cells after a failed one run as well. */
  readonly allowErrors?: boolean | undefined;
}

/** Executes a notebook headless; writes it and an HTML page. Resolves with the exit code: 1 where a cell failed. */
export function execute({ notebook, output, timeout, allowErrors }: ExecuteOptions): Promise<number> {
  const file = notebookAt(notebook);
  const options = ["--output", resolve(output ?? "output")];
  if (timeout !== undefined) options.push("--timeout", String(timeout));
  if (allowErrors) options.push("--allow-errors");
  // Nobody answers a cell's question here, whoever holds the terminal.
  return runInForeground(venvProgram("python"), [EXECUTE_SCRIPT, file, ...options], "ignore");
}

export interface ReplayOptions {
  readonly notebook: string;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** How far numbers may be apart, as a share; 0 on the machine that stored them, 0.01 on another. */
  readonly tolerance?: number | undefined;
  /** Keeps this run's outputs, checksums and byte counts in the notebook instead of comparing them. */
  readonly store?: boolean | undefined;
}

/** Runs a notebook again and compares. Resolves with the exit code: 1 where something differs. */
export function replay({ notebook, timeout, tolerance, store }: ReplayOptions): Promise<number> {
  const options: string[] = [];
  if (timeout !== undefined) options.push("--timeout", String(timeout));
  if (tolerance !== undefined) options.push("--tolerance", String(tolerance));
  if (store) options.push("--store");
  return runInForeground(venvProgram("python"), [REPLAY_SCRIPT, notebookAt(notebook), ...options], "ignore");
}

export interface PapermillOptions {
  readonly notebook: string;
  /** Names and values with commas between them, as `["batchSize", "32,64"]`. */
  readonly parameters: readonly (readonly [string, string])[];
  /** A YAML file of names and lists of values. */
  readonly grid?: string | undefined;
  /** The folder for notebooks, journal and table; `output/` and the notebook's name if not said. */
  readonly output?: string | undefined;
  /** Fixes the order of the points; 0 if not said. */
  readonly seed?: number | undefined;
  /** Seconds that a cell may take. */
  readonly timeout?: number | undefined;
  /** Whether an earlier run of the same sweep is left, and not gone on with. */
  readonly restart?: boolean | undefined;
  /** Whether points may fail, as long as one succeeds: out of memory may be the answer that was looked for. */
  readonly allowErrors?: boolean | undefined;
}

/** Runs a notebook once for each point of a grid. Resolves with the exit code: 1 where a point failed that may not. */
export function papermill(options: PapermillOptions): Promise<number> {
  const { notebook, parameters, grid, output, seed, timeout, restart, allowErrors } = options;
  const file = notebookAt(notebook);
  const args = ["--output", resolve(output ?? join("output", basename(file, ".ipynb")))];
  // As one word each: a value may begin with a minus.
  for (const [name, values] of parameters) args.push("--parameter", name, ` ${values}`);
  if (grid !== undefined) args.push("--grid", resolve(grid));
  if (seed !== undefined) args.push("--seed", String(seed));
  if (timeout !== undefined) args.push("--timeout", String(timeout));
  if (restart) args.push("--restart");
  if (allowErrors) args.push("--allow-errors");
  return runInForeground(venvProgram("python"), [SWEEP_SCRIPT, file, ...args], "ignore");
}

function notebookAt(notebook: string): string {
  const file = resolve(notebook);
  if (!existsSync(file)) throw new CommandError(`There is no notebook ${file}: check the path.`);
  return file;
}

function runInForeground(
  program: string,
  args: readonly string[],
  stdin: "inherit" | "ignore" = "inherit",
): Promise<number> {
  if (!existsSync(program)) {
    throw new CommandError(
      `${program} is missing: run npm start once, which sets up the Python environment.`,
    );
  }
  writeKernelspec(PROJECT_DATA_FOLDER);
  const jupyterPath = [PROJECT_DATA_FOLDER, process.env["JUPYTER_PATH"]].filter(Boolean).join(delimiter);
  const child = spawn(program, args, {
    stdio: [stdin, "inherit", "inherit"],
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
