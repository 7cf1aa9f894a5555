// The simulated device's allocator, step by step. The expected numbers follow by hand from the rules of PyTorch 2.15's
// ATen/mps/MPSAllocator.{h,mm}; each step says which. Beside the rules two numbers are the simulation's own: buffers are
// aligned to 256 bytes, and a Mac with 4 GB takes no buffer of 2 GiB or more.
//
// A request of more than 1 MiB (get_allocation_size) becomes a multiple of 1/32 of the power of two below it: of 8 MiB for
// what lies between 256 and 512 MiB, of 16 MiB up to 1 GiB, of 32 MiB up to 2 GiB.
import { beforeAll, describe, expect, it } from "vitest";
import { mps, type Tensor, torch } from "../../lib/index.ts";

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

/** A step: what it does, what the tensors then hold, what the heaps hold, and why. */
type Step = readonly [does: string, () => unknown, allocated: number, driver: number, because: string];

/** The end of most tables: the next one begins with nothing held. */
const GIVEN_BACK: Step = ["everything is freed", giveAll, 0, 0, "and given back"];
const NEARLY_LOW: Step = [
  "1,888 MiB twice",
  () => {
    take("a", 1888 * MiB);
    take("b", 1888 * MiB);
  },
  3776 * MiB,
  3776 * MiB,
  "3,959,422,976 bytes: 46 MiB below the low watermark",
];

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
    MiB + 32 * KiB,
    LARGE,
    "a step of 32 KiB; below 10 MiB (kMinLargeAlloc) from a heap of 32 MiB",
  ],
  [
    "10 MiB - 256",
    () => take("b", 10 * MiB - 256),
    11 * MiB + 32 * KiB - 256,
    LARGE,
    "a step of 256 KiB would make it 10 MiB, which is of another tier: so none",
  ],
  [
    "10 MiB",
    () => take("c", 10 * MiB),
    21 * MiB + 32 * KiB - 256,
    LARGE,
    "21 MiB are free in the heap: no new one, whatever its own tier",
  ],
  [
    "16 MiB",
    () => take("d", 16 * MiB),
    37 * MiB + 32 * KiB - 256,
    LARGE + XLARGE,
    "11 MiB are free: a new heap of 1 GiB, its tier below 512 MiB",
  ],
  [
    "600 MiB",
    () => take("e", 600 * MiB),
    645 * MiB + 32 * KiB - 256,
    LARGE + XLARGE,
    "608 MiB in steps of 16; 1,008 MiB are free there",
  ],
  [
    "600 MiB again",
    () => take("f", 600 * MiB),
    1253 * MiB + 32 * KiB - 256,
    LARGE + XLARGE + 608 * MiB,
    "from half of kXLargeHeap on a heap of its own",
  ],
  [
    "2,017 MiB + 1 byte",
    () => take("g", 2017 * MiB + 1),
    3271 * MiB + 32 * KiB - 256,
    LARGE + XLARGE + 2626 * MiB,
    "a step would make it 2 GiB, beyond the largest buffer: so none; its heap is in steps of 2 MiB (kRoundLarge): 2,018 MiB; the rest of 1 MiB - 256 is below min_split and stays with the buffer",
  ],
  [
    "one heap is freed, and a part of one",
    () => give("f", "e"),
    2055 * MiB + 32 * KiB - 256,
    LARGE + XLARGE + 2626 * MiB,
    "nothing is given back by itself",
  ],
  [
    "500 MiB",
    () => take("h", 500 * MiB),
    2559 * MiB + 32 * KiB - 256,
    LARGE + XLARGE + 2626 * MiB,
    "504 MiB in steps of 8; best fit: the block of 608 MiB of the older heap, split",
  ],
  [
    "emptyCache()",
    () => mps.emptyCache(),
    2559 * MiB + 32 * KiB - 256,
    LARGE + XLARGE + 2018 * MiB,
    "only the wholly free heap of 608 MiB",
  ],
  GIVEN_BACK,
]);

