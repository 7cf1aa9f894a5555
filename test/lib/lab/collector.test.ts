// Which collection a flush may afford, and that V8 really collects.
import { describe, expect, it } from "vitest";
import { Collector } from "../../../lib/lab/collector.ts";
import { collectGarbage, type CollectionKind } from "../../../lib/torch/garbage.ts";

/** Epochs of one length, and what was collected at the end of each. */
function collections(epochMs: number, fullMs: number, count: number): CollectionKind[] {
  let nowMs = 0;
  const collector = new Collector(
    (kind) => {
      nowMs += kind === "full" ? fullMs : 0;
    },
    () => nowMs,
  );
  return Array.from({ length: count }, () => {
    nowMs += epochMs;
    return collector.affordable();
  });
}

describe("the collection at an epoch's end", () => {
  it("is a full one where that costs at most 5% of the epoch", () => {
    expect(collections(200, 10, 4)).toEqual(["full", "full", "full", "full"]);
  });

  it("is a minor one where the full one, by its last cost, would exceed 5% of the epoch", () => {
    expect(collections(200, 11, 2)).toEqual(["full", "minor"]);
  });

  it("is a full one again when enough epochs have passed to pay for it", () => {
    // 10 ms are 5% of 200 ms: four epochs of 50 ms.
    expect(collections(50, 10, 9)).toEqual([
      "full",
      "minor",
      "minor",
      "minor",
      "full",
      "minor",
      "minor",
      "minor",
      "full",
    ]);
  });

  it("is a full one by hand, whatever it costs", () => {
    const collector = new Collector(
      () => {},
      () => 0,
    );
    expect([collector.full(), collector.full()]).toEqual(["full", "full"]);
  });
});

describe("V8's collector", () => {
  /** In a function of its own: what a suspended async function has touched stays in its frame. */
  const weakly = (): WeakRef<object> => new WeakRef({ rows: 60_000 });
  const nextJob = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it("has let go of what nobody holds when the call returns", async () => {
    const weak = weakly();
    // A WeakRef keeps its target until the job that made it has ended.
    await nextJob();
    collectGarbage("full");
    expect(weak.deref()).toBeUndefined();
  });

  it("leaves what is old to the full collection", async () => {
    const weak = weakly();
    await nextJob();
    collectGarbage("minor");
    expect(weak.deref()).toEqual({ rows: 60_000 });
    await nextJob();
    collectGarbage("full");
    expect(weak.deref()).toBeUndefined();
  });
});
