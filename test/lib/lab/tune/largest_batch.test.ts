// Tests the search for the largest batch on scripted peaks, and with a limit of bytes on the CPU. That of a device which
// runs out of memory is in test/simulated_metal/.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lab, nn, torch } from "../../../../lib/index.ts";
import { batchesToTime, searchLargestBatch } from "../../../../lib/lab/tune/largest_batch.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { outOfMemory, record } from "../sweep/records.ts";
import { knobOf, QUICK, training } from "./scripted_training.ts";

const MIB = 2 ** 20;

describe("the search", () => {
  it.each([1, 37, 800, 12_345])("finds an edge at %i to 5%, and tries no batch twice", async (edge) => {
    const tried: number[] = [];
    const found = await searchLargestBatch(1, undefined, (batch) => {
      tried.push(batch);
      const fits = record(batch, { memory: { ...record(batch).memory!, limitBytes: null } });
      return Promise.resolve(batch <= edge ? fits : outOfMemory(batch));
    });
    expect(found.batch!).toBeLessThanOrEqual(edge);
    expect(found.batch!).toBeGreaterThanOrEqual(edge / 1.05 - 1);
    expect(new Set(tried).size).toBe(tried.length);
  });

  it("counts a peak over the limit as the end, where the device itself would go on", async () => {
    // A peak of 100 MiB and a MiB a sample, under 900 MiB: 800 samples. From 700 on it is 200 MiB more.
    const found = await searchLargestBatch(100, undefined, (batch) => {
      const made = record(batch);
      const peakBytes = made.memory!.peakBytes + (batch >= 700 ? 200 * MIB : 0);
      return Promise.resolve(record(batch, { memory: { ...made.memory!, peakBytes } }));
    });
    expect(found.batch!).toBeLessThan(700);
    expect(found.batch!).toBeGreaterThanOrEqual(700 / 1.05 - 1);
  });

  it("ends where no larger batch was asked for", async () => {
    const found = await searchLargestBatch(100, 250, (batch) => Promise.resolve(record(batch)));
    expect(found).toMatchObject({
      batch: 250,
      end: "The largest batch is 250: no larger one was asked for.",
    });
  });

  it("finds none where the present batch does not fit", async () => {
    const found = await searchLargestBatch(100, undefined, (batch) => Promise.resolve(outOfMemory(batch)));
    expect(found).toMatchObject({ batch: null, end: "batch 100 was out of memory." });
  });
});

it("batches to time are doublings up to the largest one, thinned, and that one", () => {
  expect(batchesToTime(32, null, undefined)).toEqual([64, 128, 256, 512]);
  expect(batchesToTime(32, 100, undefined)).toEqual([64, 100]);
  expect(batchesToTime(32, 32, undefined)).toEqual([]);
  expect(batchesToTime(32, 33_000, undefined)).toEqual([64, 256, 2048, 8192, 33_000]);
});

describe("on the CPU", () => {
  beforeEach(useScriptedClock);
  afterEach(() => vi.useRealTimers());

  it("times no larger batch where the present one is over the limit of bytes", async () => {
    const options = { ...QUICK, only: ["batch"], batch: 8, memoryBytes: 10 } as const;
    const tuned = await lab.tune(
      training(() => 9),
      options,
    );
    expect(tuned.largestBatch).toMatchObject({ batch: null, end: "batch 8 was out of memory." });
    expect(tuned.settings.batch).toBe(8);
    expect(knobOf(tuned, "batch").trials.map(({ value }) => value)).toEqual([8]);
  });

  it("says so where there is no larger batch to try", async () => {
    const options = { ...QUICK, only: ["batch"], batch: 8, maxBatch: 8 } as const;
    const tuned = await lab.tune(
      training(() => 9),
      options,
    );
    expect(knobOf(tuned, "batch")).toMatchObject({
      verdict: "no gain",
      reason: "There is no larger batch to try beside 8.",
    });
  });

  it("a limit of bytes has an edge, which is found to 5%", async () => {
    const make = ({ batch }: lab.TuneChoice) => {
      const model = new nn.Linear(1, 1);
      return {
        model,
        step() {
          vi.advanceTimersByTime(1);
          // 1 KiB an item, and nothing else that grows.
          return model(torch.ones([batch, 256]).sum().reshape([1, 1])).sum();
        },
      };
    };
    const limit = 8 * MIB;
    const tuned = await lab.tune(make, {
      ...QUICK,
      only: ["batch"],
      batch: 1024,
      windows: 1,
      memoryBytes: limit,
    });
    const { batch, end } = tuned.largestBatch!;
    const edge = limit / 1024;
    expect(batch!).toBeLessThanOrEqual(edge);
    expect(batch!).toBeGreaterThanOrEqual(edge / 1.05 - 1);
    expect(end).toMatch(
      /^The largest batch that fits is \d+: batch \d+ (would pass the watermark of 8 MiB|was out of memory)\.$/,
    );
    expect(tuned.knobs[0]!.trials.at(-1)!.value).toBe(batch);
  });
});
