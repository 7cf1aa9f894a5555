// The verdict on memory growth: by the samples after complete flushes, and by 26% over ten epochs.
import { describe, expect, it } from "vitest";
import {
  GROWTH_THRESHOLD,
  type GrowthMetric,
  type GrowthVerdict,
  growth,
  growthRemedy,
} from "../../../../lib/lab/epochs/growth.ts";
import { growthText } from "../../../../lib/lab/epochs/growth_text.ts";
import { epochRecords } from "../epoch_records.ts";

const MIB = 2 ** 20;

/** A loop whose epochs leave so many MiB of tensors, the first epoch included; -1 stands for an incomplete collection. */
const loopOf = (mebibytes: readonly number[]) =>
  epochRecords(mebibytes.length, (epoch) => ({
    collection: mebibytes[epoch]! < 0 ? "minor" : "full",
    after: { allocatedBytes: mebibytes[epoch]! * MIB },
  }));

const epochs = (count: number, mebibytes: (epoch: number) => number): number[] =>
  Array.from({ length: count }, (_, epoch) => mebibytes(epoch));

const verdictOf = (mebibytes: readonly number[]): GrowthVerdict => growth(loopOf(mebibytes)).verdict;

it("the runbook's threshold is data", () => {
  expect(GROWTH_THRESHOLD).toEqual({ rise: 0.26, epochs: 10 });
});

describe("memory that rises at every epoch", () => {
  it("grows above 26% of its beginning in ten epochs, and climbs below that, with its bytes an epoch", () => {
    expect(growth(loopOf(epochs(10, (epoch) => 100 + 2.7 * epoch)))).toEqual({
      metric: "allocatedBytes",
      verdict: "growing",
      fromBytes: 102.7 * MIB,
      toBytes: 124.3 * MIB,
      rise: expect.closeTo(21.6 / 102.7, 10),
      epochs: 8,
      bytesPerEpoch: expect.closeTo(2.7 * MIB, 1),
      riseOverTen: expect.closeTo(27 / 102.7, 10),
      lastRise: 9,
    });
    expect(growth(loopOf(epochs(10, (epoch) => 100 + 2.6 * epoch)))).toMatchObject({
      verdict: "climbing",
      bytesPerEpoch: expect.closeTo(2.6 * MIB, 1),
    });
  });

  it.each([
    [4, 1],
    [10, 1],
    [30, 1],
    [1000, 1],
    [10, 10],
    [30, 10],
    [30, 100],
    [1000, 100],
  ])("is found in %i epochs that each keep %i%%", (count, percent) => {
    expect(verdictOf(epochs(count, (epoch) => 100 + percent * epoch))).toBe(
      percent === 1 ? "climbing" : "growing",
    );
  });

  it("is found at a tenth of a percent, in rises that add up", () => {
    const found = growth(loopOf(epochs(30, (epoch) => 100 + 0.02 * epoch)));
    expect(found).toMatchObject({ verdict: "climbing", bytesPerEpoch: expect.closeTo(0.02 * MIB, 1) });
  });

  it("grows from nothing", () => {
    expect(growth(loopOf(epochs(10, (epoch) => (epoch < 2 ? 0 : epoch))))).toMatchObject({
      verdict: "growing",
      riseOverTen: Number.POSITIVE_INFINITY,
    });
  });

  it("grows where a checkpoint is kept at every fifth epoch", () => {
    expect(verdictOf(epochs(30, (epoch) => 100 + 20 * Math.floor(epoch / 5)))).toBe("growing");
  });

  it("climbs below spikes, which the collector had not found at one flush", () => {
    // The loop of lesson 07 that keeps numbers, as it was stored: 20 KiB an epoch, and half a MiB more after two flushes.
    const kibibytes = [0, 20, 553, 60, 80, 613, 120, 140];
    const found = growth(loopOf(kibibytes.map((one) => 83 + one / 1024)));
    expect(found.verdict).toBe("climbing");
    expect(found.bytesPerEpoch).toBeCloseTo(20 * 1024, 0);
    const cache = [0, 20, 553, 60, 60, 613, 60, 60];
    expect(verdictOf(cache.map((one) => 83 + one / 1024))).not.toBe("climbing");
  });

  it("grows where it also alternates, once there are enough epochs to tell", () => {
    expect(verdictOf(epochs(24, (epoch) => 100 + 50 * (epoch % 2) + 5 * epoch))).toBe("growing");
  });
});

