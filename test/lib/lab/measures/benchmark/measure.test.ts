// Tests what a benchmark measures, on a device whose clock the test moves.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BenchmarkCase } from "../../../../../lib/lab/measures/benchmark/measure.ts";
import { benchmarkTable } from "../../../../../lib/lab/measures/benchmark/view.ts";
import type { MeasurePlan } from "../../../../../lib/lab/measures/benchmark/options.ts";
import { measureInterleaved } from "../../../../../lib/lab/measures/benchmark/interleave.ts";
import { runSteps } from "../../../../../lib/lab/core/run_steps.ts";
import { ScriptedDevice, useScriptedClock } from "../../scripted_device.ts";

beforeEach(useScriptedClock);
afterEach(() => {
  vi.useRealTimers();
});

const PLAN: MeasurePlan = {
  warmup: 1,
  repeats: 4,
  calls: 2,
  repeatMs: 5,
  deadlineMs: 60_000,
  capture: false,
};

function measured(device: ScriptedDevice, run: () => unknown, plan: Partial<MeasurePlan> = {}) {
  const complete = { ...PLAN, ...plan };
  const benchmarkCase = new BenchmarkCase("step", run, device, complete);
  const done = runSteps(measureInterleaved([benchmarkCase], complete, 0));
  return done instanceof Promise ? done.then(() => benchmarkCase.result()) : benchmarkCase.result();
}

describe("a call that queues 30 ms of work in 2 ms", () => {
  it("has a queue time beside its finished time, each of one call", () => {
    const device = new ScriptedDevice();
    expect(measured(device, () => device.train({ hostMs: 2, queuedMs: 30 }))).toMatchObject({
      name: "step",
      device: "mps",
      repeats: 4,
      callsPerRepeat: 2,
      queuedMs: { median: 2, min: 2, max: 2 },
      finishedMs: { median: 32 },
      waitedInsideMs: 0,
      finishedRepeatsMs: [32, 32, 32, 32],
      notes: [],
    });
  });

  it("is called until a repeat lasts long enough, where the calls are not given", () => {
    const device = new ScriptedDevice();
    const run = () => device.train({ hostMs: 2, queuedMs: 8 });
    expect(measured(device, run, { calls: null, repeatMs: 95 })).toMatchObject({ callsPerRepeat: 10 });
  });
});

it("a speedup is called uncertain where a spread is a third or more", async () => {
  const steady = await measured(new ScriptedDevice(), () => {});
  const withQuartiles = (lowerQuartile: number, upperQuartile: number) => ({
    ...steady,
    finishedMs: { median: 10, min: 1, lowerQuartile, upperQuartile, max: 40 },
  });
  const notesOf = (...of: (typeof steady)[]) => benchmarkTable(of, [1, 2]).notes;
  expect(notesOf(withQuartiles(9, 11), withQuartiles(8, 12))).toEqual([]);
  expect(notesOf(withQuartiles(9, 11), withQuartiles(6, 14))).toEqual([
    expect.stringMatching(/^The speedup is uncertain: /),
  ]);
});

it("the first call stands apart from the others", () => {
  const device = new ScriptedDevice();
  let calls = 0;
  const result = measured(device, () => device.train({ hostMs: calls++ === 0 ? 400 : 1 }), { warmup: 3 });
  expect(result).toMatchObject({ firstMs: 400, finishedMs: { median: 1, max: 1 } });
});

it("waits inside a call are told, and are part of its queue time", () => {
  const device = new ScriptedDevice();
  const result = measured(device, () => {
    device.train({ hostMs: 1, queuedMs: 9 });
    device.synchronize();
    device.waited! += 9;
  });
  expect(result).toMatchObject({ queuedMs: { median: 10 }, waitedInsideMs: 9 });
});

it("where nobody counts waits, they are not known", () => {
  const device = new ScriptedDevice("cuda");
  device.waited = null;
  expect(measured(device, () => device.train({ hostMs: 1 }))).toMatchObject({ waitedInsideMs: null });
});

it("repeats that lie apart have quartiles between them", () => {
  const device = new ScriptedDevice();
  const lengths = [0, 10, 20, 30, 40];
  const result = measured(device, () => device.train({ hostMs: lengths.shift()! }), { calls: 1 });
  expect(result).toMatchObject({
    finishedMs: { min: 10, lowerQuartile: 17.5, median: 25, upperQuartile: 32.5, max: 40 },
  });
});

it("the deadline ends the repeats, and what was measured stays", () => {
  const device = new ScriptedDevice();
  const result = measured(device, () => device.train({ hostMs: 600 }), {
    deadlineMs: 2000,
    calls: 1,
    repeats: 100,
  });
  expect(result).toMatchObject({
    repeats: 4,
    finishedMs: { median: 600 },
    notes: ["The deadline came after 4 of 100 repeats."],
  });
});

it("times on a simulated device say that they are no GPU's", () => {
  const device = new ScriptedDevice("mps (simulated)");
  expect(measured(device, () => {})).toMatchObject({
    notes: ["The device is simulated by this machine's processor: no time here is a GPU's."],
  });
});

it("a function that returns promises is waited for", async () => {
  const device = new ScriptedDevice();
  const result = await measured(device, async () => {
    await Promise.resolve();
    device.train({ hostMs: 7 });
  });
  expect(result).toMatchObject({ finishedMs: { median: 7 } });
});

it("turns are taken in rounds, in an order that the seed fixes", () => {
  const orderOf = (seed: number): string => {
    let order = "";
    const device = new ScriptedDevice();
    const plan = { ...PLAN, warmup: 0, calls: 1, repeats: 6 };
    const cases = ["a", "b", "c"].map((name) => new BenchmarkCase(name, () => (order += name), device, plan));
    runSteps(measureInterleaved(cases, plan, seed));
    return order;
  };
  expect(orderOf(1)).toBe(orderOf(1));
  expect(orderOf(1)).not.toBe(orderOf(2));
  for (const round of orderOf(1).match(/.../g)!) expect([...round].toSorted().join("")).toBe("abc");
});
