// Implements `DeviceInterface` with the addon, for the session's device or a named one.
import { device, requireDevice } from "../../torch/engine/device.ts";
import { fallsBack } from "../../torch/devices/mps/environment_variables.ts";
import { native } from "../../torch/engine/native.ts";
import type { DeviceInterface } from "./device_interface.ts";

export function nativeDevice(): DeviceInterface {
  return acceleratorOf();
}

/**
 * Returns the named device, or the session's.
 *
 * @throws TypeError, RangeError for a name that is not a device's, and for a device that this machine lacks
 */
export function acceleratorOf(wished: string = device()): DeviceInterface {
  const name = requireDevice(wished);
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
    // Without the variable, libtorch on a Mac refuses an operator that mps lacks. With it, libtorch falls back and does
    // not report it.
    fallbacks: () => {
      if (simulated !== null) return native.metalFallbacks().reduce((calls, one) => calls + one.calls, 0);
      return name.startsWith("mps") && fallsBack() ? null : 0;
    },
  };
}