describe("memory that rose, and then was flat", () => {
  it.each<[string, readonly number[]]>([
    ["a ring buffer that fills in eight epochs, in ten", epochs(10, (epoch) => 10 + Math.min(8, epoch + 1))],
    [
      "the same in ten, of which two were not sampled",
      epochs(10, (epoch) => 10 + Math.min(8, epoch + 1)).map((bytes, epoch) =>
        [6, 8].includes(epoch) ? -1 : bytes,
      ),
    ],
    ["the same in thirty", epochs(30, (epoch) => 10 + Math.min(8, epoch + 1))],
    ["a checkpoint that is kept at epoch six", epochs(10, (epoch) => (epoch < 6 ? 100 : 200))],
    ["a cache that fills in the second epoch", [100, 100, 150, 150, 150]],
  ])("%s", (_, mebibytes) => {
    expect(growth(loopOf(mebibytes))).toMatchObject({ verdict: "rose, then flat", riseOverTen: 0 });
  });

  it("is told with its bytes and the epoch", () => {
    expect(growthText(loopOf(epochs(10, (epoch) => (epoch < 6 ? 100 : 200))))).toBe(
      "rose by 100 MiB until epoch 7, then flat",
    );
  });
});

describe("what is told of memory that rose", () => {
  it("counts from the end of the first epoch", () => {
    expect(growthText(loopOf([4, 8, 12, 12, 12, 12, 12, 12]))).toBe("rose by 8 MiB until epoch 3, then flat");
  });

  it("is a stretch of epochs where flushes between left garbage that hides the level", () => {
    const records = epochRecords(10, (epoch) => ({
      complete: [0, 1, 4, 7, 9].includes(epoch),
      after: { allocatedBytes: (epoch < 3 ? 8 : 12) * MIB },
    }));
    expect(growthText(records)).toBe("rose by 4 MiB until epoch 4 to 5, then flat");
  });
});

describe("steady is", () => {
  it.each<[string, readonly number[]]>([
    ["memory that stays", epochs(10, () => 100)],
    ["memory that falls", epochs(10, (epoch) => 100 - epoch)],
    ["the first epoch's rise, for caches fill", [10, 100, 100, 100]],
    ["memory that alternates", epochs(10, (epoch) => 100 + 50 * (epoch % 2))],
    ["memory that alternates, one epoch later", epochs(11, (epoch) => 100 + 50 * (epoch % 2))],
    ["memory that rose and fell back", [100, 100, 300, 300, 100, 100, 100]],
    ["memory that swings around a level", epochs(40, (epoch) => 100 + ((epoch * 7919) % 13))],
  ])("%s", (_, mebibytes) => {
    expect(growth(loopOf(mebibytes))).toMatchObject({ verdict: "steady", riseOverTen: 0 });
  });
});

describe("undecided is", () => {
  it.each([0, 1, 2, 3])("a loop of %i epochs: a verdict takes three samples after the first", (count) => {
    const records = loopOf(epochs(count, (epoch) => 100 * epoch));
    expect(growth(records).verdict).toBe("undecided");
    expect(growthRemedy(records)).toBe("run an epoch loop of 4 epochs or more");
  });

  it("a rise that is the last epoch's alone", () => {
    const records = loopOf([100, 100, 100, 100, 200]);
    expect(growth(records).verdict).toBe("undecided");
    expect(growthRemedy(records)).toBe("run more epochs: the only rise is in the last one");
  });

  it.each(["none", "minor"] as const)("a loop whose collections were %s and incomplete", (collection) => {
    const records = epochRecords(40, () => ({ collection }));
    expect(growth(records)).toMatchObject({ verdict: "undecided", rise: null, fromBytes: null });
    expect(growthRemedy(records)).toBe(
      "run the epoch loop with its flushes: 0 of 39 after the first epoch were complete, and a verdict takes 3",
    );
  });
});

