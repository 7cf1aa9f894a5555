// The four kernels as Jupyter would start them, for the benchmark of kernels. Measures nothing.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readConnection } from "../../kernel/protocol/connection.ts";
import { KernelClient } from "../helpers/kernel_client.ts";
import { writeConnectionFile } from "../helpers/kernel_process.ts";
import { peerDeno, peerPython, root, tslab } from "./environment.ts";
import type { Figures } from "./rounds.ts";

export interface PeerKernel {
  readonly name: string;
  readonly language: "typescript" | "python";
  /** A cell after which types are not checked; null where they always are. */
  readonly uncheck: string | null;
  argv(connectionFile: string): readonly [string, ...string[]];
}

export const kernels: readonly PeerKernel[] = [
  {
    name: "mpslab",
    language: "typescript",
    uncheck: "%check off",
    argv: (file) => [process.execPath, path.join(root, "dist/bundle/kernel/main.js"), file],
  },
  {
    name: "ipykernel",
    language: "python",
    uncheck: "0",
    argv: (file) => [peerPython, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", file],
  },
  {
    name: "tslab",
    language: "typescript",
    uncheck: null,
    argv: (file) => [tslab, "kernel", "--config-path", file],
  },
  {
    name: "Deno",
    language: "typescript",
    uncheck: "0",
    argv: (file) => [peerDeno, "jupyter", "--kernel", "--conn", file],
  },
];

export interface RunningKernel {
  readonly client: KernelClient;
  /** From the start of the process to its first `kernel_info` reply. */
  readonly startMs: number;
  readonly pid: number;
}

/**
 * Returns the figures that `work` measured with a kernel of its own. A peer that stops answering has the figures that
 * it reached until `limitMs`: none, if it does not answer at its start.
 */
export async function measureKernel(
  kernel: PeerKernel,
  limitMs: number,
  work: (running: RunningKernel, found: Record<string, number>) => Promise<void>,
): Promise<Figures> {
  // Inside the project, so that tslab finds the types of Node: outside it says that there is no `console`.
  const folder = mkdtempSync(path.join(root, "build", "bench-"));
  const connectionFile = await writeConnectionFile(folder);
  const start = performance.now();
  const child = spawnKernel(kernel, connectionFile, folder);
  const ended = once(child, "exit");
  const found: Record<string, number> = {};
  let client: KernelClient | undefined;
  const measured = async () => {
    client = await KernelClient.attach(readConnection(connectionFile));
    await work({ client, startMs: performance.now() - start, pid: child.pid! }, found);
    return true;
  };
  const over = new AbortController();
  try {
    const late = delay(limitMs, false, { signal: over.signal }).catch(() => false);
    const died = ended.then(([status, signal]) => {
      throw new Error(`The kernel of ${kernel.name} ended with ${signal ?? `status ${status}`}.`);
    });
    if (!(await Promise.race([measured(), late, died])))
      process.stderr.write(`    ${kernel.name} did not finish within ${limitMs / 1000} s\n`);
  } finally {
    over.abort();
    client?.close();
    // The kernel leads a process group of its own: its children go with it.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}

function spawnKernel(kernel: PeerKernel, connectionFile: string, folder: string): ChildProcess {
  const [command, ...args] = kernel.argv(connectionFile);
  return spawn(command, args, {
    cwd: folder,
    stdio: "ignore",
    detached: true,
    env: {
      ...process.env,
      DENO_DIR: path.join(tmpdir(), "mpslab-bench-deno"),
      // Written, as ipykernel writes its own, but not among what the user ran.
      MPSLAB_HISTORY: path.join(folder, "history.sqlite"),
    },
  });
}
