// Switching simulated Metal on: what it says of itself, what is refused, and that nothing changes before.
import { describe, expect, it } from "vitest";
import { mps, torch } from "../../lib/index.ts";

const GiB = 2 ** 30;

describe("before Metal is simulated", () => {
  it("there is no mps device", () => {
    expect(mps.simulation()).toBeNull();
    expect(mps.isAvailable()).toBe(false);
    expect(() => torch.zeros([1], { device: "mps" })).toThrow(RangeError);
    expect(() => mps.synchronize()).toThrow("simulate Metal with mps.simulate()");
  });

  it.each<[string, unknown, string, string]>([
    [
      "a size without a unit",
      { memory: "16" },
      "RangeError",
      'mps.simulate: the memory must be from "1GB" to "2048GB", or that in bytes, got "16".',
    ],
    [
      "a size below any Mac's",
      { memory: 1024 },
      "RangeError",
      'mps.simulate: the memory must be from "1GB" to "2048GB", or that in bytes, got 1024.',
    ],
    [
      "an option that does not exist",
      { size: "16GB" },
      "TypeError",
      'mps.simulate: unknown option "size"; it takes memory, queueing.',
    ],
    [
      "queueing that is no boolean",
      { queueing: "off" },
      "TypeError",
      'mps.simulate: queueing must be true or false, got "off".',
    ],
  ])("%s is refused", (_, options, name, message) => {
    expect(() => mps.simulate(options as never)).toThrow(expect.objectContaining({ name, message }));
    expect(mps.simulation()).toBeNull();
  });
});

describe("a simulated Mac with 16 GB", () => {
  it("is switched on while tensors of the CPU live, and is the session's device from then on", () => {
    const here = torch.ones([2]);
    expect(torch.device()).toBe("cpu");
    expect(mps.simulate({ memory: "16GB" })).toMatchObject({ memoryBytes: 16 * GiB, queueing: true });
    expect([mps.isBuilt(), mps.isAvailable(), mps.deviceCount(), torch.device()]).toEqual([
      true,
      true,
      1,
      "mps",
    ]);
    expect(here.to("mps").add(1).tolist()).toEqual([2, 2]);
  });

  it("recommends two thirds of its memory", () => {
    expect(mps.recommendedMaxMemory()).toBe(Math.floor((16 * GiB) / 3) * 2);
  });

  it("is the same device when it is asked for again, and no other", () => {
    expect(mps.simulate({ memory: 16 * GiB })).toMatchObject({ memoryBytes: 16 * GiB });
    expect(() => mps.simulate({ memory: "8GB" })).toThrow("restart it to choose anew");
    expect(() => mps.simulate({ queueing: false })).toThrow(TypeError);
  });

  it("has no float64, as Metal has none", () => {
    expect(() => torch.zeros([2], { device: "mps" as string, dtype: "float64" })).toThrow(TypeError);
    expect(() => torch.zeros([2], { dtype: "float64" }).to("mps" as string)).toThrow(
      "MPS framework doesn't support float64. Please use float32 instead",
    );
  });

  it("seeded alike gives the CPU's numbers, and draws from a generator of its own", () => {
    torch.manualSeed(5);
    const here = torch.rand([4]).tolist();
    torch.manualSeed(5);
    expect(torch.rand([4], { device: "mps" }).tolist()).toEqual(here);
    expect(torch.rand([4]).tolist()).toEqual(here);
  });
});
