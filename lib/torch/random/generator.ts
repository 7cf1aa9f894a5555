// Defines `torch.Generator`, a source of random numbers beside the session's. Operators that draw take it as `{
// generator }`; so do loaders and samplers.
import type { Tensor } from "../types/index.ts";
import type { DeviceName, DeviceText } from "../vocabulary/device_name.ts";
import { describe } from "../vocabulary/arguments.ts";
import { requireDevice } from "../engine/device.ts";
import { native } from "../engine/native.ts";
import { checkSeed, readState, stateTensor } from "./random.ts";

/**
 * Draws numbers of its own, from a seed of its own; the session's generators stay as they are.
 *
 * @example
 * const generator = new torch.Generator().manualSeed(42);
 * torch.rand([2], { generator }); // what torch.manualSeed(42) makes torch.rand([2]) draw
 */
export class Generator {
  /**
   * @param device where it draws, only for tensors on that device. Its seed is PyTorch's default until another is set.
   */
  constructor(device: DeviceText = "cpu") {
    if (typeof device !== "string")
      throw new TypeError(
        `new torch.Generator: the device must be a name such as "cpu", got ${describe(device)}; manualSeed() sets the seed.`,
      );
    native.wrapGenerator(this, requireDevice(device));
  }

  get device(): DeviceName {
    return native.generatorDevice(this);
  }

  /** The same seed draws the same numbers again. */
  manualSeed(seed: number | bigint): this {
    native.manualSeed(checkSeed("Generator.manualSeed", seed), this);
    return this;
  }

  /** Seeds it from the system's randomness, and returns the seed: a bigint beyond 2^53. */
  seed(): number | bigint {
    return native.randomSeed(this);
  }

  /** The last seed. */
  initialSeed(): number | bigint {
    return native.initialSeed(this);
  }

  /** The generator's state, as a uint8 tensor on the CPU. */
  getState(): Tensor {
    return stateTensor(native.getRngState(this));
  }

  /** Puts a state back that `getState` of a generator of this device gave. */
  setState(state: Tensor | Uint8Array): this {
    native.setRngState(this, readState("Generator.setState", state));
    return this;
  }

  /** Returns a copy that draws the same numbers from here on. */
  cloneState(): Generator {
    const clone = new Generator(this.device);
    native.setRngState(clone, native.getRngState(this));
    return clone;
  }
}
