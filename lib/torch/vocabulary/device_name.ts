// Declares names of devices as PyTorch writes them. `engine/device.ts` finds out whether such a device exists here.

/** A kind of device, without an index. */
export type DeviceKind = "cpu" | "mps" | "cuda" | "meta";

/** `cpu`, `mps`, `cuda`, or one with an index, as `cuda:1`. */
export type DeviceName = DeviceKind | `${DeviceKind}:${number}`;

/**
 * The type of parameters that take a device. It accepts any string, such as
 * `const device: string = flag ? "mps" : "cpu"`, which is checked at run time. `& {}` keeps the names apart from
 * `string`, so that editors propose them.
 */
export type DeviceText = DeviceName | (string & {});

const DEVICE = /^(cpu|cuda|mps|meta)(:\d+)?$/;

export function isDeviceName(name: string): name is DeviceName {
  return DEVICE.test(name);
}
