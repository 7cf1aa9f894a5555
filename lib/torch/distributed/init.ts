// Begins and ends the group of all processes: `initProcessGroup`, `destroyProcessGroup`.
import { checkInteger, checkText, describe } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { boolean, choice, integer, type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { requireDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import { type Backend, BACKENDS, chooseBackend } from "./backends.ts";
import { readRendezvous, type Rendezvous } from "./environment.ts";
import { DistStoreError, isOfLibtorch, libtorchText } from "./errors.ts";
import { explainGpuFailure, sharedGpuText } from "./failures.ts";
import {
  connect,
  currentWorld,
  groupOf,
  openGroups,
  ProcessGroup,
  requireWorld,
  setWorld,
} from "./process_group.ts";
import { join, ranksUpTo } from "./rendezvous.ts";
import { TCPStore } from "./store.ts";

/** Options of `distributed.initProcessGroup` by name. */
export interface InitProcessGroupOptions {
  /**
   * What carries the tensors: "gloo" on the host, where tensors of other devices are copied; "nccl" from GPU to GPU, and
   * nothing of the host; "cpu:gloo,cuda:nccl" each its own. Default: both where there is NCCL, else "gloo".
   */
  readonly backend?: Backend;
  /**
   * The GPU of this process, as "cuda:1", for "nccl" to connect at once. Default: none, and the first collective
   * connects the GPU of its tensors.
   */
  readonly deviceId?: DeviceName;
  /**
   * How the processes find each other: "env://" reads the variables of torchrun or of Slurm; "tcp://127.0.0.1:29500" is
   * the address at which rank 0 listens. Default: "env://".
   */
  readonly initMethod?: string;
  /** The rank of this process, from 0. Default: the one that the launcher gives. */
  readonly rank?: number;
  /** The number of processes. Default: the one that the launcher gives. */
  readonly worldSize?: number;
  /** A store to use in place of `initMethod`; `rank` and `worldSize` are needed then. Default: none. */
  readonly store?: TCPStore;
  /**
   * How many milliseconds the other processes, and any collective, may take. Default: 1800000, half an hour, as in
   * PyTorch.
   */
  readonly timeoutMs?: number;
  /**
   * Whether the ranks compare each collective before it runs, so that another order, shape or dtype is an error on all of
   * them. Slower. Default: false, unless TORCH_DISTRIBUTED_DEBUG is DETAIL.
   */
  readonly checkCollectives?: boolean;
}

const RULES = {
  backend: optional((call, name, value) => choice("gloo", BACKENDS).check(call, name, value)),
  deviceId: optional((call, _name, value) => {
    const device = requireDevice(checkText(call, "deviceId", value));
    if (/^cuda:\d+$/.test(device)) return device;
    throw new TypeError(
      `${call}: deviceId must be a GPU with its number, as "cuda:0", got ${describe(value)}.`,
    );
  }),
  initMethod: optional(checkText),
  rank: optional((call, name, value) => checkInteger(call, name, value, 0)),
  worldSize: optional((call, name, value) => checkInteger(call, name, value, 1)),
  store: optional((call, _name, value) => {
    if (value instanceof TCPStore) return value;
    throw new TypeError(`${call}: store must be a TCPStore, got ${describe(value)}.`);
  }),
  timeoutMs: integer(1_800_000, 1),
  checkCollectives: optional((call, name, value) => boolean(false).check(call, name, value)),
} satisfies OpenRules<InitProcessGroupOptions>;

/** How many groups this process has begun, because a launcher's store keeps the keys of earlier ones. */
let begun = 0;

/** A store that the user made needs no address. */
function atStore(
  call: string,
  store: TCPStore,
  rank: number | undefined,
  worldSize: number | undefined,
): Rendezvous {
  if (rank === undefined || worldSize === undefined)
    throw new TypeError(`${call}: with a store pass rank and worldSize.`);
  if (rank >= worldSize)
    throw new RangeError(`${call}: the rank must be below worldSize, but got rank ${rank} of ${worldSize}.`);
  return { rank, worldSize, host: store.host, port: store.port, agentStore: false, attempt: "0" };
}

/**
 * Makes this process one of a group that works together. Every process of the group calls it, with its own rank, and it
 * waits for all of them; Stop ends the wait.
 *
 *     torch.distributed.initProcessGroup(); // under torchrun
 *     torch.distributed.initProcessGroup({ initMethod: "tcp://127.0.0.1:29500", rank: 0, worldSize: 2 });
 *
 * @throws DistStoreError if the store or a rank is not there in time; RangeError if the processes were started
 *       with different numbers
 */
export function initProcessGroup(
  backend?: Backend | InitProcessGroupOptions,
  initMethod?: string | InitProcessGroupOptions,
): void;
export function initProcessGroup(...given: unknown[]): void {
  const call = "distributed.initProcessGroup";
  const options = optionsByPlace<InitProcessGroupOptions>(call, ["backend", "initMethod"], given);
  const read = readOptions(call, options, RULES);
  if (currentWorld()?.ofRanks) destroyProcessGroup();
  if (currentWorld() !== null)
    throw new TypeError(
      `${call}: this process is in a group already: call distributed.destroyProcessGroup() first.`,
    );
  const { timeoutMs } = read;
  if (read.store && read.initMethod !== undefined)
    throw new TypeError(`${call}: pass store or initMethod (${describe(read.initMethod)}), and not both.`);
  const { backend, deviceId } = chooseBackend(call, read.backend, read.deviceId);
  const here = read.store
    ? atStore(call, read.store, read.rank, read.worldSize)
    : readRendezvous(call, { ...read, initMethod: read.initMethod ?? "env://" });
  const store = read.store ?? openStore(here, timeoutMs);
  const checks = read.checkCollectives ?? process.env["TORCH_DISTRIBUTED_DEBUG"] === "DETAIL";
  const prefix = `mpslab/${here.attempt}/${++begun}`;
  try {
    join(call, store, prefix, here, timeoutMs);
    const ranks = ranksUpTo(here.worldSize);
    if (backend !== "gloo") native.distributed.explainGpuFailures(explainGpuFailure);
    const meeting = { store, prefix, checks, deviceId };
    const group = connect(meeting, { name: "0", ranks, rank: here.rank, timeoutMs, backend });
    setWorld({ ...meeting, group, timeoutMs, ownsStore: read.store === undefined, ofRanks: false });
  } catch (error) {
    if (!read.store) store.close();
    throw isOfLibtorch(error) ? notConnected(call, here, timeoutMs, error) : error;
  }
}

const openStore = (here: Rendezvous, timeoutMs: number): TCPStore =>
  new TCPStore(here.host, here.port, { isMaster: here.rank === 0 && !here.agentStore, timeoutMs });

function notConnected(call: string, here: Rendezvous, timeoutMs: number, error: Error): DistStoreError {
  const text = libtorchText(error);
  const who = `${call}: rank ${here.rank} of ${here.worldSize} could not connect to the others`;
  // Each rank puts its addresses into the store, under its number.
  const missing = /keys: \S*\/gloo\/\d+\/(\d+)/.exec(text)?.[1];
  const why =
    missing === undefined
      ? `${who}, though all came to the store: ${text.split("\n")[0]}. If the machine has several networks, name one in GLOO_SOCKET_IFNAME.`
      : `${who} within ${timeoutMs} ms: it waited for rank ${missing}, which came to the store and then no further. That rank has ended, is stopped, or has an error of its own.`;
  return new DistStoreError(sharedGpuText(call, text) ?? why, { cause: error });
}

/**
 * Ends a group; ending the world ends all groups and the store. Waits for operations in progress. Every process calls
 * it when it no longer needs the others.
 *
 * @param group Default: the world
 */
export function destroyProcessGroup(group?: ProcessGroup | null): void {
  const call = "distributed.destroyProcessGroup";
  const world = requireWorld(call);
  const ended = groupOf(call, group);
  if (ended !== world.group) return ProcessGroup.close(ended, true);
  endWorld(true);
}

/**
 * Leaves all groups at once, without waiting for operations in progress, because the other ranks may never take part in
 * them. The calls of other ranks then fail.
 */
export function abandonProcessGroups(): void {
  endWorld(false);
  begun = 0;
}

/**
 * @param waits whether to wait for operations in progress
 */
function endWorld(waits: boolean): void {
  const world = currentWorld();
  for (const one of openGroups()) ProcessGroup.close(one, waits);
  setWorld(null);
  if (world?.ownsStore) world.store.close();
}

/** Whether the installed libtorch can connect processes. Always true, because all its packages contain gloo. */
export function isAvailable(): boolean {
  return true;
}

/** Whether `initProcessGroup` was called, and the group was not destroyed since. */
export function isInitialized(): boolean {
  return currentWorld() !== null;
}

/** Whether gloo is available. */
export function isGlooAvailable(): boolean {
  return true;
}

/** The rank of this process in the group, from 0; -1 if it is not in the group. */
export function getRank(group?: ProcessGroup | null): number {
  return groupOf("distributed.getRank", group).rank();
}

/** The number of processes in the group. */
export function getWorldSize(group?: ProcessGroup | null): number {
  return groupOf("distributed.getWorldSize", group).size();
}

/** Whether this process can use NCCL: it has an NVIDIA GPU, and the addon was compiled with NCCL. */
export function isNcclAvailable(): boolean {
  return native.distributed.whyNoNccl() === "";
}

/** The backend that carries the tensors of a group. */
export function getBackend(group?: ProcessGroup | null): Backend {
  return groupOf("distributed.getBackend", group).backend;
}

/** The ranks of a group's processes in the world. */
export function getProcessGroupRanks(group?: ProcessGroup | null): number[] {
  return [...groupOf("distributed.getProcessGroupRanks", group).ranks];
}
