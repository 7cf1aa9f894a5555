// Tests what a collector reports of its collections, and that V8 really collects.
import { describe, expect, it } from "vitest";
import { Collector } from "../../../../lib/lab/core/collector.ts";
import { collectGarbage } from "../../../../lib/torch/engine/garbage.ts";

const MIB = 2 ** 20;

it("a full collection leaves nothing to find, and tells what it took", () => {
  let nowMs = 0;
  const collector = new Collector({ collect: () => (nowMs += 14), usedBytes: () => 3 * MIB }, () => nowMs);
  expect(collector.full()).toEqual({ collection: "full", complete: true });
  expect(collector.fullMs).toBe(14);
  expect(collector.minor()).toEqual({ collection: "minor", complete: false });
  expect(collector.fullMs).toBe(14);
  expect(collector.heapBytes()).toBe(3 * MIB);
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