table("a tensor that grows a little each time", [
  ["98 MiB + 1 byte", () => take("a", 98 * MiB + 1), 100 * MiB, XLARGE, "100 MiB in steps of 2"],
  [
    "99 MiB in its place",
    () => {
      give("a");
      take("b", 99 * MiB);
    },
    100 * MiB,
    XLARGE,
    "100 MiB too: the same buffer",
  ],
  [
    "100 MiB + 1 byte in its place",
    () => {
      give("b");
      take("c", 100 * MiB + 1);
    },
    102 * MiB,
    XLARGE,
    "102 MiB: the smallest free block that is large enough is the 924 MiB that nobody has used",
  ],
  GIVEN_BACK,
]);

table("a free block with a buffer", [
  [
    "a heap of 32 MiB: 5 MiB, which are freed, 22.5 MiB, and 4.5 MiB that no buffer was placed on",
    () => {
      take("a", 5 * MiB);
      take("b", 22.5 * MiB);
      give("a");
    },
    22.5 * MiB,
    LARGE,
    "the buffer of 5 MiB waits",
  ],
  [
    "4.25 MiB",
    () => take("c", 4.25 * MiB),
    27.5 * MiB,
    LARGE,
    "the 5 MiB, though 4.5 would be enough: a buffer that is there already, and 0.75 MiB are below min_split",
  ],
  ["4.25 MiB again", () => take("d", 4.25 * MiB), 32 * MiB, LARGE, "now the 4.5 MiB"],
  GIVEN_BACK,
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
  GIVEN_BACK,
]);

table("garbage collection beyond the low watermark", [
  [
    "1,888 MiB and four times 608 MiB",
    () => {
      take("a", 1888 * MiB);
      for (const name of ["b", "c", "d", "e"]) take(name, 608 * MiB);
    },
    4320 * MiB,
    4320 * MiB,
    "4,529,848,320 bytes: 498 MiB beyond the low watermark",
  ],
  ["two are freed", () => give("b", "c"), 3104 * MiB, 4320 * MiB, "and wait, 1,216 MiB"],
  [
    "640 MiB",
    () => take("f", 640 * MiB),
    3744 * MiB,
    4352 * MiB,
    "fits neither; heaps are released, the oldest first, until 498 MiB are: one is enough",
  ],
  [
    "640 MiB again",
    () => take("g", 640 * MiB),
    4384 * MiB,
    4384 * MiB,
    "more than the 608 MiB that are free: nothing is collected, but with it the high watermark would be passed, so they are released",
  ],
  [
    "1,000 bytes",
    () => take("h", 1000),
    4384 * MiB + 1024,
    4384 * MiB + SMALL,
    "small requests know no low watermark",
  ],
  [
    "256 MiB, where those are freed",
    () => {
      give("h");
      take("i", 256 * MiB);
    },
    4640 * MiB,
    4640 * MiB,
    "beside the small heap it would pass the high watermark by 6 MiB: at last every heap that is free goes",
  ],
  GIVEN_BACK,
]);

table("a heap of 1 GiB beyond the high watermark", [
  NEARLY_LOW,
  [
    "60 MiB",
    () => take("c", 60 * MiB),
    3836 * MiB,
    3776 * MiB + XLARGE,
    "the watermark is compared with the request, not with the heap that is made for it",
  ],
  [
    "20 MiB do not fit, though 964 MiB are free",
    () => expect(() => bytes(20 * MiB)).toThrow("MPS allocated: 4.69 GiB"),
    3836 * MiB,
    3776 * MiB + XLARGE,
    "get_free_buffer compares what is held already",
  ],
  [
    "20 MiB, after one of the two is freed",
    () => {
      give("b");
      take("d", 20 * MiB);
    },
    1968 * MiB,
    1908 * MiB + XLARGE,
    "collecting garbage comes before, and then a heap of its own size: the free 964 MiB are not looked at again",
  ],
  GIVEN_BACK,
]);

table("watermarks", [
  NEARLY_LOW,
  ["one is freed", () => give("b"), 1888 * MiB, 3776 * MiB, "and waits"],
  [
    "1,950 MiB",
    () => take("c", 1950 * MiB),
    3840 * MiB,
    3840 * MiB,
    "1,952 MiB fit no block; beside the waiting heap they would be beyond the high watermark, so that heap is released",
  ],
  [
    "20 MiB",
    () => take("d", 20 * MiB),
    3860 * MiB,
    3860 * MiB,
    "beyond the low watermark a heap is no larger than its buffer",
  ],
]);
