// The groups of processes: the world, which `initProcessGroup` connects, and parts of it.
import { checkInteger, checkList, describe } from "../vocabulary/arguments.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { choice, integer, readOptions, type Rules } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";
import type { NativeReducer } from "../engine/native_distributed.ts";
import { type Backend, BACKENDS, requireBackend } from "./backends.ts";
import { ranksUpTo } from "./rendezvous.ts";
import { storeNumber, type TCPStore } from "./store.ts";

/** One call on a group. */
export interface Activity {
  readonly call: string;
  /** The tensors that it was given: `float32 [2]`; empty for a barrier. */
  readonly what: string;
  /** Its number among the calls of the group, from 1; 0 if it is not counted. */
  readonly count: number;
}

/** What all groups of a world share. */
export interface Rendezvous {
  readonly store: TCPStore;
  /** Prefix of all keys of this world in the store. */
  readonly prefix: string;
  /** Whether collectives are compared before they run. */
  readonly checks: boolean;
  /** The GPU that NCCL connects at once; null for that of the first collective. */
  readonly deviceId: DeviceName | null;
}

/** The world, as `initProcessGroup` made it. */
export interface World extends Rendezvous {
  readonly group: ProcessGroup;
  readonly timeoutMs: number;
  /** Whether the store ends with the group, because the user gave none. */
  readonly ownsStore: boolean;
  /** Whether `%%ranks` made it: the user's own `initProcessGroup` then replaces it. */
  readonly ofRanks: boolean;
}

let world: World | null = null;
const groups = new Set<ProcessGroup>();
/** How many groups were made of this world. Their names are these numbers, so that they are the same on every rank. */
let made = 0;

/** Called by `initProcessGroup` and `destroyProcessGroup`. */
export function setWorld(next: World | null): void {
  world = next;
  made = 0;
}

export function currentWorld(): World | null {
  return world;
}

export function requireWorld(call: string): World {
  if (world === null)
    throw new TypeError(`${call}: there is no process group: call distributed.initProcessGroup() first.`);
  return world;
}

/** Processes that work together, by their ranks in the world. `distributed.newGroup` makes them. */
export class ProcessGroup {
  /** The ranks in the world, in the order of their ranks in this group. */
  readonly ranks: readonly number[];
  /** The name of the group: "0" is the world. */
  readonly name: string;
  /** The backend that carries its tensors. */
  readonly backend: Backend;
  /** How long a collective may take. */
  readonly timeoutMs: number;
  readonly #rank: number;
  #handle: number | null;
  #started = 0;
  #last: Activity | null = null;
  /** Reducers are held weakly, because they belong to their models. */
  readonly #reducers: WeakRef<NativeReducer>[] = [];

  /**
   * @param handle the addon's number of the group; null if this process is not in it
   */
  constructor({ name, ranks, rank, timeoutMs, backend }: Planned, handle: number | null) {
    this.name = name;
    this.ranks = Object.freeze([...ranks]);
    this.backend = backend;
    this.timeoutMs = timeoutMs;
    this.#rank = rank;
    this.#handle = handle;
  }

  /** The rank of this process in the group; -1 if it is not in it. */
  rank(): number {
    return this.#rank;
  }

  /** How many processes it has. */
  size(): number {
    return this.ranks.length;
  }

  /** Counts a collective, and remembers it for error messages. */
  static begin(group: ProcessGroup, call: string, what: string): Activity {
    group.#last = { call, what, count: ++group.#started };
    return group.#last;
  }

  /** The collective that began last. */
  static last(group: ProcessGroup): Activity | null {
    return group.#last;
  }

