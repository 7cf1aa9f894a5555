// Defines which devices exist here, which one this session works on, and where new tensors go by default.
import { tooManyArguments } from "../../surplus_arguments.ts";
import { describe } from "../vocabulary/arguments.ts";
import { type DeviceName, isDeviceName, type DeviceText } from "../vocabulary/device_name.ts";
import { native } from "./native.ts";
import { SIMULATED_KERNELS } from "./simulated_kernels.ts";
import { checkSimulation, readSimulation } from "../vocabulary/simulation_options.ts";

// The simulation begins before any code asks which devices there are. A worker thread finds it on already, because
// devices belong to the process.
const simulated = process.env["MPSLAB_METAL"];
if (simulated && native.simulatedMetal() === null) {
  const options = readSimulation(simulated);
  if (options === null)
    throw new RangeError(
      `MPSLAB_METAL must be "simulated", or with a size "simulated 16GB", got ${JSON.stringify(simulated)}.`,
    );
  native.simulateMetal(checkSimulation(options), SIMULATED_KERNELS);
}

/** Names that were found to be available: asking libtorch each time would cost more than a small operator. */
const known = new Set<string>(["cpu", "meta"]);

/** Refuses a name that is not a device's, and a device that this machine lacks. */
export function requireDevice(name: string): DeviceName {
  if (typeof name !== "string") throw new TypeError(`${describe(name)} is no device; "cpu" is one.`);
  if (known.has(name)) return name as DeviceName;
  const { available } = native.devices();
  const here = `${available.join(", ")} ${available.length === 1 ? "is" : "are"}`;
  if (!isDeviceName(name)) throw new TypeError(`"${name}" names no device; ${here} here.`);
  const first = (device: string) => device.replace(/:0$/, "");
  const found = available.some((device) => first(device) === first(name));
  if (!found) throw new RangeError(`The device ${name} is not available here; ${here}.`);
  known.add(name);
  return name;
}

let chosen: DeviceName | null = null;
/** The device that is used if the user chose none. */
let best: DeviceName | null = null;
let factoryDevice: DeviceName = "cpu";

/**
 * The device that this session works on: mps if available, else cuda, else cpu, unless `MPSLAB_DEVICE` or `%device`
 * chose one. With a name: that name, checked.
 */
export function device(name?: string): DeviceName {
  // Refused, because Python's torch.device("cuda", 1) would silently mean the first device here.
  if (arguments.length > 1)
    throw tooManyArguments("torch.device", 1, arguments.length, 'name, as in "cuda:1"');
  if (name !== undefined) return requireDevice(name);
  if (chosen !== null) return chosen;
  if (best === null) {
    const wished = process.env["MPSLAB_DEVICE"];
    const { available } = native.devices();
    const found = (["mps", "cuda"] as const).find((kind) => available.some((one) => one.startsWith(kind)));
    best = wished ? requireDevice(wished) : (found ?? "cpu");
  }
  return best;
}

/** The set of devices has changed since the default was chosen. */
export function deviceAppeared(): void {
  best = null;
}

/** Chooses the session's device, for `%device`. */
export function chooseDevice(name: string): DeviceName {
  chosen = requireDevice(name);
  return chosen;
}

/**
 * Returns the device on which `torch.zeros` and other factories make a tensor when no device is named. As in PyTorch,
 * it is the CPU until `setDefaultDevice` changes it.
 */
export function defaultDevice(): DeviceName {
  return factoryDevice;
}

/**
 * Sets the device on which tensors are made by calls that name none.
 *
 * @throws TypeError for a value that is not a device's name, RangeError for a device that is not available here
 */
export function setDefaultDevice(name: DeviceText): void {
  factoryDevice = requireDevice(name);
}
