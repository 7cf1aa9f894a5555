// The simulated device's allocator, step by step. The expected numbers follow by hand from the rules of PyTorch 2.15's
// ATen/mps/MPSAllocator.h; each step says which. Beside the rules two numbers are the simulation's own: buffers are
// aligned to 256 bytes, and a Mac with 4 GB takes no buffer of 2 GiB or more.
import { beforeAll, describe, expect, it } from "vitest";
import { mps, OutOfMemoryError, type Tensor, torch } from "../../lib/index.ts";
import { collectGarbage } from "../../lib/torch/garbage.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

const bytes = (count: number): Tensor => torch.empty([count], { dtype: "uint8", device: "mps" });
const memory = () => [mps.currentAllocatedMemory(), mps.driverAllocatedMemory()];

const held = new Map<string, Tensor>();
const take = (name: string, count: number) => held.set(name, bytes(count));
function give(...names: string[]) {
  for (const name of names) {
    held.get(name)!.dispose();
    held.delete(name);
  }
}
function giveAll() {
  give(...held.keys());
  mps.emptyCache();
}

beforeAll(() => {
  // 4 GiB; recommended floor(4 GiB / 3) x 2 = 2,863,311,530. High watermark 1.7: 4,867,629,601. Low 1.4: 4,008,636,142.
  expect(mps.simulate({ memory: "4GB" })).toMatchObject({ limitBytes: 4_867_629_601, cappedByHost: false });
  expect(mps.recommendedMaxMemory()).toBe(2_863_311_530);
  expect(memory()).toEqual([0, 0]);
});

/** What is done, what the tensors then hold, what the heaps hold, and why. */
type Step = readonly [does: string, () => unknown, allocated: number, driver: number, because: string];

function table(name: string, steps: readonly Step[]): void {
  describe(name, () => {
    it.each(steps)("%s", (_, step, allocated, driver) => {
      step();
      expect(memory()).toEqual([allocated, driver]);
    });
  });
}

const SMALL = 8 * MiB; // kSmallHeap
const LARGE = 32 * MiB; // kLargeHeap
const XLARGE = GiB; // kXLargeHeap

table("small requests", [
  [
    "4 bytes",
    () => take("a", 4),
    256,
    SMALL,
    "rounded to 256; up to 1 MiB (kMaxSmallAlloc) from a heap of 8 MiB",
  ],
  ["1,000 bytes", () => take("b", 1000), 256 + 1024, SMALL, "rounded to 1,024; split from the same heap"],
  ["the first is freed", () => give("a"), 1024, SMALL, "a freed block waits in its heap"],
  ["200 bytes", () => take("c", 200), 1024 + 256, SMALL, "the smallest free block that is large enough"],
  ["1 MiB", () => take("d", MiB), 1280 + MiB, SMALL, "the last size that is small"],
  ["a view", () => held.set("view", held.get("d")!.slice(0, 0, 10)), 1280 + MiB, SMALL, "shares the buffer"],
  ["nothing", () => take("e", 0), 1280 + MiB, SMALL, "0 bytes need no buffer"],
  [
    "8 MiB less what is there does not fit: 1 MiB more, seven times",
    () => {
      for (let i = 0; i < 7; i++) take(`f${i}`, MiB);
    },
    1280 + 8 * MiB,
    2 * SMALL,
    "six fit into the first heap beside the 1 MiB and 1,280 bytes, the seventh needs another",
  ],
  ["all are freed", () => give(...held.keys()), 0, 2 * SMALL, "heaps stay until they are asked for"],
  ["emptyCache()", () => mps.emptyCache(), 0, 0, "wholly free heaps are given back"],
]);

table("large requests", [
  [
    "1 MiB + 1 byte",
    () => take("a", MiB + 1),
    MiB + 256,
    LARGE,
    "rounded to 1 MiB + 256; below 10 MiB (kMinLargeAlloc) from 32 MiB",
  ],
  ["10 MiB - 256", () => take("b", 10 * MiB - 256), 11 * MiB, LARGE, "the same heap: 31 MiB - 256 were free"],
  [
    "10 MiB",
    () => take("c", 10 * MiB),
    21 * MiB,
    LARGE,
    "21 MiB are free in the heap: no new one, whatever its own tier",
  ],
  [
    "16 MiB",
    () => take("d", 16 * MiB),
    37 * MiB,
    LARGE + XLARGE,
    "11 MiB are free: a new heap of 1 GiB, its tier below 512 MiB",
  ],
  ["600 MiB", () => take("e", 600 * MiB), 637 * MiB, LARGE + XLARGE, "1,008 MiB are free there"],
  [
    "600 MiB again",
    () => take("f", 600 * MiB),
    1237 * MiB,
    LARGE + XLARGE + 600 * MiB,
    "from half of kXLargeHeap on a heap of its own",
  ],
  [
    "601 MiB + 1 byte",
    () => take("g", 601 * MiB + 1),
    1839 * MiB,
    LARGE + XLARGE + 1202 * MiB,
    "a heap in steps of 2 MiB (kRoundLarge): 602 MiB; the rest of 1 MiB - 256 is below min_split and stays with the buffer",
  ],
  [
    "one heap is freed, one half",
    () => give("f", "e"),
    639 * MiB,
    LARGE + XLARGE + 1202 * MiB,
    "nothing is given back by itself",
  ],
  [
    "599 MiB",
    () => take("h", 599 * MiB),
    1238 * MiB,
    LARGE + XLARGE + 1202 * MiB,
    "best fit: the block of 600 MiB of the older heap, split; 1 MiB is left",
  ],
  [
    "emptyCache()",
    () => mps.emptyCache(),
    1238 * MiB,
    LARGE + XLARGE + 602 * MiB,
    "only the wholly free heap of 600 MiB",
  ],
  ["everything is freed", giveAll, 0, 0, "and given back"],
]);

