// The session's device, seen through the addon. Knows no epochs.
import { device } from "../torch/device.ts";
import { native } from "../torch/native.ts";
import type { Accelerator } from "./accelerator.ts";

export function currentAccelerator(): Accelerator {
  const name = device();
  const simulated = name.startsWith("mps") ? native.simulatedMetal() : null;
  const asynchronous = simulated === null ? name !== "cpu" : simulated.queueing;
  return {
    label: simulated === null ? name : `${name} (simulated)`,
    asynchronous,
    memoryStats: () => native.memoryStats(name),
    resetPeak: () => native.resetPeak(name),
    synchronize: () => native.synchronize(name),
    emptyCache: () => native.emptyCache(name),
    waitedMs: () => native.waited().waitedMs,
    // Without the variable libtorch refuses an operator that mps lacks; with it, it falls back and does not say so.
    fallbacks: () =>
      name.startsWith("mps") && process.env["PYTORCH_ENABLE_MPS_FALLBACK"] === "1" ? null : 0,
  };
}
