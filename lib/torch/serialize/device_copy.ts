// Moves loaded tensors to a device. Converts dtypes that the device lacks, and reports these conversions once.
import type { DeviceName } from "../vocabulary/device_name.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

export class DeviceCopy {
  readonly #call: string;
  readonly #device: DeviceName;
  readonly #narrowed: string[] = [];

  constructor(call: string, device: DeviceName) {
    this.#call = call;
    this.#device = device;
  }

  move(tensor: Tensor, name: string): Tensor {
    if (this.#device === "cpu") return tensor;
    const dtype = native.dtype(tensor);
    const narrows = dtype === "float64" && this.#device.startsWith("mps");
    if (narrows) this.#narrowed.push(name);
    return tensor.to(this.#device, narrows ? "float32" : dtype);
  }

  /** A warning if numbers were converted to a narrower dtype. */
  tell(): void {
    const [first, ...others] = this.#narrowed;
    if (first === undefined) return;
    const which =
      others.length === 0
        ? `${first} was float64 and is`
        : `${first} and ${others.length} more were float64 and are`;
    process.emitWarning(`${this.#call}: ${which} float32 now: ${this.#device} has no float64.`);
  }
}
