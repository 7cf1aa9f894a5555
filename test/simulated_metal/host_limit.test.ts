// A simulated Mac that is larger than this machine: its limit is what the machine has free, and everything that fails
// by it says so.
import os from "node:os";
import { beforeAll, expect, it } from "vitest";
import { mps, OutOfMemoryError, torch } from "../../lib/index.ts";
import { describeSimulation } from "../../lib/torch/devices/mps/simulated_metal.ts";

const GiB = 2 ** 30;

beforeAll(() => void mps.simulate({ memory: "2048GB" }));

it("is limited to the free memory, and tells", () => {
  const simulation = mps.simulation()!;
  expect(simulation).toMatchObject({ memoryBytes: 2048 * GiB, cappedByHost: true });
  expect(simulation.limitBytes).toBeLessThan(os.totalmem());
  expect(mps.recommendedMaxMemory()).toBeGreaterThan(1365 * GiB);
  expect(describeSimulation(simulation)).toMatch(
    /^a Mac with 2048 GiB of memory, 1365\.3 GiB of it recommended, limited to the [\d.]+ GiB that this machine has free$/,
  );
});

it("stays limited without a high watermark: the system's own end of memory is never reached", () => {
  mps.setPerProcessMemoryFraction(0);
  expect(mps.simulation()).toMatchObject({ cappedByHost: true });
});

it("runs out of memory before the machine does, twenty times, and loses nothing", () => {
  // Each runs the whole collector of JavaScript first: so twenty, not a thousand.
  const tooMuch = () => torch.empty([1000 * GiB], { dtype: "uint8", device: "mps" });
  expect(tooMuch).toThrow(
    /MPS backend out of memory .*\nWhat helps, in this order:\n {2}1\. a smaller batch or shorter sequences\n {2}2\. a machine with more memory \(the limit is the [\d.]+ [MG]iB that this one had free\)$/,
  );
  const before = [mps.currentAllocatedMemory(), mps.driverAllocatedMemory(), process.memoryUsage().rss];
  let failures = 0;
  for (let i = 0; i < 20; i++) {
    try {
      tooMuch();
    } catch (error) {
      if (error instanceof OutOfMemoryError) failures++;
    }
  }
  expect(failures).toBe(20);
  expect([mps.currentAllocatedMemory(), mps.driverAllocatedMemory()]).toEqual(before.slice(0, 2));
  expect(process.memoryUsage().rss - before[2]!).toBeLessThan(64 * 2 ** 20);
  expect(torch.ones([4], { device: "mps" }).sum().item()).toBe(4);
});
