// Reads the words of a command: options, files and folders. What it refuses is a CommandError that says what to write.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { isRayEngine } from "../../lib/lab/ray/address.ts";
import { NAME_ANOTHER, requireNoWayOut } from "./output_files.ts";
import { CommandError } from "./project.ts";

/** @throws CommandError for an option that does not exist */
export function parsed<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Options,
  mostWords = Number.POSITIVE_INFINITY,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>> {
  try {
    const found = parseArgs({ args: [...args], options, allowPositionals: true });
    const surplus = found.positionals[mostWords];
    if (surplus !== undefined) throw new Error(`${surplus} is no option`);
    return found;
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split(". ")[0]}. See mpslab --help.`);
  }
}

/** @throws CommandError where there is none */
export function notebookAt(notebook: string): string {
  const file = resolve(notebook);
  if (!existsSync(file)) throw new CommandError(`There is no notebook ${file}: check the path.`);
  return file;
}

export function readTimeout(given: string | undefined, option = "--timeout"): number | undefined {
  const timeout = given === undefined ? undefined : Number(given);
  if (timeout !== undefined && !(Number.isInteger(timeout) && timeout > 0)) {
    throw new CommandError(`${option} takes a whole number of seconds, not ${given}.`);
  }
  return timeout;
}

export function readTolerance(given: string | undefined): number | undefined {
  const tolerance = given === undefined ? undefined : Number(given);
  if (tolerance !== undefined && !(tolerance >= 0 && tolerance < 1 && given?.trim() !== "")) {
    throw new CommandError(`--tolerance takes a share from 0 to 1, not ${given}.`);
  }
  return tolerance;
}

/** @param usual the folder where none is named */
export function outputFolder(named: string | undefined, usual: string): string {
  if (named === undefined) requireNoWayOut(usual, NAME_ANOTHER);
  return resolve(named ?? usual);
}

/** The points that run at the same time on this machine. */
export function readJobs({
  jobs,
  engine,
}: {
  readonly jobs?: string | undefined;
  readonly engine?: string | undefined;
}): number {
  if (jobs === undefined) return 1;
  if (engine !== undefined)
    throw new CommandError(
      "--jobs says how many points run here at a time; Ray decides that by --num-cpus and --num-gpus.",
    );
  if (/^[1-9]\d*$/.test(jobs)) return Number(jobs);
  throw new CommandError(`--jobs takes a whole number, 1 or more, not ${jobs}.`);
}

interface ClusterWords {
  readonly engine?: string | undefined;
  readonly "num-cpus"?: string | undefined;
  readonly "num-gpus"?: string | undefined;
}

/** Undefined if the points run on this machine. */
export function readCluster({ engine, "num-cpus": cpus, "num-gpus": gpus }: ClusterWords) {
  if (engine === undefined) {
    if (cpus === undefined && gpus === undefined) return undefined;
    throw new CommandError("--num-cpus and --num-gpus say what Ray reserves: give --engine ray as well.");
  }
  if (!isRayEngine(engine))
    throw new CommandError(`--engine takes ray or ray://HOST:PORT, as ray://head:10001, not ${engine}.`);
  return { engine, numCpus: readAmount("num-cpus", cpus, 1), numGpus: readAmount("num-gpus", gpus, 0) };
}

/** Ray also accepts fractions of a GPU or a core. */
function readAmount(option: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  const amount = Number(given);
  if (Number.isFinite(amount) && amount >= 0 && given.trim() !== "") return amount;
  throw new CommandError(`--${option} takes a number, 0 or more, not ${given}.`);
}

/** `-p` takes two words, as papermill's own does. */
export function parametersIn(args: readonly string[]): {
  readonly parameters: readonly (readonly [string, string])[];
  readonly others: readonly string[];
} {
  const parameters: (readonly [string, string])[] = [];
  const others: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    if (word !== "-p" && word !== "--parameters") {
      others.push(word);
      continue;
    }
    const [name, values] = args.slice(at + 1, at + 3);
    if (name === undefined || values === undefined || name.startsWith("-")) {
      throw new CommandError("-p takes a name and values: -p batchSize 32,64,128");
    }
    parameters.push([name, values]);
    at += 2;
  }
  return { parameters, others };
}
