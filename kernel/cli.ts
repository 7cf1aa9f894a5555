#!/usr/bin/env node
// The command line, `npx mpslab`. Names the commands, reads their options and hands over; the work is in `cli/`.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pythonPrefix } from "../lib/installation/package.ts";
import { jupyterDataFolder } from "../lib/platform/folders.ts";
import { doctor } from "./cli/doctor.ts";
import { HELP } from "./cli/help.ts";
import { firstNotebook } from "./cli/first_notebook.ts";
import { prefixDataFolder, writeKernelspec } from "./cli/kernelspec.ts";
import { lab } from "./cli/lab.ts";
import {
  notebookAt,
  outputFolder,
  parametersIn,
  parsed,
  readCluster,
  readJobs,
  readTimeout,
  readTolerance,
} from "./cli/options.ts";
import { CommandError } from "./cli/project.ts";
import { setUp } from "./cli/set_up.ts";
import { uninstall } from "./cli/uninstall.ts";
import { complain, say } from "./cli/terminal.ts";
import { visibleLine } from "../lib/visible.ts";

const { version: VERSION } = createRequire(import.meta.url)("mpslab/package.json") as {
  readonly version: string;
};

type Command = (args: readonly string[]) => number | Promise<number>;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["setup", setUpAll],
  ["install", install],
  ["uninstall", uninstallAll],
  ["lab", lab],
  ["execute", executeNotebook],
  ["run", runProgram],
  ["check", async (args) => (await import("./cli/check/check_files.ts")).check(parsed(args, {}).positionals)],
  ["replay", replayNotebook],
  ["rerun", rerunRun],
  ["runs", listRuns],
  ["report", writeReport],
  ["bundle", bundleRun],
  ["smoke", smokeBundle],
  ["papermill", sweepNotebook],
  // Not for users: only the tasks that a sweep starts on Ray call this command.
  ["ray-point", async () => (await import("./cli/sweep/ray_point.ts")).rayPoint()],
  ["doctor", examineInstallation],
]);

async function setUpAll(args: readonly string[]): Promise<number> {
  const { values } = parsed(args, { compile: { type: "boolean", default: false } }, 0);
  await setUp({ jupyter: true, compile: values.compile });
  return await doctor();
}

/** The options of `install` and `uninstall`. */
const WHICH_JUPYTER = {
  user: { type: "boolean", default: false },
  "sys-prefix": { type: "boolean", default: false },
  prefix: { type: "string" },
} as const;

interface ChosenJupyter {
  readonly user: boolean;
  readonly prefix?: string | undefined;
  readonly "sys-prefix": boolean;
}

/** The data folder of the Jupyter that the options name. */
function chosenDataFolder({ user, prefix, "sys-prefix": sysPrefix }: ChosenJupyter): string {
  if ([user, prefix !== undefined, sysPrefix].filter(Boolean).length > 1) {
    throw new CommandError("Choose one of --user, --sys-prefix and --prefix.");
  }
  const { VIRTUAL_ENV, CONDA_PREFIX } = process.env;
  const chosen = sysPrefix ? (VIRTUAL_ENV ?? CONDA_PREFIX ?? pythonPrefix()) : prefix;
  return chosen === undefined ? jupyterDataFolder() : prefixDataFolder(chosen);
}

async function install(args: readonly string[]): Promise<number> {
  const dataFolder = chosenDataFolder(parsed(args, WHICH_JUPYTER, 0).values);
  // No Jupyter is set up here: the one that gets the kernelspec opens the notebooks.
  await setUp({ jupyter: false });
  say(`installed ${writeKernelspec(dataFolder)}\n`);
  return 0;
}

function uninstallAll(args: readonly string[]): number {
  const { values } = parsed(args, { ...WHICH_JUPYTER, history: { type: "boolean", default: false } }, 0);
  return uninstall({ dataFolder: chosenDataFolder(values), history: values.history });
}

