// Reads the simulated device's fallbacks since the last read.
import { native } from "../../../torch/engine/native.ts";

export class FallbackReader {
  #calls = counts();

  /** The operators that ran on the CPU since the last read, once for each call: `linalg_svd`. */
  since(): string[] {
    const before = this.#calls;
    this.#calls = counts();
    return [...this.#calls].flatMap(([operator, calls]) =>
      Array<string>(calls - (before.get(operator) ?? 0)).fill(operator.replace("aten::", "")),
    );
  }
}

const counts = (): Map<string, number> =>
  new Map(native.metalFallbacks().map(({ operator, calls }) => [operator, calls]));
