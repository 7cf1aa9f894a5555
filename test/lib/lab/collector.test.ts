// Which collection a flush needs and may afford, and that V8 really collects.
import { describe, expect, it } from "vitest";
import { Collector, LoopCollections } from "../../../lib/lab/collector.ts";
import { collectGarbage, type CollectionKind } from "../../../lib/torch/garbage.ts";

const MIB = 2 ** 20;

/** What collections at an epoch's end leave: bytes of tensors after a minor and after a full one, and JavaScript's heap. */
interface Left {
  readonly tensorBytes: number;
  readonly fullBytes?: number;
  readonly heapBytes?: number;
}

/** Epochs of one length, and what was collected at the end of each: `minor, enough` where nothing is left to find. */
function collections(epochMs: number, fullMs: number, epochs: readonly Left[]): string[] {
  let nowMs = 0;
  let heapBytes = 0;
  let collected: CollectionKind;
  const collect = (kind: CollectionKind) => {
    collected = kind;
    nowMs += kind === "full" ? fullMs : 0;
  };
  const collector = new Collector({ collect, usedBytes: () => heapBytes }, () => nowMs);
  const loop = new LoopCollections(collector);
  return epochs.map((left) => {
    nowMs += epochMs;
    heapBytes = left.heapBytes ?? 10 * MIB;
    const { collection, complete } = loop.collect(
      () => (collected === "full" ? left.fullBytes : undefined) ?? left.tensorBytes,
    );
    return collection === "minor" && complete ? "minor, enough" : collection;
  });
}

/** Epochs that each keep something: a minor collection never leaves what the last full one left. */
const growing = (count: number): Left[] =>
  Array.from({ length: count }, (_, epoch) => ({ tensorBytes: 1_000 * (epoch + 1) }));

describe("the collection at the end of an epoch that changed the bytes of tensors", () => {
  it("is a full one where that costs at most 5% of the epoch", () => {
    expect(collections(200, 10, growing(4))).toEqual(["full", "full", "full", "full"]);
  });

  it("is a minor one where the full one, by its last cost, would exceed 5% of the epoch", () => {
    expect(collections(200, 11, growing(2))).toEqual(["full", "minor"]);
  });

  it("is a full one again when enough epochs have passed to pay for it", () => {
    // 10 ms are 5% of 200 ms: four epochs of 50 ms.
    expect(collections(50, 10, growing(9))).toEqual([
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
    const collector = new Collector({ collect: () => {}, usedBytes: () => 0 }, () => 0);
    expect([collector.full(), collector.full()].map(({ collection }) => collection)).toEqual([
      "full",
      "full",
    ]);
  });
});

describe("the collection at the end of an epoch like the one before", () => {
  const left = (tensorBytes: number, heapBytes = 10 * MIB): Left => ({ tensorBytes, heapBytes });

  it("is a minor one where that leaves as much as the full one left", () => {
    expect(collections(200, 10, [left(1_000), left(1_000), left(1_000)])).toEqual([
      "full",
      "minor, enough",
      "minor, enough",
    ]);
  });

  it.each([
    ["more than 1% more", 1_011],
    ["less", 996],
  ])("is a full one as well where %s is left: something changed, or is old", (_, bytes) => {
    expect(collections(200, 10, [left(1_000), left(bytes), left(bytes)])).toEqual([
      "full",
      "full",
      "minor, enough",
    ]);
  });

  it("may leave a little that the loop's frame held, but never more than the flush before", () => {
    const epochs = [1_010, 1_010, 1_010, 1_011, 1_010].map((tensorBytes) => ({
      tensorBytes,
      fullBytes: 1_000,
    }));
    expect(collections(200, 10, epochs)).toEqual([
      "full",
      "minor, enough",
      "minor, enough",
      "full",
      "minor, enough",
    ]);
  });

  it.each([
    ["16 MiB", 10 * MIB, 26 * MIB],
    ["a quarter", 100 * MIB, 125 * MIB],
  ])("is a full one as well where JavaScript's own heap has grown by more than %s", (_, from, most) => {
    const epochs = [left(1_000, from), left(1_000, most), left(1_000, most + 1)];
    expect(collections(200, 10, epochs)).toEqual(["full", "minor, enough", "full"]);
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
