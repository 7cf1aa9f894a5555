// Memory of the device under test: what is counted, what comes back, what running out looks like.
import { describe, expect, it } from "vitest";
import { accelerator, OutOfMemoryError, torch } from "../../lib/index.ts";
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

  it.skipIf(!queues)("of the CPU holds what came back with cpu(), and the device's copy is separate", () => {
    const x = torch.arange(0, 1000, 1, { device });
    const copy = x.cpu();
    x.zero_();
    expect(copy.sum().item()).toBe(499_500);
  });
});
