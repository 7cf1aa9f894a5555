// `npm run bench [-- suite ...]`: runs the suites side by side with the peers, prints the tables, and keeps them in
// results/, in the folder of the machine.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { cuda, torch } from "mpslab";
import { architectures } from "./architectures.ts";
import { makePeers, root } from "./environment.ts";
import { capture } from "./capture.ts";
import { checks } from "./checks.ts";
import { dataParallel } from "./data_parallel.ts";
import { dataParallelGpu } from "./data_parallel_gpu.ts";
import { disposal } from "./disposal.ts";
import { flush } from "./flush.ts";
import { gpu } from "./gpu.ts";
import { interrupts } from "./interrupts.ts";
import { kernels } from "./kernels.ts";
import { lab } from "./lab.ts";
import { loader } from "./loader.ts";
import { thisMachine } from "./machine.ts";
import { memorySnapshot } from "./memory_snapshot.ts";
import { models } from "./models.ts";
import { operators } from "./operators.ts";
import { keepResult } from "./results.ts";
import { simulatedMetal } from "./simulated_metal.ts";
import { training } from "./training.ts";

const suites: Readonly<Record<string, () => Promise<string>>> = {
  operators,
  training,
  "data-parallel": dataParallel,
  capture,
  models,
  loader,
  kernels,
  checks,
  flush,
  lab,
  "memory-snapshot": memorySnapshot,
  architectures,
  disposal,
  interrupts,
  gpu,
  "data-parallel-gpu": dataParallelGpu,
  "simulated-metal": simulatedMetal,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(suites, name));
if (unknown !== undefined) {
  console.error(
    `There is no benchmark ${unknown}: choose from ${Object.keys(suites).join(", ")}, or name none for all.`,
  );
  process.exit(1);
}

makePeers(torch.version);
const results = path.join(root, "test", "bench", "results");
const machine = thisMachine(torch.version, cuda.isAvailable() ? gpuName() : null);
for (const name of asked.length ? asked : Object.keys(suites)) {
  process.stderr.write(`${name}\n`);
  console.log(keepResult(results, name, machine, await suites[name]!()));
}

/** `NVIDIA H100 80GB HBM3`, of the first GPU. */
function gpuName(): string {
  const names = execFileSync("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"], {
    encoding: "utf8",
  });
  return names.split("\n")[0]!.trim();
}
