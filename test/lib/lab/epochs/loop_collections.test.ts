// Tests which collection each epoch of a loop gets: those that the verdict needs, and a budget for the others.
import { describe, expect, it } from "vitest";
import { Collector } from "../../../../lib/lab/core/collector.ts";
import { LoopCollections } from "../../../../lib/lab/epochs/loop_collections.ts";
import type { CollectionKind } from "../../../../lib/torch/engine/garbage.ts";

const MIB = 2 ** 20;

/**
 * The memory that collections at an epoch's end leave: bytes of tensors after a minor and after a full one, and
 * JavaScript's heap.
 */
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

const left = (tensorBytes: number, heapBytes = 10 * MIB): Left => ({ tensorBytes, heapBytes });

/** Epochs that each keep something: a minor collection never leaves what the last full one left. */
const growing = (count: number): Left[] =>
  Array.from({ length: count }, (_, epoch) => left(1_000 * (epoch + 1)));
const steady = (count: number): Left[] => Array.from({ length: count }, () => left(1_000));

/** The epochs whose collection was a full one. */
const full = (made: readonly string[]): number[] =>
  made.flatMap((collection, epoch) => (collection === "full" ? [epoch] : []));

describe("full collections, in a loop that keeps something at every epoch,", () => {
  it("come at every epoch where each takes at most 5% of one", () => {
    expect(full(collections(200, 10, growing(6)))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("come at the epochs that a verdict after four and ten needs, however short epochs are and whatever one takes", () => {
    expect(full(collections(5, 1_000, growing(30)))).toEqual([0, 1, 2, 4, 7]);
  });

  it("take 200 ms of a short loop, half of them late, when they are due", () => {
    expect(full(collections(5, 15, growing(60)))).toEqual([0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56]);
  });

  it("take 5% of a long loop", () => {
    const made = full(collections(50, 10, growing(1_000)));
    expect(made.length * 10).toBeGreaterThan(0.045 * 1_000 * 50);
    expect(made.length * 10).toBeLessThanOrEqual(0.05 * (1_000 * 50 + made.length * 10));
  });
});

describe("full collections, in a loop that keeps nothing,", () => {
  it("are few: for the verdict, and when they are due", () => {
    expect(full(collections(200, 10, steady(30)))).toEqual([0, 1, 4, 7, 10, 14, 20, 28]);
  });
});

describe("the collection at the end of an epoch like the one before", () => {
  it("is a minor one where that leaves as much as the full one left", () => {
    expect(collections(200, 10, steady(4))).toEqual(["full", "full", "minor, enough", "minor, enough"]);
  });

  it.each([
    ["more than 1% more", 1_011],
    ["less", 996],
  ])("is a full one as well where %s is left: something changed, or is old", (_, bytes) => {
    expect(collections(200, 10, [...steady(2), left(bytes), left(bytes)])).toEqual([
      "full",
      "full",
      "full",
      "minor, enough",
    ]);
  });

  it("may leave a little that the loop's frame held, but never more than the flush before", () => {
    const epochs = [1_010, 1_010, 1_010, 1_010, 1_010, 1_010, 1_011].map((tensorBytes) => ({
      tensorBytes,
      fullBytes: 1_000,
    }));
    expect(collections(200, 10, epochs)).toEqual([
      "full",
      "full",
      "minor, enough",
      "minor, enough",
      "full",
      "minor, enough",
      "full",
    ]);
  });

  it.each([
    ["16 MiB", 10 * MIB, 26 * MIB],
    ["a quarter", 100 * MIB, 125 * MIB],
  ])("is a full one as well where JavaScript's own heap has grown by more than %s", (_, from, max) => {
    const epochs = [left(1_000, from), left(1_000, from), left(1_000, max), left(1_000, max + 1)];
    expect(collections(200, 10, epochs)).toEqual(["full", "full", "minor, enough", "full"]);
  });
});

it("who looks for what holds memory asks for a full collection out of turn", () => {
  const collector = new Collector({ collect: () => {}, usedBytes: () => 0 }, () => 0);
  const loop = new LoopCollections(collector);
  for (let epoch = 0; epoch < 2; epoch++) loop.collect(() => 0);
  expect(loop.collect(() => 0).collection).toBe("minor");
  expect(loop.collect(() => 0, "full").collection).toBe("full");
});
