// Tests the measurement of one point, on a device whose clock and memory the test sets, with well-behaved and failing
// steps.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OutOfMemoryError } from "../../../../lib/index.ts";
import { DeadlineError } from "../../../../lib/deadlines.ts";
import { runSteps } from "../../../../lib/lab/core/run_steps.ts";
import { measurePoint, type MeasuredPlan, type SweepHost } from "../../../../lib/lab/sweep/measure.ts";
import type { SweepOptions } from "../../../../lib/lab/sweep/options.ts";
import type { PointRecord } from "../../../../lib/records/batch_sweeps/point.ts";
import { MIB, pauseByDebugger, ScriptedDevice, useScriptedClock } from "../scripted_device.ts";

let device: ScriptedDevice;
let swapBytes: number;
let availableBytes: number;
let interruption: Error | null;

beforeEach(() => {
  useScriptedClock();
  device = new ScriptedDevice();
  swapBytes = 0;
  availableBytes = 4000 * MIB;
  interruption = null;
});
afterEach(() => {
  vi.useRealTimers();
});

async function run(setup: SweepOptions["setup"], changes: Partial<MeasuredPlan> = {}): Promise<PointRecord> {
  const collector = device.collector();
  const host: SweepHost = {
    accelerator: device,
    unified: true,
    sample: () => ({
      ...device.memoryStats(),
      hostBytes: 0,
      heapBytes: 0,
      heapReservedBytes: 0,
      footprintBytes: 300 * MIB,
      availableBytes,
      swapBytes,
      pressure: null,
    }),
    collect: () => collector.full(),
    *holders() {
      return (yield Promise.resolve(["[512] float32 by exp at Cell [1]:4"])) as string[];
    },
    withinDeadline: (steps) => steps,
    isInterruption: (thrown) => thrown === interruption,
  };
  const plan: MeasuredPlan = {
    setup,
    samples: null,
    capture: false,
    warmupSteps: 2,
    windows: 4,
    windowMs: 100,
    deadlineMs: 60_000,
    memoryShare: 0.9,
    ...changes,
  };
  return runSteps(measurePoint(host, plan, { batch: 32 }));
}

describe("a step of 2 ms on the host and 8 on the device, with 5 ms of data before it", () => {
  const work = () => ({
    data: () => vi.advanceTimersByTime(5),
    forward: () => device.train({ hostMs: 1, queuedMs: 3 }),
    step() {
      device.train({ hostMs: 2, queuedMs: 8, drops: 10 * MIB });
      device.synchronize();
      device.waited! += 8;
    },
  });

  it("has its time split, its throughput, data and forward alone", async () => {
    expect(await run(work)).toMatchObject({
      point: { batch: 32 },
      status: "measured",
      error: null,
      first: { stepMs: 15, steps: 2, wallMs: 30 },
      steady: {
        windows: 4,
        stepsPerWindow: 7,
        stepMs: { median: 15 },
        samplesPerSecond: { median: (1000 * 32) / 15 },
        dataMs: 5,
        hostMs: 2,
        waitMs: 8,
      },
      dataOnly: { batchMs: 5, samplesPerSecond: 6400 },
      forwardOnly: { forwardMs: 4, samplesPerSecond: 8000 },
      swapped: false,
      leak: null,
      notes: [],
    });
  });

  it("has its memory: the peak over what was there before, and the watermark", async () => {
    device.held = 50 * MIB;
    expect((await run(work)).memory).toEqual({
      baseBytes: 50 * MIB,
      // Tensors that the steps drop stay until a collection: the sweep's own came after the warm-up and the second
      // window.
      peakBytes: (50 + 14 * 10) * MIB,
      driverBytes: (50 + 14 * 10 + 16 * 10) * MIB,
      footprintBytes: 300 * MIB,
      limitBytes: 900 * MIB,
      swappedBytes: 0,
    });
  });
});

it("a machine that has little left is the watermark: what it can give, and what the allocator has of it", async () => {
  device.held = 50 * MIB;
  availableBytes = 200 * MIB;
  const { memory } = await run(() => () => device.train({ hostMs: 10 }));
  expect(memory!.limitBytes).toBe(0.9 * 250 * MIB);
});

it("forward passes alone never queue more than a few: the device would be asked for more than fits", async () => {
  let deepestMs = 0;
  await run(() => ({
    step: () => device.train({ hostMs: 10 }),
    forward() {
      device.train({ hostMs: 1, queuedMs: 3 });
      deepestMs = Math.max(deepestMs, device.queuedMs);
    },
  }));
  expect(deepestMs).toBe(8 * 3);
});

it("nothing of a point is left behind when it is over", async () => {
  await run(() => () => device.train({ hostMs: 10, drops: MIB }));
  expect([device.garbage, device.cached]).toEqual([0, 0]);
});

it("a window that the debugger paused is told, and left out of the medians", async () => {
  let steps = 0;
  const { steady, status, wallMs, notes } = await run(() => () => {
    // The first step after a pause is slow. Two warm-up steps, then four windows of ten.
    const afterPause = ++steps === 15;
    device.train({ hostMs: afterPause ? 60 : 10 });
    if (afterPause) pauseByDebugger(500_000);
  });
  expect(status).toBe("measured");
  expect(steady).toMatchObject({ windows: 3, stepMs: { median: 10, max: 10 } });
  expect(wallMs).toBeLessThan(1000);
  expect(notes).toEqual(["The debugger paused a window, which is not in the medians."]);
});

