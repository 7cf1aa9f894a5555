// One process has one device session: another thread, and a child with a channel, are refused with the reason.
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mps, torch } from "../../lib/index.ts";

const library = fileURLToPath(new URL("../../dist/bundle/lib/index.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-session-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Answers what became of a tensor of the device, and of one of the CPU. */
function program(name: string, answer: string): string {
  const file = path.join(folder, name);
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
     import { mps, torch } from ${JSON.stringify(library)};
     const device = (() => {
       try {
         if (mps.simulation() === null) mps.simulate();
         return torch.ones([2], { device: "mps" }).sum().item();
       } catch (error) {
         return error.name + ": " + error.message;
       }
     })();
     ${answer}([device, torch.ones([2]).sum().item()]);`,
  );
  return file;
}

let held: unknown;
beforeAll(() => {
  mps.simulate({ memory: "4GB" });
  held = torch.ones([1], { device: "mps" });
});

describe("while this thread holds tensors of the device", () => {
  it("a worker thread gets none, and works on the CPU", async () => {
    const worker = new Worker(program("worker.mjs", "parentPort.postMessage"));
    const [[device, cpu]] = (await once(worker, "message")) as [[string, number]];
    expect(device).toBe(
      "TypeError: Tensors of a device belong to the thread of this process that used one first: Metal takes one thread. " +
        "Work on the CPU here, as the workers of a DataLoader do, and move results there.",
    );
    expect(cpu).toBe(2);
    await worker.terminate();
    expect(held).toBeDefined();
  });

  it("a forked process gets none either", async () => {
    const child = fork(program("child.mjs", "process.send"));
    const [[device, cpu]] = (await once(child, "message")) as [[string, number]];
    expect(device).toBe(
      `TypeError: This process is a child of process ${process.pid}, which holds the device: one process has one device session. ` +
        "Work on the CPU here and send the numbers back, or start it with child_process.spawn, without a channel.",
    );
    expect(cpu).toBe(2);
    child.kill();
  });

  it("a worker of a cluster gets none either", async () => {
    cluster.setupPrimary({ exec: program("clustered.mjs", "process.send"), execArgv: [], args: [] });
    const worker = cluster.fork();
    const [[device, cpu]] = (await once(worker, "message")) as [[string, number]];
    expect(device).toBe(
      `TypeError: This process is a worker of a cluster of process ${process.pid}, which holds the device: one process has one device session. ` +
        "Work on the CPU here and send the numbers back, or start it with child_process.spawn, without a channel.",
    );
    expect(cpu).toBe(2);
    worker.kill();
  });

  it("a forked process of which nobody holds the device has its own", async () => {
    const { MPSLAB_DEVICE_PROCESS: _, ...env } = process.env;
    const child = fork(program("alone.mjs", "process.send"), { env });
    const [[device]] = (await once(child, "message")) as [[number, number]];
    expect(device).toBe(2);
    child.kill();
  });

  it("so have workers of a cluster whose primary holds none: each is a session like a second notebook's", async () => {
    cluster.setupPrimary({ exec: program("siblings.mjs", "process.send"), execArgv: [], args: [] });
    const workers = [0, 1].map(() => cluster.fork({ MPSLAB_DEVICE_PROCESS: "" }));
    const answers = await Promise.all(workers.map((worker) => once(worker, "message")));
    expect(answers.map(([[device]]) => device as number)).toEqual([2, 2]);
    for (const worker of workers) worker.kill();
  });
});
