// Running out of the simulated device's memory: PyTorch's numbers, what is tried before, and that nothing is lost. The
// numbers follow from the allocator's rules as in allocator.test.ts.
import { beforeAll, describe, expect, it } from "vitest";
import { mps, OutOfMemoryError, type Tensor, torch } from "../../lib/index.ts";
import { collectGarbage } from "../../lib/torch/engine/garbage.ts";

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const SMALL = 8 * MiB; // kSmallHeap
const XLARGE = GiB; // kXLargeHeap

const bytes = (count: number): Tensor => torch.empty([count], { dtype: "uint8", device: "mps" });
const memory = () => [mps.currentAllocatedMemory(), mps.driverAllocatedMemory()];

const held = new Map<string, Tensor>();
const take = (name: string, count: number) => held.set(name, bytes(count));
function giveAll() {
  for (const tensor of held.values()) tensor.dispose();
  held.clear();
  mps.emptyCache();
}

beforeAll(() => {
  // 2,863,311,530 bytes are recommended; the high watermark is at 4,867,629,601, 4.53 GiB.
  mps.simulate({ memory: "4GB" });
  take("a", 1888 * MiB);
  // In steps of 32 MiB: 1,952 MiB.
  take("b", 1950 * MiB);
  // Beyond the low watermark on a heap of its own.
  take("c", 20 * MiB);
  expect(memory()).toEqual([3860 * MiB, 3860 * MiB]);
});

describe("beyond the high watermark", () => {
  const text =
    "MPS backend out of memory (MPS allocated: 3.77 GiB, other allocations: 0 bytes, max allowed: 4.53 GiB). " +
    'Tried to allocate 1.88 GiB on shared pool (got size [1992294400], dtype "uint8", device "mps").';

  it("an allocation fails with PyTorch's numbers and the largest tensors", () => {
    expect(() => bytes(1900 * MiB)).toThrow(OutOfMemoryError);
    expect(() => bytes(1900 * MiB)).toThrow(text);
    expect(() => bytes(1900 * MiB)).toThrow(
      /\nLargest tensors:\n {2}uint8 \[2044723200\] on mps:0 of 1\.9 GiB\n {2}uint8 \[1979711488\] on mps:0 of 1\.84 GiB\n {2}.*\nWhat helps, in this order:\n {2}1\. a smaller batch or shorter sequences\n {2}2\. tidy\(\), dispose\(\) and item\(\) instead of kept losses \(tensors hold 3\.77 GiB\)$/,
    );
  });

  it("what a higher limit would let through is told with that limit, once", () => {
    expect(() => bytes(1200 * MiB)).toThrow(
      /2\. tidy\(\).*\n {2}3\. mps\.setPerProcessMemoryFraction\(1\.9\) \(2\.67 GiB are recommended; beyond them the system may swap\)$/,
    );
    mps.setPerProcessMemoryFraction(1.9);
    bytes(1200 * MiB).dispose();
    mps.emptyCache();
    mps.setPerProcessMemoryFraction(1.7);
    let message = "";
    try {
      bytes(1200 * MiB);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.match(/HIGH_WATERMARK|What helps/g)).toEqual(["What helps"]);
  });

  it("a buffer larger than the device takes is out of memory too", () => {
    expect(() => bytes(2 * GiB)).toThrow(OutOfMemoryError);
    expect(() => bytes(2 * GiB)).toThrow("Invalid buffer size: 2.00 GiB");
    // No limit that could be raised, and no tensor that could be freed, is in its way.
    expect(() => bytes(2 * GiB)).toThrow(
      /What helps, in this order:\n {2}1\. a smaller batch or shorter sequences\n {2}2\. the same work in parts, as with chunk\(\) \(Metal takes no single buffer of this size\)$/,
    );
  });

  it("nothing is lost after a thousand failures, and the session goes on", () => {
    const before = memory();
    // There are two kinds of failure. The second runs JavaScript's collector each time.
    for (let i = 0; i < 980; i++) expect(() => bytes(2 * GiB)).toThrow(OutOfMemoryError);
    for (let i = 0; i < 20; i++) expect(() => bytes(1900 * MiB)).toThrow(OutOfMemoryError);
    expect(memory()).toEqual(before);
    expect(torch.ones([10], { device: "mps" }).sum().item()).toBe(10);
  });

  it("a forward pass that fails half-way leaves nothing of its graph", () => {
    giveAll();
    const weight = torch.ones([256, 256], { device: "mps" }).requiresGrad_();
    collectGarbage("full");
    const before = memory();
    for (let i = 0; i < 100; i++) {
      expect(() => weight.mul(2).tanh().mm(weight).expand([8192, 256, 256]).clone()).toThrow(
        OutOfMemoryError,
      );
    }
    collectGarbage("full");
    mps.emptyCache();
    expect(memory()).toEqual(before);
    weight.dispose();
  });

  it("JavaScript's collector frees what nobody holds before an allocation fails", () => {
    giveAll();
    collectGarbage("full");
    for (let i = 0; i < 20; i++) bytes(1900 * MiB);
    expect(mps.driverAllocatedMemory()).toBeLessThanOrEqual(2 * 1920 * MiB + SMALL);
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
    expect(memory()).toEqual([1408 * MiB, 1008 * MiB + XLARGE]);
    giveAll();
  });

  it("is advised with a number that is enough, where free places of a heap count too", () => {
    mps.setPerProcessMemoryFraction(0.6);
    take("a", 20 * MiB);
    // 900 MiB become 912, and the heap of 1 GiB is held already. emptyCache() would give nothing back.
    expect(() => bytes(900 * MiB)).toThrow(
      /2\. tidy\(\), .* \(tensors hold 20 MiB, and keep 1004 MiB that are free between them\)\n {2}3\. mps\.setPerProcessMemoryFraction\(0\.8\) /,
    );
    expect(mps.emptyCache()).toBe(0);
    mps.setPerProcessMemoryFraction(0.8);
    take("b", 900 * MiB);
    expect(memory()).toEqual([932 * MiB, XLARGE]);
    giveAll();
    mps.setPerProcessMemoryFraction(1.7);
  });

  it.each([
    [-0.1, "fraction must be at least 0 and at most 2, got -0.1."],
    [2.1, "fraction must be at least 0 and at most 2, got 2.1."],
  ])("%f is refused", (fraction, message) => {
    expect(() => mps.setPerProcessMemoryFraction(fraction)).toThrow(message);
  });
});
