// Random state: seeds and the states of the generators, one for each device. The numbers themselves are ATen's.
import { describe } from "./arguments.ts";
import { type DeviceName, native } from "./native.ts";
import type { Tensor } from "./tensor.ts";

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;

let lastSeed: number | bigint | null = null;

/** Seeds the generators of all devices: the same seed gives the same numbers again. */
export function manualSeed(seed: number | bigint): void {
  if (typeof seed !== "bigint" && typeof seed !== "number") {
    throw new TypeError(`A seed is a whole number or a bigint; it was ${describe(seed)}.`);
  }
  if (typeof seed === "number" && !Number.isSafeInteger(seed)) {
    throw new RangeError(`A seed is a whole number, a bigint beyond 2^53; it was ${seed}.`);
  }
  const whole = BigInt(seed);
  if (whole < LEAST || whole > MOST) throw new RangeError(`A seed has 64 bits; ${whole} has more.`);
  native.manualSeed(seed);
  lastSeed = seed;
}

/** Seeds all generators from the system's randomness, and returns the seed. */
export function seed(): number {
  const words = crypto.getRandomValues(new Uint32Array(2));
  const fresh = ((words[0] ?? 0) & 0x1fffff) * 2 ** 32 + (words[1] ?? 0);
  manualSeed(fresh);
  return fresh;
}

/** What the generators were last seeded with; null if nobody has. */
export function initialSeed(): number | bigint | null {
  return lastSeed;
}

/** The state of a device's generator, as a uint8 tensor on the CPU. */
export function getRngState(device: DeviceName = "cpu"): Tensor {
  const state = native.getRngState(device);
  return native.fromTypedArray(state, [state.length], "uint8");
}

/** Puts a state back that `getRngState` gave. */
export function setRngState(state: Tensor | Uint8Array, device: DeviceName = "cpu"): void {
  const bytes = native.isTensor(state) ? state.cpu().contiguous() : null;
  if (bytes !== null && bytes.dtype !== "uint8")
    throw new TypeError(`A random state is a uint8 tensor; this one is ${bytes.dtype}.`);
  native.setRngState(
    device,
    bytes === null ? (state as Uint8Array) : (native.typedArray(bytes) as Uint8Array),
  );
}
