// Asks PyTorch in `.venv-bench`, which it makes, for every sample, as lines of JSON (see `samples.py`).
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { torch } from "../../lib/index.ts";
import { makePeers, peerPython } from "../bench/environment.ts";
import { folder } from "./tally.ts";

/** @throws Error where `samples.py` fails, after its last line */
export async function* everySample(): AsyncGenerator<string> {
  makePeers(torch.version);
  const python = spawn(peerPython, [path.join(folder, "samples.py")], {
    stdio: ["ignore", "pipe", "inherit"],
    // Some entries go through sets of strings: with one order of these each run asks the same samples.
    env: { ...process.env, PYTHONHASHSEED: "0" },
  });
  const ended = once(python, "close");
  yield* createInterface({ input: python.stdout });
  const [status] = (await ended) as [number | null];
  if (status !== 0) throw new Error(`samples.py ended with status ${status}.`);
}
