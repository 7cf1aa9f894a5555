// The group in which each cell of `%%ranks` begins, so that a cell can call collectives at once. The kernel has set the
// variables that torchrun sets, and gives the group a name; each attempt has another name.
import { readRendezvous } from "./environment.ts";
import { abandonProcessGroups, initProcessGroup } from "./init.ts";
import { currentWorld, setWorld } from "./process_group.ts";
import { TCPStore } from "./store.ts";

/** Rank 0 keeps one store for all groups that it joins, as torchrun's agent does. */
let kept: TCPStore | null = null;

/**
 * Joins the group of that name, unless this process is in it, or in one that the user has made since. Waits for the
 * other ranks; Stop ends the wait.
 */
export function joinRanks(name: string): void {
  if (process.env[ATTEMPT] !== name) abandonProcessGroups();
  process.env[ATTEMPT] = name;
  if (currentWorld() !== null) return;
  const { host, port, rank } = readRendezvous("%%ranks", FROM_VARIABLES);
  if (rank === 0) kept ??= new TCPStore(host, port, { isMaster: true });
  initProcessGroup();
  const world = currentWorld();
  if (world !== null) setWorld({ ...world, ofRanks: true });
}

const ATTEMPT = "TORCHELASTIC_RESTART_COUNT";
const FROM_VARIABLES = { initMethod: "env://", rank: undefined, worldSize: undefined };
