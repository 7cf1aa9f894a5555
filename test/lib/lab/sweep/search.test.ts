// Tests which batch a sweep tries next, given the records so far.
import { describe, expect, it } from "vitest";
import type { PointRecord } from "../../../../lib/records/batch_sweeps/point.ts";
import { type BatchRange, nextBatch, predictedPeak } from "../../../../lib/lab/sweep/search.ts";
import { MIB, outOfMemory, record } from "./records.ts";

const FROM_8: BatchRange = { from: 8, to: null, samples: null };

/** All batches that are tried on a machine that answers so, and why no further one is. */
function search(answer: (batch: number) => PointRecord, range = FROM_8): { tried: number[]; end: string } {
  const records: PointRecord[] = [];
  for (;;) {
    const next = nextBatch(records, range);
    if ("end" in next) return { tried: records.map(({ point }) => point.batch), end: next.end };
    records.push(answer(next.batch));
  }
}

describe("the batch is doubled", () => {
  it("until the next one would pass the watermark, which is never run", () => {
    // 100 MiB and one a sample: 800 samples reach 900 MiB.
    const { tried, end } = search((batch) => record(batch));
    expect(tried).toEqual([8, 16, 32, 64, 128, 256, 512, 768]);
    expect(end).toBe("The largest batch that fits is 768: batch 864 would pass the watermark of 900 MiB.");
  });

  it("until it runs out of memory where no watermark is known; then the boundary is halved to an eighth", () => {
    const limitless = (batch: number) =>
      record(batch, { memory: { ...record(batch).memory!, limitBytes: null } });
    const { tried, end } = search((batch) => (batch > 333 ? outOfMemory(batch) : limitless(batch)));
    expect(tried).toEqual([8, 16, 32, 64, 128, 256, 512, 384, 320, 352]);
    expect(end).toBe("The largest batch that fits is 320: batch 352 was out of memory.");
  });

  it("until nothing lies between what fits and what does not", () => {
    const { tried, end } = search((batch) => (batch > 5 ? outOfMemory(batch) : record(batch)), {
      ...FROM_8,
      from: 3,
    });
    // The middle of 3 to 6 is 4, not 5: the smaller one runs out of memory less often.
    expect(tried).toEqual([3, 6, 4, 5]);
    expect(end).toBe("The largest batch that fits is 5: batch 6 was out of memory.");
  });

  it("until the machine swaps", () => {
    const { tried, end } = search((batch) => record(batch, { swapped: batch >= 128 }));
    expect(tried).toEqual([8, 16, 32, 64, 128, 96, 112, 120]);
    expect(end).toBe("The largest batch that fits is 120: batch 128 made the machine swap.");
  });

  it("to the batch that was asked for, and no further", () => {
    expect(search((batch) => record(batch), { ...FROM_8, to: 100 })).toEqual({
      tried: [8, 16, 32, 64, 100],
      end: "The largest batch is 100: no larger one was asked for.",
    });
  });

  it("to the size of the data set", () => {
    expect(search((batch) => record(batch), { ...FROM_8, samples: 60 })).toEqual({
      tried: [8, 16, 32, 60],
      end: "The largest batch is 60: the data set has 60 samples.",
    });
  });
});

it("a data set smaller than the smallest batch is said at once", () => {
  expect(search((batch) => record(batch), { ...FROM_8, samples: 5 })).toEqual({
    tried: [],
    end: "The smallest batch, 8, is larger than the data set of 5 samples.",
  });
});

it("a step that fails ends the search with what it threw", () => {
  const failing = (batch: number) =>
    batch < 32 ? record(batch) : record(batch, { status: "failed", error: "TypeError: no such layer" });
  expect(search(failing)).toEqual({ tried: [8, 16, 32], end: "Batch 32 failed: TypeError: no such layer" });
});

it("a point that outlives its deadline ends the search", () => {
  const slow = (batch: number) => record(batch, { status: batch < 32 ? "measured" : "deadline" });
  expect(search(slow)).toEqual({ tried: [8, 16, 32], end: "Batch 32 did not end within the deadline." });
});

it("a first point out of memory leaves nothing to search", () => {
  expect(search(outOfMemory)).toEqual({ tried: [8], end: "batch 8 was out of memory." });
});

it("a batch with which the session crashed is not run again", () => {
  const { tried, end } = search((batch) =>
    batch >= 60 ? record(batch, { status: "crashed", steady: null }) : record(batch),
  );
  expect(tried).toEqual([8, 16, 32, 64, 48, 56, 60]);
  expect(end).toBe("The largest batch that fits is 56: the session ended while batch 60 ran.");
});

it("a peak is predicted on the line through the two largest batches", () => {
  expect(predictedPeak([], 8)).toBeNull();
  expect(predictedPeak([record(8)], 16)).toBe(216 * MIB);
  expect(predictedPeak([record(16), record(8), outOfMemory(64)], 32)).toBe(132 * MIB);
});