describe("an epoch counts", () => {
  it("with a minor collection, where that left nothing to find", () => {
    const records = epochRecords(12, () => ({ collection: "minor", complete: true }));
    expect(growth(records)).toMatchObject({ verdict: "steady", epochs: 10 });
  });

  it("not with an incomplete one between full ones, as in a loop of short epochs", () => {
    const full = new Set([0, 1, 4, 7, 29]);
    const records = epochRecords(30, (epoch) => ({
      collection: full.has(epoch) ? "full" : "minor",
      after: { allocatedBytes: (full.has(epoch) ? 100 + epoch : 900) * MIB },
    }));
    expect(growth(records)).toMatchObject({
      verdict: "climbing",
      bytesPerEpoch: MIB,
      fromBytes: 101 * MIB,
      toBytes: 129 * MIB,
    });
  });

  it("not when it was cut: what it held is a part's", () => {
    const records = epochRecords(13, (epoch) =>
      epoch === 12 ? { cut: true, after: { allocatedBytes: 2 ** 40 } } : {},
    );
    expect(growth(records)).toMatchObject({ verdict: "steady", rise: 0, epochs: 10 });
  });
});

describe("beside flat tensors", () => {
  const growing = (metric: GrowthMetric, step: number, from = 300) =>
    epochRecords(10, (epoch) => ({ after: { [metric]: (from + step * epoch) * MIB } }));

  it("a heap of V8's that grows is told apart", () => {
    expect(growthText(growing("heapBytes", 2, 10))).toBe(
      "no growth: 0% in 8 epochs; tensors are flat, but V8's heap grows: 2 MiB an epoch, +167% in ten epochs",
    );
  });

  it("V8's heap is judged by full collections alone", () => {
    const records = growing("heapBytes", 2, 10).map(
      (record) => ({ ...record, collection: "minor", complete: true }) as const,
    );
    expect(growth(records, "heapBytes").verdict).toBe("undecided");
  });

  it("tensors on the CPU that pile up in a session of a GPU are told apart", () => {
    expect(growthText(growing("hostBytes", 2, 12))).toBe(
      "no growth: 0% in 8 epochs; the device's tensors are flat, but those on the CPU grow: 2 MiB an epoch, +143% in ten epochs",
    );
  });

  it("blocks of the allocator that grow are told apart", () => {
    expect(growthText(growing("driverBytes", 2, 16))).toMatch(
      /but the allocator's blocks grow: 2 MiB an epoch/,
    );
  });

  it("a process that grows outside of both is told apart", () => {
    expect(growthText(growing("footprintBytes", 10))).toBe(
      "no growth: 0% in 8 epochs; tensors and V8's heap are flat, but the process grows: 10 MiB an epoch, +32.3% in ten epochs",
    );
  });

  it("a few pages more are none", () => {
    expect(growthText(growing("footprintBytes", 0.5))).toBe("no growth: 0% in 8 epochs");
  });
});

it("growth names what holds the memory, where that was found", () => {
  const records = loopOf(epochs(10, (epoch) => 100 + 10 * epoch));
  expect(growthText(records, ["losses (10 MiB more in 1 tensor, of Cell [3])"])).toBe(
    "growing: 10 MiB an epoch, +90.9% in ten epochs (over 26%: suspect retained tensors), held by losses (10 MiB more in 1 tensor, of Cell [3])",
  );
});
