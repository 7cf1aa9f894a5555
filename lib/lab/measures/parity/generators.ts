// Detects whether a device's random generator was used during a comparison. Generators of different kinds of devices
// give different numbers, so everything computed from them differs too.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { isDeepStrictEqual } from "node:util";
import { native } from "../../../torch/engine/native.ts";

/** Whether a device's own generator was used. */
export interface Drawn {
  readonly device: DeviceName;
  readonly buildDrew: boolean;
  readonly stepsDrew: boolean;
}

/** Whether a device's generator was used since the last call. */
export class GeneratorWatch {
  readonly #device: DeviceName;
  #state: Uint8Array;

  constructor(device: DeviceName) {
    this.#device = device;
    this.#state = native.getRngState(device);
  }

  restart(): void {
    this.#state = native.getRngState(this.#device);
  }

  hasMoved(): boolean {
    return !isDeepStrictEqual(this.#state, native.getRngState(this.#device));
  }
}

/** Notes on the generators for the report; empty if both devices are of one kind. */
export function notesOn(trained: readonly Drawn[]): string[] {
  const kinds = trained.map(({ device }) => device.replace(/:.*/, ""));
  if (new Set(kinds).size < 2) return [];
  const differ = `whose numbers differ between ${kinds.join(" and ")} for one seed`;
  const notes: string[] = [];
  // The advice: `build` should draw from the CPU's generator.
  if (trained.some(({ device, buildDrew }) => device !== "cpu" && buildDrew))
    notes.push(
      `build draws from the device's own generator, ${differ}: the data may be different. Draw it with torch.randn() and its like, without a generator, or outside of build.`,
    );
  if (trained.some(({ stepsDrew }) => stepsDrew))
    notes.push(
      `The steps draw random numbers, as dropout does, from generators ${differ}: a difference need not be the device's. Compare without, as with model.eval(), or draw before the steps.`,
    );
  return notes;
}