  /** Returns the group that has this number in the addon. */
  static withHandle(handle: number): ProcessGroup | null {
    return openGroups().find((group) => group.#handle === handle) ?? null;
  }

  /** The addon's number of the group. Throws if the group was destroyed. */
  static handleOf(call: string, group: ProcessGroup): number {
    if (group.#rank < 0)
      throw new TypeError(
        `${call}: this process, rank ${world?.group.rank() ?? "?"}, is not in the group of ranks ${group.ranks.join(", ")}.`,
      );
    if (group.#handle === null) throw new TypeError(`${call}: this group was destroyed.`);
    return group.#handle;
  }

  /**
   * Whether tensors of a device are copied to the host, and results back, because no backend of the group carries them.
   * That is how mps takes part.
   */
  static stages(call: string, group: ProcessGroup, device: DeviceName): boolean {
    // The CPU is tested first, because every collective asks this of each tensor, and tensors of the host are never
    // copied.
    return device !== "cpu" && native.distributed.stages(ProcessGroup.handleOf(call, group), device);
  }

  /** Notes a reducer that uses the group's connections. */
  static addReducer(group: ProcessGroup, reducer: NativeReducer): void {
    group.#reducers.push(new WeakRef(reducer));
  }

  /** Ends the group's connections. Does nothing the second time. @param waits for what is under way */
  static close(group: ProcessGroup, waits: boolean): void {
    const handle = group.#handle;
    group.#handle = null;
    groups.delete(group);
    for (const reducer of group.#reducers.splice(0)) {
      const held = reducer.deref();
      if (held) native.distributed.releaseReducer(held);
    }
    if (handle !== null) native.distributed.closeGroup(handle, waits);
  }
}

/** The description of a group before it is connected. */
interface Planned {
  readonly name: string;
  /** The members, by their ranks in the world. */
  readonly ranks: readonly number[];
  /** The rank of this process in the group; -1 where it is not in it. */
  readonly rank: number;
  readonly timeoutMs: number;
  readonly backend: Backend;
}

/** Connects the ranks. All of them call it. */
export function connect({ store, prefix, checks, deviceId }: Rendezvous, planned: Planned): ProcessGroup {
  const { name, ranks, rank, timeoutMs, backend } = planned;
  const handle =
    rank < 0
      ? null
      : native.distributed.makeGroup(
          storeNumber(store),
          store.host,
          `${prefix}/group/${name}`,
          name,
          rank,
          ranks.length,
          timeoutMs,
          checks,
          backend !== "nccl",
          backend !== "gloo",
          deviceId ?? "",
        );
  const group = new ProcessGroup(planned, handle);
  groups.add(group);
  return group;
}

export function openGroups(): readonly ProcessGroup[] {
  return [...groups];
}

/** The group that an option names, or the world. */
export function groupOf(call: string, given: unknown): ProcessGroup {
  const isNone = given === null || given === undefined;
  if (!isNone && !(given instanceof ProcessGroup))
    throw new TypeError(`${call}: group must be a ProcessGroup or null, got ${describe(given)}.`);
  const { group } = requireWorld(call);
  return isNone ? group : given;
}

/** The rank in the group of a rank of the world. */
export function groupRankOf(call: string, name: string, group: ProcessGroup, value: unknown): number {
  const rank = checkInteger(call, name, value, 0);
  const found = group.ranks.indexOf(rank);
  if (found < 0)
    throw new RangeError(
      `${call}: ${name} must be a rank of the group, one of ${group.ranks.join(", ")}, got ${rank}.`,
    );
  return found;
}

/** Options of `distributed.newGroup` by name. */
export interface NewGroupOptions {
  /** How long a collective of the group may take. Default: that of the world. */
  readonly timeoutMs?: number;
  /** What carries its tensors. Default: that of the world. */
  readonly backend?: Backend;
}

/**
 * Makes a group of some ranks of the world. Every process of the world calls it, with the same ranks and in the same
 * order of calls, those too that are not in the group.
 *
 * @param ranks of the world. Default: all
 */
export function newGroup(ranks?: readonly number[], options?: NewGroupOptions): ProcessGroup {
  const call = "distributed.newGroup";
  const all = requireWorld(call);
  const rules: Rules<NewGroupOptions> = {
    timeoutMs: integer(all.timeoutMs, 1),
    backend: choice(all.group.backend, BACKENDS),
  };
  const { timeoutMs, backend } = readOptions<NewGroupOptions>(call, options, rules);
  requireBackend(call, backend);
  const given = ranks === undefined ? ranksUpTo(all.group.size()) : checkList(call, "ranks", ranks);
  const chosen = Array.from(given, (rank, i) => groupRankOf(call, `ranks[${i}]`, all.group, rank)).toSorted(
    (a, b) => a - b,
  );
  if (chosen.length === 0) throw new RangeError(`${call}: ranks must not be empty.`);
  const twice = chosen.find((rank, i) => chosen[i - 1] === rank);
  if (twice !== undefined) throw new RangeError(`${call}: rank ${twice} stands in ranks twice.`);
  const name = String(++made);
  const rank = chosen.indexOf(all.group.rank());
  return connect(all, { name, ranks: chosen, rank, timeoutMs, backend });
}
