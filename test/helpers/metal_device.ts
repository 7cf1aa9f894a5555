// A Metal device for tests that need one: a Mac's own, or the one that is simulated already, else a simulated Mac of 4 GB.
import { mps } from "../../lib/index.ts";

if (!mps.isAvailable()) mps.simulate({ memory: "4GB" });

export const simulated = mps.simulation() !== null;

/** The device's name in results of the lab. */
export const label = simulated ? "mps (simulated)" : "mps";
