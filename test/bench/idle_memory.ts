// Measures the memory of a kernel before anything was calculated: after a first cell, and after one that imports the
// tensor library and uses nothing of it.
import { setTimeout as delay } from "node:timers/promises";
import { footprintMegabytes, mapsFile, runsSameProgram } from "./footprint.ts";
import { measureKernel, type PeerKernel } from "./peer_kernels.ts";
import type { Figures } from "./rounds.ts";

export const AFTER_FIRST_CELL = "after a first cell";
const IMPORTED = "after import { torch, nn, mps, lab } from mpslab";
export const TWO_PROCESSES = "kernel and session alone, then";

/** Starting up, and what it leaves to the collectors, is over by then. */
const QUIET_MS = 3_000;
const TRIAL_MS = 30_000;

export const idleMemory = (kernel: PeerKernel): Promise<Figures> =>
  measureKernel(kernel, TRIAL_MS, async ({ client, pid }, found) => {
    await client.execute("1 + 1");
    await delay(QUIET_MS);
    found[AFTER_FIRST_CELL] = footprintMegabytes(pid);
    if (kernel.name !== "mpslab") return;
    await client.execute('import { torch, nn, mps, lab } from "mpslab";');
    await delay(QUIET_MS);
    if (mapsFile(pid, /libtorch/)) throw new Error("The import alone has loaded libtorch.");
    found[IMPORTED] = footprintMegabytes(pid);
    found[TWO_PROCESSES] = footprintMegabytes(pid, (one) => runsSameProgram(one, pid));
  });
