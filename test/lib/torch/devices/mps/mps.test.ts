// The mps namespace on a machine without an Apple GPU: what it says, and which of the reasons holds.
import { describe, expect, it } from "vitest";
import { mps } from "../../../../../lib/index.ts";
import { native } from "../../../../../lib/torch/engine/native.ts";
import { refuses } from "../../tensor/misuse.ts";

const { built, available } = native.devices();

describe("mps", () => {
  it("says whether it is built and available, as the devices do", () => {
    expect(mps.isBuilt()).toBe(built.includes("mps"));
    expect(mps.isAvailable()).toBe(available.includes("mps"));
    expect(mps.deviceCount()).toBe(available.includes("mps") ? 1 : 0);
  });

  refuses([
    [
      "a fraction below 0",
      () => mps.setPerProcessMemoryFraction(-0.1),
      "RangeError",
      "mps.setPerProcessMemoryFraction: fraction must be at least 0 and at most 2, got -0.1.",
    ],
    [
      "a fraction above 2",
      () => mps.setPerProcessMemoryFraction(2.1),
      "RangeError",
      "mps.setPerProcessMemoryFraction: fraction must be at least 0 and at most 2, got 2.1.",
    ],
    [
      "NaN for a fraction",
      () => mps.setPerProcessMemoryFraction(Number.NaN),
      "RangeError",
      "mps.setPerProcessMemoryFraction: fraction must be a number, got NaN.",
    ],
    [
      "a string for a fraction",
      () => mps.setPerProcessMemoryFraction("1" as never),
      "TypeError",
      'mps.setPerProcessMemoryFraction: fraction must be a number, got "1".',
    ],
  ]);
});

const { reason } = mps.availability();

describe.skipIf(reason === null)("mps, on a machine that has no such device,", () => {
  const bytes = new Uint8Array(8);
  const calls: Record<string, () => unknown> = {
    currentAllocatedMemory: mps.currentAllocatedMemory,
    driverAllocatedMemory: mps.driverAllocatedMemory,
    recommendedMaxMemory: mps.recommendedMaxMemory,
    emptyCache: mps.emptyCache,
    synchronize: mps.synchronize,
    setPerProcessMemoryFraction: () => mps.setPerProcessMemoryFraction(0.5),
    manualSeed: () => mps.manualSeed(0),
    seed: mps.seed,
    getRngState: mps.getRngState,
    setRngState: () => mps.setRngState(bytes),
    getName: mps.getName,
    getCoreCount: mps.getCoreCount,
    isMacosOrNewer: () => mps.isMacosOrNewer(14, 2),
    Event: () => new mps.Event(),
    Stream: () => new mps.Stream(),
    currentStream: mps.currentStream,
    defaultStream: mps.defaultStream,
    setStream: () => mps.setStream(null),
    "profiler.start": () => mps.profiler.start(),
    "profiler.stop": mps.profiler.stop,
    "profiler.signposts": mps.profiler.signposts,
    "profiler.isMetalCaptureEnabled": mps.profiler.isMetalCaptureEnabled,
    "profiler.isCapturingMetal": mps.profiler.isCapturingMetal,
    "profiler.metalCapture": () => mps.profiler.metalCapture("step", () => 0),
    compileShader: () => mps.compileShader("kernel void f(device float* x) {}"),
    loadMetallib: () => mps.loadMetallib("kernels.metallib"),
    fallbacks: mps.fallbacks,
  };
  refuses(
    Object.entries(calls).map(([name, call]) => [
      `mps.${name}`,
      call,
      "TypeError",
      `mps.${name}: ${reason} Here are ${available.join(", ")}: work on one of those, simulate Metal with mps.simulate(), or go to a Mac.`,
    ]),
  );

  it("says which of the states holds", () => {
    expect(mps.availability().state).toBe(built.includes("mps") ? "no device" : "not built");
    expect(reason).toContain(
      built.includes("mps") ? "libtorch was built with mps, but" : `this libtorch ${native.version}`,
    );
  });
});
