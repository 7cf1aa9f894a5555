// Tests what a flush does, in which order, and what it reports.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { flush } from "../../../../lib/lab/epochs/flush.ts";
import { MIB, ScriptedDevice, useScriptedClock } from "../scripted_device.ts";

beforeEach(useScriptedClock);
afterEach(() => vi.useRealTimers());

describe("a flush", () => {
  it("waits for the device, collects, waits for what freeing queued, empties the cache, and samples around it", () => {
    const device = new ScriptedDevice();
    const collector = device.collector();
    flush(device, () => collector.full());
    expect(device.calls).toEqual([
      "synchronize",
      "sample",
      "collect full",
      "synchronize",
      "empty cache",
      "sample",
    ]);
  });

  it("tells the wait for the device from its own cost", () => {
    const device = new ScriptedDevice();
    device.train({ queuedMs: 35 });
    const collector = device.collector(8);
    expect(flush(device, () => collector.full())).toMatchObject({
      waitMs: 35,
      flushMs: 8,
      collection: "full",
      complete: true,
    });
  });

  it("counts what was freed of the tensors, and what went back to the driver", () => {
    const device = new ScriptedDevice();
    device.cached = 5 * MIB;
    device.train({ keeps: 10 * MIB, drops: 30 * MIB });
    const collector = device.collector();

    const { before, after, freedBytes, releasedBytes } = flush(device, () => collector.full());

    expect(before).toMatchObject({ allocatedBytes: 40 * MIB, driverBytes: 45 * MIB, peakBytes: 40 * MIB });
    expect(after).toMatchObject({ allocatedBytes: 10 * MIB, driverBytes: 10 * MIB, peakBytes: 40 * MIB });
    expect({ freedBytes, releasedBytes }).toEqual({ freedBytes: 30 * MIB, releasedBytes: 35 * MIB });
  });

  it("leaves an error of the device to the caller, before anything is collected", () => {
    const device = new ScriptedDevice();
    device.synchronize = () => {
      throw new Error("the command buffer failed");
    };
    const collector = device.collector();
    expect(() => flush(device, () => collector.full())).toThrow("the command buffer failed");
    expect(device.calls).toEqual([]);
  });
});
