// Memory of the device under test: what is counted, what comes back, what running out looks like.
import { describe, expect, it } from "vitest";
import { accelerator, OutOfMemoryError, type Tensor, torch } from "../../lib/index.ts";
import { device, liveBytes, queues } from "./device_under_test.ts";

const MiB = 1024 * 1024;

describe(`memory of ${device}`, () => {
  it("counts a tensor while it lives", () => {
    const before = liveBytes();
    const x = torch.zeros([4 * MiB], { device });
    expect(accelerator.memoryAllocated(device) - before).toBe(16 * MiB);
    expect(accelerator.memoryReserved(device)).toBeGreaterThanOrEqual(accelerator.memoryAllocated(device));
    x.dispose();
    expect(liveBytes()).toBe(before);
  });

  it("remembers the peak until it is reset", () => {
    const before = liveBytes();
    accelerator.resetPeakMemoryStats(device);
    torch.zeros([8 * MiB], { device }).dispose();
    expect(accelerator.maxMemoryAllocated(device)).toBe(before + 32 * MiB);
    accelerator.resetPeakMemoryStats(device);
    expect(accelerator.maxMemoryAllocated(device)).toBe(before);
  });

  it("gives cached blocks back: what is reserved falls by what emptyCache says", () => {
    torch.zeros([32 * MiB], { device }).dispose();
    liveBytes();
    const reserved = accelerator.memoryReserved(device);
    const freed = accelerator.emptyCache(device);
    expect(freed).toBeGreaterThanOrEqual(128 * MiB);
    expect(reserved - accelerator.memoryReserved(device)).toBe(freed);
  });

  it("is bounded in a synchronous loop whose tensors nobody disposes", () => {
    liveBytes();
    accelerator.resetPeakMemoryStats(device);
    for (let i = 0; i < 2_000; i++) torch.zeros([MiB / 4], { device }).add(1);
    // 4,000 tensors of 1 MiB each were made.
    expect(accelerator.maxMemoryAllocated(device)).toBeLessThan(1_000 * MiB);
  });

  it("is freed with a graph whose loss is dropped", () => {
    const before = liveBytes();
    (() => {
      const x = torch.randn([MiB], { device }).requiresGrad_();
      let y = x;
      for (let i = 0; i < 10; i++) y = y.tanh();
      expect(accelerator.memoryAllocated(device) - before).toBeGreaterThan(40 * MiB);
    })();
    expect(liveBytes()).toBe(before);
  });

  it("running out is an OutOfMemoryError, and the session goes on", () => {
    const before = liveBytes();
    expect(() => torch.zeros([2 ** 46], { device })).toThrow(OutOfMemoryError);
    expect(liveBytes()).toBe(before);
    expect(torch.ones([10], { device }).sum().item()).toBe(10);
  });

  it("is not lost after a hundred failures", () => {
    const before = liveBytes();
    for (let i = 0; i < 100; i++) {
      expect(() => torch.zeros([2 ** 46], { device })).toThrow(OutOfMemoryError);
    }
    expect(liveBytes()).toBe(before);
  });

  describe("retryOnOutOfMemory", () => {
    const tooMuch = () => torch.zeros([2 ** 46], { device });

    it("runs once more with the caches emptied", () => {
      torch.zeros([32 * MiB], { device }).dispose();
      liveBytes();
      const reserved: number[] = [];
      const sum = accelerator.retryOnOutOfMemory(() => {
        reserved.push(accelerator.memoryReserved(device));
        if (reserved.length === 1) tooMuch();
        return torch.ones([10], { device }).sum().item();
      });
      expect(sum).toBe(10);
      expect(reserved[0]! - reserved[1]!).toBeGreaterThanOrEqual(128 * MiB);
    });

    it("waits for a promise, and retries where it was rejected", async () => {
      let runs = 0;
      const run = async () => (await Promise.resolve(runs++), runs === 1 ? tooMuch().numel() : runs);
      expect(await accelerator.retryOnOutOfMemory(run)).toBe(2);
    });

    it.each([
      ["for want of memory", 2, tooMuch, OutOfMemoryError],
      [
        "otherwise",
        1,
        () => torch.ones([2], { device }).add(torch.ones([3], { device }) as Tensor),
        RangeError,
      ],
    ] as const)("leaves what fails %s to the caller after %i", (_, max, run, error) => {
      let runs = 0;
      expect(() => accelerator.retryOnOutOfMemory(() => (runs++, run()))).toThrow(error);
      expect(runs).toBe(max);
    });

    it("takes a function", () => {
      expect(() => accelerator.retryOnOutOfMemory(3 as never)).toThrow(
        "retryOnOutOfMemory() takes a function and runs it, as retryOnOutOfMemory(() => model(x)), got 3.",
      );
    });
  });

  it.skipIf(!queues)("of the CPU holds what came back with cpu(), and the device's copy is separate", () => {
    const x = torch.arange(0, 1000, 1, { device });
    const copy = x.cpu();
    x.zero_();
    expect(copy.sum().item()).toBe(499_500);
  });
});
