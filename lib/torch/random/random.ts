// Sets seeds, and reads and sets the states of the generators, one for each device. The numbers themselves are
// ATen's.
import type { Tensor } from "../types/index.ts";
import type { DeviceName, DeviceText } from "../vocabulary/device_name.ts";
import { defaultDevice, requireDevice } from "../engine/device.ts";
import { checkList, describe, requireFunction } from "../vocabulary/arguments.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { type OpenRules, optional, readOptions } from "../vocabulary/options.ts";
import { native } from "../engine/native.ts";

const MIN_SEED = -(2n ** 63n);
const MAX_SEED = 2n ** 64n - 1n;

/** A seed is any integer of 64 bits; negative ones count from the top, as in PyTorch. */
export function checkSeed(call: string, seed: unknown): number | bigint {
  if (typeof seed !== "bigint" && typeof seed !== "number") {
    throw new TypeError(`${call}: the seed must be a whole number or a bigint, got ${describe(seed)}.`);
  }
  if (typeof seed === "number" && !Number.isSafeInteger(seed)) {
    throw new RangeError(
      `${call}: the seed must be a whole number, as a bigint beyond 2^53, got ${describe(seed)}.`,
    );
  }
  if (seed < MIN_SEED || seed > MAX_SEED)
    throw new RangeError(`${call}: a seed has 64 bits; ${seed} has more.`);
  return seed;
}

/** Seeds the generators of all devices: the same seed gives the same numbers again. */
export function manualSeed(seed: number | bigint): void {
  native.manualSeed(checkSeed("torch.manualSeed", seed));
}

/** Seeds all generators from the system's randomness, and returns the seed: a bigint beyond 2^53. */
export function seed(): number | bigint {
  const fresh = native.randomSeed("cpu");
  native.manualSeed(fresh);
  return fresh;
}

/** The last seed of the CPU's generator. */
export function initialSeed(): number | bigint {
  return native.initialSeed("cpu");
}

/** The state of a device's generator, as a uint8 tensor on the CPU. Default: the CPU's generator. */
export function getRngState(device: DeviceText = "cpu"): Tensor {
  return stateTensor(native.getRngState(requireDevice(device)));
}

/**
 * Puts a state back that `getRngState` gave: a device's generator draws the same numbers again.
 *
 * @throws TypeError for a value that is not a uint8 tensor or a Uint8Array
 */
export function setRngState(state: Tensor | Uint8Array, device: DeviceText = "cpu"): void {
  native.setRngState(requireDevice(device), readState("torch.setRngState", state));
}

export interface ForkOptions {
  /** Devices whose generators are restored, besides that of the CPU. Default: the default device. */
  readonly devices?: readonly DeviceText[];
}

const FORK_RULES = {
  devices: optional((call, name, value) => checkList(call, name, value as readonly DeviceName[])),
} satisfies OpenRules<ForkOptions>;

/**
 * Runs `run`, and puts the generators back as they were: what it draws or seeds changes nothing outside. Refuses an
 * async function, because other code may draw while it waits.
 *
 *     const sample = torch.forkRng(() => (torch.manualSeed(0), torch.randn([2])));
 */
export function forkRng<Result>(run: () => Result, options?: ForkOptions): Result {
  const call = "torch.forkRng";
  requireFunction(call, run);
  const { devices = [defaultDevice()] } = readOptions(call, options, FORK_RULES);
  const chosen = Array.from(devices, (device) => requireDevice(device));
  const names = new Set<DeviceName>(["cpu", ...chosen]);
  const states = Array.from(names, (device) => [device, native.getRngState(device)] as const);
  try {
    return requireFinished(
      call,
      run(),
      "the generators are put back when it returns. Call it around the synchronous parts.",
    );
  } finally {
    for (const [device, state] of states) native.setRngState(device, state);
  }
}

export function stateTensor(state: Uint8Array): Tensor {
  return native.fromTypedArray(state, [state.length], "uint8");
}

/** The bytes of a state, given as themselves or as a tensor. */
export function readState(call: string, state: unknown): Uint8Array {
  if (state instanceof Uint8Array) return state;
  if (!native.isTensor(state))
    throw new TypeError(`${call}: a random state is a uint8 tensor or a Uint8Array, got ${describe(state)}.`);
  if (native.dtype(state) !== "uint8")
    throw new TypeError(`${call}: a random state is a uint8 tensor; this one is ${state.dtype}.`);
  return native.withTypedArray(state.cpu().contiguous(), (bytes) => Uint8Array.from(bytes as Uint8Array));
}