table("free neighbours", [
  [
    "a heap of 32 MiB in four: 9 + 9 + 9 + 5 MiB",
    () => {
      take("a", 9 * MiB);
      take("b", 9 * MiB);
      take("c", 9 * MiB);
      take("d", 5 * MiB);
    },
    32 * MiB,
    LARGE,
    "each is below 10 MiB",
  ],
  ["the first and the third are freed", () => give("a", "c"), 14 * MiB, LARGE, "apart from each other"],
  [
    "9.5 MiB",
    () => take("e", 9.5 * MiB),
    23.5 * MiB,
    2 * LARGE,
    "no block and no run of neighbours is as large",
  ],
  [
    "that and the second are freed",
    () => give("e", "b"),
    5 * MiB,
    2 * LARGE,
    "now three neighbours of 9 MiB are free",
  ],
  ["emptyCache()", () => mps.emptyCache(), 5 * MiB, LARGE, "the second heap"],
  [
    "20 MiB",
    () => take("f", 20 * MiB),
    25 * MiB,
    LARGE,
    "coalesced: three blocks become one, 7 MiB of it are split off again",
  ],
  ["everything is freed", giveAll, 0, 0, "and given back"],
]);

table("watermarks", [
  [
    "1,900 MiB twice",
    () => {
      take("a", 1900 * MiB);
      take("b", 1900 * MiB);
    },
    3800 * MiB,
    3800 * MiB,
    "3,984,588,800 bytes: 22 MiB below the low watermark",
  ],
  ["one is freed", () => give("b"), 1900 * MiB, 3800 * MiB, "and waits"],
  [
    "1,950 MiB",
    () => take("c", 1950 * MiB),
    3850 * MiB,
    3850 * MiB,
    "fits no block; beside the waiting heap it would be beyond the high watermark, so that heap is released",
  ],
  [
    "20 MiB",
    () => take("d", 20 * MiB),
    3870 * MiB,
    3870 * MiB,
    "beyond the low watermark a heap is no larger than its buffer",
  ],
]);

describe("beyond the high watermark", () => {
  const text =
    "MPS backend out of memory (MPS allocated: 3.78 GiB, other allocations: 0 bytes, max allowed: 4.53 GiB). " +
    "Tried to allocate 1.86 GiB on shared pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for " +
    "memory allocations (may cause system failure)";

  it("an allocation fails with PyTorch's numbers and the largest tensors", () => {
    expect(() => bytes(1900 * MiB)).toThrow(OutOfMemoryError);
    expect(() => bytes(1900 * MiB)).toThrow(text);
    expect(() => bytes(1900 * MiB)).toThrow(
      /Largest tensors: uint8 \[2044723200\] on mps:0 of 1\.9 GiB; uint8 \[1992294400\] on mps:0 of 1\.86 GiB; .*\. What helps, in this order: 1\. a smaller batch or shorter sequences; 2\. .* \(tensors hold 3\.78 GiB\); 3\. mps\.emptyCache\(\) \(0 B are cached\); 4\. a higher mps\.setPerProcessMemoryFraction\(\) \(2\.67 GiB are recommended\)\.$/,
    );
  });

  it("a buffer larger than the device takes is out of memory too", () => {
    expect(() => bytes(2 * GiB)).toThrow(OutOfMemoryError);
    expect(() => bytes(2 * GiB)).toThrow("Invalid buffer size: 2.00 GiB");
  });

  it("nothing is lost after a thousand failures, and the session goes on", () => {
    const before = memory();
    // Of two kinds: the second runs JavaScript's collector each time.
    for (let i = 0; i < 980; i++) expect(() => bytes(2 * GiB)).toThrow(OutOfMemoryError);
    for (let i = 0; i < 20; i++) expect(() => bytes(1900 * MiB)).toThrow(OutOfMemoryError);
    expect(memory()).toEqual(before);
    expect(torch.ones([10], { device: "mps" }).sum().item()).toBe(10);
  });

  it("JavaScript's collector frees what nobody holds before an allocation fails", () => {
    giveAll();
    collectGarbage("full");
    for (let i = 0; i < 20; i++) bytes(1900 * MiB);
    expect(mps.driverAllocatedMemory()).toBeLessThanOrEqual(2 * 1900 * MiB + SMALL);
    collectGarbage("full");
    giveAll();
  });
});

describe("setPerProcessMemoryFraction", () => {
  it("moves the limit, 0 to 2, and leaves the low watermark", () => {
    mps.setPerProcessMemoryFraction(0.5);
    expect(mps.simulation()!.limitBytes).toBe(1_431_655_765);
    take("a", 1000 * MiB);
    expect(() => bytes(400 * MiB)).toThrow("max allowed: 1.33 GiB");
    mps.setPerProcessMemoryFraction(1.7);
    take("b", 400 * MiB);
    expect(memory()).toEqual(
      [1400 * MiB, 1400 * MiB].map((total, i) => (i === 0 ? total : 1000 * MiB + XLARGE)),
    );
    giveAll();
  });

  it.each([
    [-0.1, "fraction must be at least 0 and at most 2, got -0.1."],
    [2.1, "fraction must be at least 0 and at most 2, got 2.1."],
  ])("%f is refused", (fraction, message) => {
    expect(() => mps.setPerProcessMemoryFraction(fraction)).toThrow(message);
  });
});
