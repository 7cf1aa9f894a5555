// Names of devices: which exist here, which one this session works on, and where new tensors go by default. Knows no
// tensor.
import { type DeviceName, native } from "./native.ts";

const DEVICE = /^(cpu|cuda|mps|meta)(:\d+)?$/;

export function isDeviceName(name: string): name is DeviceName {
  return DEVICE.test(name);
}

function requireAvailable(name: string): DeviceName {
  const { available } = native.devices();
  if (!isDeviceName(name)) {
    throw new RangeError(`"${name}" names no device; here are ${available.join(", ")}.`);
  }
  const kind = name.replace(/:\d+$/, "");
  if (kind === "meta" || available.some((device) => device === name || device === kind)) return name;
  throw new RangeError(
    `The device ${name} is not available here; ${available.join(", ")} ${available.length === 1 ? "is" : "are"}.`,
  );
}

let chosen: DeviceName | null = null;
let factoryDevice: DeviceName = "cpu";

/**
 * The device that this session works on: mps if available, else cuda, else cpu, unless `MPSLAB_DEVICE` or `%device`
 * chose one. With a name: that name, checked.
 */
export function device(name?: string): DeviceName {
  if (name !== undefined) return requireAvailable(name);
  if (chosen === null) {
    const wished = process.env["MPSLAB_DEVICE"];
    const { available } = native.devices();
    const best =
      (["mps", "cuda"] as const).find((kind) => available.some((one) => one.startsWith(kind))) ?? "cpu";
    chosen = wished ? requireAvailable(wished) : best;
  }
  return chosen;
}

/** What `%device` does. */
export function chooseDevice(name: string): DeviceName {
  chosen = requireAvailable(name);
  return chosen;
}

/** Where `torch.zeros` and its like put a tensor whose device is not said: the CPU, as in PyTorch. */
export function defaultDevice(): DeviceName {
  return factoryDevice;
}

export function setDefaultDevice(name: DeviceName): void {
  factoryDevice = requireAvailable(name);
}
