// Finds out which process of a group this one is, and where the group's store is: from torchrun's variables, from
// Slurm's, or from an address that the user gives. Uses no network.
import { checkInteger, checkText, describe } from "../vocabulary/arguments.ts";

/** The address of the group's store, and the rank of this process. */
export interface Rendezvous {
  readonly host: string;
  readonly port: number;
  readonly rank: number;
  readonly worldSize: number;
  /** Whether a launcher keeps the store, so that every rank is a client. Otherwise rank 0 is the server. */
  readonly agentStore: boolean;
  /** Distinguishes the keys of this start from those of earlier ones in the same store. */
  readonly attempt: string;
}

/** The parts that the user gave. */
export interface RendezvousOptions {
  /** "env://", or an address. */
  readonly initMethod: string;
  /** The rank of this process; if undefined, the launcher's. */
  readonly rank: number | undefined;
  /** The number of processes; if undefined, the launcher's. */
  readonly worldSize: number | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const WAYS =
  'start it with torchrun or srun, or pass { initMethod: "tcp://127.0.0.1:29500", rank: 0, worldSize: 2 }';

/** The first variable that is set, with its name. */
function firstOf(env: Variables, names: readonly string[]): readonly [string, string] | null {
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== "") return [name, value];
  }
  return null;
}

function wholeNumber(call: string, name: string, text: string, min: number): number {
  if (!/^\d+$/.test(text) || Number(text) < min)
    throw new RangeError(`${call}: ${name} must be a whole number of at least ${min}, got "${text}".`);
  return Number(text);
}

/** The user's option, or else a variable. */
function numberFrom(
  call: string,
  option: string,
  given: number | undefined,
  env: Variables,
  names: readonly string[],
  min: number,
): number {
  if (given !== undefined) return checkInteger(call, option, given, min);
  const found = firstOf(env, names);
  if (found === null) throw new Error(`${call}: ${names[0]} is not set: ${WAYS}.`);
  return wholeNumber(call, ...found, min);
}

/** `node[03-05,09],login` -> `node03`: the first of Slurm's list of hosts. */
export function firstHost(list: string): string {
  const bracket = /^([^[,]*)\[(\d+)/.exec(list);
  return bracket === null ? list.split(",")[0]! : `${bracket[1]}${bracket[2]}`;
}

/** Jobs on one node use different ports: 15000 plus the last four digits of the job's id. */
const portOfJob = (job: string): number => 15_000 + (Number(job.replaceAll(/\D/g, "").slice(-4)) || 0);

function addressOf(call: string, env: Variables): { readonly host: string; readonly port: number } {
  const address = env["MASTER_ADDR"];
  const port = env["MASTER_PORT"];
  const hosts = env["SLURM_JOB_NODELIST"] ?? env["SLURM_NODELIST"];
  const job = env["SLURM_JOB_ID"];
  const host = address || (hosts ? firstHost(hosts) : undefined);
  if (!host) throw new Error(`${call}: MASTER_ADDR is not set: ${WAYS}.`);
  if (port) return { host, port: wholeNumber(call, "MASTER_PORT", port, 1) };
  if (job) return { host, port: portOfJob(job) };
  throw new Error(`${call}: MASTER_PORT is not set: ${WAYS}.`);
}

const attemptOf = (env: Variables): string => env["TORCHELASTIC_RESTART_COUNT"] ?? "0";

function fromVariables(call: string, options: RendezvousOptions, env: Variables): Rendezvous {
  return {
    rank: numberFrom(call, "rank", options.rank, env, ["RANK", "SLURM_PROCID"], 0),
    worldSize: numberFrom(call, "worldSize", options.worldSize, env, ["WORLD_SIZE", "SLURM_NTASKS"], 1),
    ...addressOf(call, env),
    agentStore: env["TORCHELASTIC_USE_AGENT_STORE"] === "True",
    attempt: attemptOf(env),
  };
}

/** `tcp://host:port`, which may be followed by `?rank=0&world_size=2`, as in PyTorch. */
function fromAddress(call: string, options: RendezvousOptions, env: Variables): Rendezvous {
  const url = URL.parse(options.initMethod);
  if (url === null || url.protocol !== "tcp:" || url.hostname === "" || url.port === "")
    throw new TypeError(
      `${call}: initMethod must be "env://" or an address like "tcp://127.0.0.1:29500", got ${describe(options.initMethod)}.`,
    );
  const query = (option: string, name: string, given: number | undefined, min: number): number => {
    if (given !== undefined) return checkInteger(call, option, given, min);
    const text = url.searchParams.get(name);
    if (text === null)
      throw new TypeError(`${call}: ${option} is missing: with a tcp:// address pass rank and worldSize.`);
    return wholeNumber(call, name, text, min);
  };
  return {
    rank: query("rank", "rank", options.rank, 0),
    worldSize: query("worldSize", "world_size", options.worldSize, 1),
    host: url.hostname.replaceAll(/^\[|\]$/g, ""),
    port: Number(url.port),
    agentStore: false,
    attempt: attemptOf(env),
  };
}

/** @throws Error if a variable is missing, RangeError for a rank outside of the group */
export function readRendezvous(
  call: string,
  options: RendezvousOptions,
  env: Variables = process.env,
): Rendezvous {
  const method = checkText(call, "initMethod", options.initMethod);
  const found = method === "env://" ? fromVariables(call, options, env) : fromAddress(call, options, env);
  if (found.rank >= found.worldSize)
    throw new RangeError(
      `${call}: the rank must be below the number of processes, but got rank ${found.rank} of ${found.worldSize}.`,
    );
  return found;
}

/**
 * The rank of this process among those of its machine, which chooses its GPU: torchrun's LOCAL_RANK, or Slurm's.
 *
 * @param fallbackRank the result if neither is set
 * @throws Error if neither is set, and there is no fallback
 */
export function getNodeLocalRank(fallbackRank?: number): number {
  const call = "distributed.getNodeLocalRank";
  const fallback =
    fallbackRank === undefined ? undefined : checkInteger(call, "fallbackRank", fallbackRank, 0);
  const found = firstOf(process.env, ["LOCAL_RANK", "SLURM_LOCALID"]);
  if (found !== null) return wholeNumber(call, ...found, 0);
  if (fallback !== undefined) return fallback;
  throw new Error(`${call}: LOCAL_RANK is not set: start the program with torchrun, or pass a fallback.`);
}

/** Whether torchrun started this process. */
export function isTorchelasticLaunched(): boolean {
  return process.env["TORCHELASTIC_RUN_ID"] !== undefined;
}
