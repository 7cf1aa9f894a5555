// Host memory: its numbers, its limit, and what happens before a tensor is refused.
import { afterEach, describe, expect, it } from "vitest";
import { cpu, OutOfMemoryError, torch } from "../../../../lib/index.ts";
import { native } from "../../../../lib/torch/engine/native.ts";
import { collectedBytes } from "../../../helpers/memory.ts";
import { refuses } from "../tensor/misuse.ts";

const MiB = 1024 * 1024;
const floats = (mebibytes: number): number => (mebibytes * MiB) / 4;

/** Room for so many bytes more than what is held now. */
function leaveRoom(bytes: number): void {
  collectedBytes();
  cpu.emptyCache();
  cpu.setPerProcessMemoryFraction((cpu.driverAllocatedMemory() + bytes) / cpu.recommendedMaxMemory());
}

afterEach(() => native.setHostLimits({ highWatermark: 1.25, lowWatermark: 1 }));

describe("cpu", () => {
  it("counts the bytes of tensors, and gives back what it cached", () => {
    const before = collectedBytes();
    const x = torch.zeros([floats(8)]);
    expect(cpu.currentAllocatedMemory()).toBe(before + 8 * MiB);
    x.dispose();
    expect(cpu.emptyCache()).toBeGreaterThanOrEqual(8 * MiB);
    expect(cpu.currentAllocatedMemory()).toBe(before);
  });

  it("collects what nobody holds before it says out of memory", () => {
    leaveRoom(64 * MiB);
    const sizes = Array.from({ length: 6 }, () => torch.zeros([floats(48)]).numel());
    expect(sizes).toEqual(Array(6).fill(floats(48)));
  });

  it("says out of memory where tensors are held, and works on", () => {
    leaveRoom(64 * MiB);
    const held = torch.zeros([floats(48)]);
    expect(() => torch.zeros([floats(48)])).toThrow(OutOfMemoryError);
    held.dispose();
    expect(torch.zeros([floats(48)]).numel()).toBe(floats(48));
  });

  it("has no limit after 0", () => {
    leaveRoom(16 * MiB);
    cpu.setPerProcessMemoryFraction(0);
    expect(torch.zeros([floats(32)]).numel()).toBe(floats(32));
  });

  refuses([
    [
      "a fraction above 2",
      () => cpu.setPerProcessMemoryFraction(2.1),
      "RangeError",
      "cpu.setPerProcessMemoryFraction: fraction must be at least 0 and at most 2, got 2.1.",
    ],
  ]);
});