it("where the debugger paused every window, their times are all there is", async () => {
  const { steady } = await run(() => () => {
    device.train({ hostMs: 10 });
    pauseByDebugger(1000);
  });
  expect(steady).toMatchObject({ windows: 4, stepMs: { median: 10 } });
});

it("the parts of a step are those of the window in the middle by its time", async () => {
  let steps = 0;
  const { steady } = await run(
    () => () => device.train({ hostMs: [10, 14, 12, 11][Math.max(0, Math.ceil((++steps - 2) / 10))]! }),
    { windows: 3 },
  );
  expect(steady).toMatchObject({
    stepsPerWindow: 10,
    stepMs: { min: 11, median: 12, max: 14 },
    hostMs: 12,
  });
});

it("work that is queued and not waited for is waited for at each window's end", async () => {
  const { steady } = await run(() => () => device.train({ hostMs: 1, queuedMs: 9 }));
  expect(steady).toMatchObject({ stepMs: { median: 10 }, dataMs: null, hostMs: 1, waitMs: 9 });
});

it("what strikes one window is in none of its parts, which add up to the step", async () => {
  let steps = 0;
  const { steady } = await run(() => () => device.train({ hostMs: steps++ === 12 ? 900 : 10, queuedMs: 5 }));
  expect(steady).toMatchObject({ stepMs: { median: 15 }, hostMs: 10, waitMs: 5 });
});

it("a slow first step is no part of the steady windows", async () => {
  let steps = 0;
  const { first, steady } = await run(() => () => device.train({ hostMs: steps++ === 0 ? 500 : 10 }));
  expect(first).toEqual({ stepMs: 500, steps: 2, wallMs: 510 });
  expect(steady!.stepMs.max).toBe(10);
});

describe("a point that goes wrong says how, and keeps what was measured", () => {
  it("a step that throws", async () => {
    let steps = 0;
    const record = await run(() => () => {
      device.train({ hostMs: 10 });
      if (++steps === 25) throw new TypeError("mat1 and mat2 do not fit");
    });
    expect(record).toMatchObject({
      status: "failed",
      error: "TypeError: mat1 and mat2 do not fit",
      first: { stepMs: 10 },
      steady: { windows: 2, stepMs: { median: 10 } },
    });
  });

  it("a step out of memory", async () => {
    const record = await run(() => () => {
      throw new OutOfMemoryError("mps is out of memory");
    });
    expect(record).toMatchObject({
      status: "out of memory",
      error: "OutOfMemoryError: mps is out of memory",
      steady: null,
    });
  });

  it("a setup that fails, and one that returns nothing to run", async () => {
    expect(
      await run(() => {
        throw new RangeError("no such layer");
      }),
    ).toMatchObject({ status: "failed", error: "RangeError: no such layer", first: null });
    expect((await run(() => ({}) as never)).error).toBe(
      "TypeError: The setup must return a step, or { data, forward, step } of which step is a function.",
    );
  });

  it("a deadline in the middle of a step", async () => {
    const record = await run(() => () => {
      throw new DeadlineError(60_000);
    });
    expect(record).toMatchObject({
      status: "deadline",
      error:
        "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 60000) and was stopped. Raise deadlineMs, or make the step smaller.",
    });
  });

  it("steps too slow for their windows get shorter windows", async () => {
    const record = await run(() => () => device.train({ hostMs: 100 }), {
      windowMs: 10_000,
      deadlineMs: 5_000,
    });
    expect(record).toMatchObject({ status: "measured", steady: { windows: 4, stepsPerWindow: 9 } });
    expect(record.wallMs).toBeLessThan(5_000);
  });

  it("a batch larger than the data set", async () => {
    expect(await run(() => () => {}, { samples: 20 })).toMatchObject({
      status: "failed",
      error: "RangeError: batch 32 is larger than the data set of 20 samples.",
    });
  });

  it("a machine that swaps meanwhile", async () => {
    const record = await run(() => () => {
      device.train({ hostMs: 10 });
      swapBytes += MIB;
    });
    expect(record.swapped).toBe(true);
    expect(record.notes).toEqual(["The machine swapped 42 MiB meanwhile."]);
  });

  it("a loss that is no number any more", async () => {
    const record = await run(() => () => {
      device.train({ hostMs: 10 });
      return Number.NaN;
    });
    expect(record.loss).toEqual({ value: null, finite: false });
    expect(record.notes).toEqual(["The loss became NaN: the times stand, the training does not."]);
  });

  it("a step that leaves tensors behind, with who holds them", async () => {
    const record = await run(() => () => device.train({ hostMs: 10, keeps: MIB }));
    expect(record.leak).toEqual({ bytesPerStep: MIB, holders: ["[512] float32 by exp at Cell [1]:4"] });
    expect(record.notes).toEqual(["A step leaves 1 MiB behind: [512] float32 by exp at Cell [1]:4."]);
  });

  it("memory that only the first steps take is no leak", async () => {
    let steps = 0;
    const record = await run(() => () => device.train({ hostMs: 10, keeps: steps++ < 5 ? MIB : 0 }));
    expect(record.leak).toBeNull();
  });
});

it("an interrupt is no failure of the step: it ends the sweep", async () => {
  interruption = new Error("interrupted");
  await expect(
    run(() => () => {
      throw interruption;
    }),
  ).rejects.toThrow(interruption);
});
