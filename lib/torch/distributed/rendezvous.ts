// Brings the processes of a group together through a store: each writes who it is, and reads what the others wrote. It
// detects a process that was started with a different number of processes, or twice, before anything is connected.
import { hostname } from "node:os";
import { DistStoreError } from "./errors.ts";
import type { Rendezvous } from "./environment.ts";
import type { TCPStore } from "./store.ts";

/** What a rank writes about itself. */
interface Introduction {
  readonly worldSize: number;
  /** `process 4711 on node03` */
  readonly who: string;
}

const introduction = (worldSize: number): string =>
  JSON.stringify({ worldSize, who: `process ${process.pid} on ${hostname()}` } satisfies Introduction);

/** `0, 2` */
export const listed = (ranks: readonly number[]): string => ranks.join(", ");

export const ranksUpTo = (size: number): number[] => Array.from({ length: size }, (_, rank) => rank);

/**
 * Waits until all ranks have come.
 *
 * @param prefix of the keys, the same on every rank
 * @throws DistStoreError if a rank does not come in time, RangeError if the ranks do not fit together
 */
export function join(
  call: string,
  store: TCPStore,
  prefix: string,
  here: Rendezvous,
  timeoutMs: number,
): void {
  const { rank, worldSize } = here;
  const deadline = performance.now() + timeoutMs;
  const keyOf = (of: number): string => `${prefix}/rank/${of}`;
  const own = introduction(worldSize);
  // The claim is a separate key, because PyTorch's server wakes the waiters of a key when it is set, but not when
  // compareSet sets it.
  const there = store.compareSet(`${prefix}/claim/${rank}`, "", own).toString();
  if (there !== own) {
    const { who } = JSON.parse(there) as Introduction;
    throw new RangeError(
      `${call}: rank ${rank} is there already, ${who}: give each process a rank of its own.`,
    );
  }
  store.set(keyOf(rank), own);
  for (const other of ranksUpTo(worldSize)) {
    const left = Math.max(1, Math.ceil(deadline - performance.now()));
    const found = whileStoreLasts(call, here, other, () => readIntroduction(store, keyOf(other), left));
    if (found === null) {
      const present = whileStoreLasts(call, here, other, () =>
        ranksUpTo(worldSize).filter((one) => store.check([keyOf(one)])),
      );
      const missing = ranksUpTo(worldSize).filter((one) => !present.includes(one));
      throw new DistStoreError(
        `${call}: rank ${rank} waited ${timeoutMs} ms at ${here.host}:${here.port}, and of ${worldSize} ranks ${listed(missing)} did not come (${listed(present)} did): start the missing ones, or raise timeoutMs.`,
      );
    }
    if (found.worldSize !== worldSize) {
      awaitRefusals(store, prefix, here, other);
      throw new RangeError(
        `${call}: rank ${rank} was started with worldSize ${worldSize}, but rank ${other} (${found.who}) with ${found.worldSize}: start all with the same number.`,
      );
    }
  }
}

/**
 * Asks the store, and explains the error if the store has ended. That happens when rank 0 gives up waiting, although
 * other ranks still use the store.
 */
function whileStoreLasts<Answer>(call: string, here: Rendezvous, other: number, ask: () => Answer): Answer {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof DistStoreError)) throw error;
    throw new DistStoreError(
      `${call}: rank ${here.rank} waited for rank ${other} when the store at ${here.host}:${here.port} ended: the process that keeps it, rank 0 or the launcher, has ended, or has waited long enough.`,
      { cause: error },
    );
  }
}

/** How long the process that keeps the store waits for the other to read why both end. */
const REFUSAL_MS = 1000;

/**
 * The store ends with the process that keeps it, so that process waits until the other rank has seen that they do not
 * fit together.
 */
function awaitRefusals(store: TCPStore, prefix: string, here: Rendezvous, other: number): void {
  store.set(`${prefix}/refused/${here.rank}`, "");
  if (here.rank !== 0 || here.agentStore) return;
  try {
    store.wait([`${prefix}/refused/${other}`], REFUSAL_MS);
  } catch (error) {
    if (!(error instanceof DistStoreError)) throw error;
  }
}

function readIntroduction(store: TCPStore, key: string, timeoutMs: number): Introduction | null {
  try {
    return JSON.parse(store.get(key, timeoutMs).toString()) as Introduction;
  } catch (error) {
    if (error instanceof DistStoreError && error.message.includes("nobody has set")) return null;
    throw error;
  }
}