async function examineInstallation(args: readonly string[]): Promise<number> {
  const { values } = parsed(args, { report: { type: "boolean", default: false } }, 0);
  return await doctor(values.report ? resolve("mpslab-report.txt") : undefined);
}

async function executeNotebook(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(args, {
    output: { type: "string" },
    timeout: { type: "string" },
    "allow-errors": { type: "boolean" },
    record: { type: "boolean" },
  });
  const [notebook, ...more] = positionals;
  if (notebook === undefined || more.length > 0) {
    throw new CommandError("execute takes one notebook: mpslab execute notebooks/01-tour.ipynb");
  }
  const timeout = readTimeout(values.timeout);
  const file = notebookAt(notebook);
  const output = outputFolder(values.output, "output");
  await setUp({ jupyter: true });
  const { execute } = await import("./cli/execute/execute.ts");
  const { "allow-errors": allowErrors, record } = values;
  return await execute({ file, output, timeout, allowErrors, record });
}

async function runProgram(args: readonly string[]): Promise<number> {
  // As with node, the words after the file belong to the program.
  const at = args.findIndex((word) => !word.startsWith("-"));
  const own = at < 0 ? args : args.slice(0, at);
  const { values } = parsed(own, { inspect: { type: "boolean", default: false } });
  const program = args[at];
  if (program === undefined) throw new CommandError("run takes a file: mpslab run train.ts");
  const file = resolve(program);
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}: check the path.`);
  await setUp({ jupyter: false });
  const { runFile } = await import("./cli/run/run_file.ts");
  return await runFile(file, { inspect: values.inspect, arguments: args.slice(at + 1) });
}

async function rerunRun(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(
    args,
    {
      logbook: { type: "string", multiple: true },
      notebook: { type: "string" },
      folder: { type: "string" },
      repository: { type: "string" },
      install: { type: "boolean" },
      reviewed: { type: "string" },
      tolerance: { type: "string" },
      timeout: { type: "string" },
    },
    1,
  );
  const tolerance = readTolerance(values.tolerance);
  const timeout = readTimeout(values.timeout);
  const [id] = positionals;
  if (id !== undefined) await setUp({ jupyter: true });
  const { rerun } = await import("./cli/rerun/rerun.ts");
  return await rerun({ ...values, id, logbooks: values.logbook ?? [], timeout, tolerance });
}

async function bundleRun(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(
    args,
    {
      logbook: { type: "string", multiple: true },
      output: { type: "string" },
      dataset: { type: "string" },
      seconds: { type: "string" },
    },
    1,
  );
  const [id] = positionals;
  if (id === undefined)
    throw new CommandError("bundle takes the id of a run: mpslab rerun without an id lists the runs.");
  const seconds = readTimeout(values.seconds, "--seconds");
  const { bundle } = await import("./cli/bundle/bundle.ts");
  return bundle({ ...values, seconds, id, logbooks: values.logbook ?? [] });
}

async function smokeBundle(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(
    args,
    {
      reviewed: { type: "string" },
      dataset: { type: "string" },
      notebook: { type: "string" },
      install: { type: "boolean" },
      seconds: { type: "string" },
    },
    1,
  );
  const [folder] = positionals;
  if (folder === undefined)
    throw new CommandError("smoke takes the folder of a bundle: mpslab bundle makes one.");
  const seconds = readTimeout(values.seconds, "--seconds");
  await setUp({ jupyter: true });
  const { smoke } = await import("./cli/bundle/smoke.ts");
  return await smoke({ ...values, seconds, folder });
}

async function writeReport(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(args, {
    logbook: { type: "string", multiple: true },
    output: { type: "string" },
    live: { type: "boolean" },
    notebook: { type: "string" },
    repository: { type: "string" },
  });
  const { report } = await import("./cli/report/report.ts");
  return await report({ ...values, names: positionals, logbooks: values.logbook ?? [] });
}

async function listRuns(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(args, {
    sort: { type: "string" },
    ascending: { type: "boolean" },
    where: { type: "string", multiple: true },
    mlflow: { type: "string" },
  });
  const { tableOfRuns } = await import("./cli/logbook/runs_table.ts");
  return tableOfRuns({ ...values, logbooks: positionals, where: values.where ?? [] });
}

async function replayNotebook(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(args, {
    store: { type: "boolean" },
    tolerance: { type: "string" },
    timeout: { type: "string" },
  });
  const [notebook, ...more] = positionals;
  if (notebook === undefined || more.length > 0) {
    throw new CommandError("replay takes one notebook: mpslab replay notebooks/01-tour.ipynb");
  }
  const tolerance = readTolerance(values.tolerance);
  const timeout = readTimeout(values.timeout);
  const file = notebookAt(notebook);
  await setUp({ jupyter: true });
  const { replay } = await import("./cli/replay/replay.ts");
  return await replay({ file, timeout, tolerance, store: values.store });
}

async function sweepNotebook(args: readonly string[]): Promise<number> {
  const { parameters, others } = parametersIn(args);
  const { values, positionals } = parsed(others, {
    grid: { type: "string" },
    output: { type: "string" },
    seed: { type: "string" },
    timeout: { type: "string" },
    restart: { type: "boolean" },
    "allow-errors": { type: "boolean" },
    jobs: { type: "string" },
    engine: { type: "string" },
    "num-cpus": { type: "string" },
    "num-gpus": { type: "string" },
  });
  const [notebook, ...more] = positionals;
  if (notebook === undefined || more.length > 0) {
    throw new CommandError("papermill takes one notebook: mpslab papermill a.ipynb -p batchSize 32,64,128");
  }
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0 && values.seed?.trim() !== "")) {
    throw new CommandError(`--seed takes a whole number, 0 or more, not ${values.seed}.`);
  }
  const timeout = readTimeout(values.timeout);
  const jobs = readJobs(values);
  const cluster = readCluster(values);
  const file = notebookAt(notebook);
  await setUp({ jupyter: true });
  const { sweep } = await import("./cli/sweep/sweep.ts");
  return await sweep({
    file,
    parameters,
    gridFile: values.grid === undefined ? undefined : resolve(values.grid),
    output: outputFolder(values.output, join("output", basename(file, ".ipynb"))),
    seed: seed ?? 0,
    timeout,
    restart: values.restart,
    allowErrors: values["allow-errors"],
    jobs,
    cluster,
  });
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === "--help" || name === "-h") {
    say(HELP);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    say(`${VERSION}\n`);
    return 0;
  }
  if (name === undefined) return await lab(firstNotebook(process.cwd()));
  const command = COMMANDS.get(name);
  if (name === "sweep")
    throw new CommandError(
      "There is no command sweep: mpslab papermill NOTEBOOK -p NAME VALUES runs a notebook for every combination of values.",
    );
  if (command === undefined) {
    throw new CommandError(
      `There is no command ${name}: use setup, install, uninstall, lab, execute, run, check, replay, rerun, runs, report, bundle, smoke, papermill or doctor.`,
    );
  }
  // The words after the file of `run` belong to the program, and those after `lab` to Jupyter.
  const asks = name === "run" || name === "lab" ? args[0] : args.find((each) => HELP_OPTIONS.has(each));
  if (asks !== undefined && HELP_OPTIONS.has(asks) && name !== "ray-point") {
    say(helpOf(name));
    return 0;
  }
  return await command(args);
}

const HELP_OPTIONS: ReadonlySet<string> = new Set(["--help", "-h"]);

/** The help's lines about a command and its options. */
function helpOf(command: string): string {
  const lines = HELP.split("\n");
  const isAbout = (line: string) => new RegExp(`^  mpslab ${command}\\b`).test(line);
  let shown = false;
  return (
    lines
      .filter((line) => {
        if (!line.startsWith("   ")) shown = isAbout(line);
        return shown;
      })
      .join("\n") + "\n"
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  complain(`mpslab: ${visibleLine(error.message)}\n`);
  process.exitCode = 1;
}
