// A loader's workers where the environment asks for Metal: each thread reads it, and the device is the process's.
import { expect, it } from "vitest";
import { runWithDataset } from "../lib/torch/data/programs.ts";

it("workers load on the CPU, and the session takes their batches to the simulated device", () => {
  const loaded = runWithDataset(
    "numbers.mjs",
    `const sums = [];
     const loader = new data.DataLoader(await make({ length: 6 }), { batchSize: 2, numWorkers: 2 });
     for await (const { x } of loader) sums.push([x.device, x.to("mps").sum().item()]);
     return sums;`,
    { MPSLAB_METAL: "simulated 4GB" },
  );

  expect(loaded).toEqual([
    ["cpu", 2],
    ["cpu", 10],
    ["cpu", 18],
  ]);
});
