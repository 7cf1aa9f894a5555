// Tests how the systems' own reports about memory are parsed.
import { describe, expect, it } from "vitest";
import {
  machineMemory,
  pressureOfStalls,
  swapAndPressureOfSysctl,
  swapOfMeminfo,
} from "../../../../lib/lab/core/memory_pressure.ts";

const stalls = (some: string, full: string): string =>
  `some avg10=${some} avg60=0.00 avg300=0.00 total=0\nfull avg10=${full} avg60=0.00 avg300=0.00 total=0\n`;

describe("on Linux", () => {
  it("swap in use is the total less what is free", () => {
    const meminfo = "MemTotal:       65536 kB\nSwapTotal:       2048 kB\nSwapFree:        1536 kB\n";
    expect(swapOfMeminfo(meminfo)).toBe(512 * 1024);
  });

  it("a machine without swap uses none", () => {
    expect(swapOfMeminfo("SwapTotal:             0 kB\nSwapFree:              0 kB\n")).toBe(0);
  });

  it.each([
    ["0.00", "0.00", "normal"],
    ["9.99", "0.00", "normal"],
    ["10.00", "0.00", "warning"],
    ["80.00", "9.99", "warning"],
    ["80.00", "10.00", "critical"],
  ])("stalls of %s%% of some tasks and %s%% of all are %s", (some, full, word) => {
    expect(pressureOfStalls(stalls(some, full))).toBe(word);
  });
});

describe("on macOS", () => {
  it.each([
    ["1", "normal"],
    ["2", "warning"],
    ["4", "critical"],
  ])("level %s is %s, beside the swap in use", (level, pressure) => {
    const text = `total = 2048.00M  used = 512.25M  free = 1535.75M  (encrypted)\n${level}\n`;
    expect(swapAndPressureOfSysctl(text)).toEqual({ swapBytes: 537_133_056, pressure });
  });
});

describe("what a system does not tell is null", () => {
  it.each([null, "", "nothing of the kind"])("%j", (text) => {
    expect(swapOfMeminfo(text)).toBeNull();
    expect(pressureOfStalls(text)).toBeNull();
    expect(swapAndPressureOfSysctl(text)).toEqual({ swapBytes: null, pressure: null });
  });
});

it("this machine has memory available", () => {
  expect(machineMemory().availableBytes).toBeGreaterThan(0);
});
