// Follows the data of one step from one kind of device to another. Each crossing is a backend switch.

/**
 * A place from which the step continues on another kind of device. Either the user's code copied there, or the device
 * lacks one operator and falls back. A fallback is two switches, there and back.
 */
export interface BackendSwitch {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly line: string | null;
  readonly cause: "copy" | "fallback";
}

export class Switches {
  readonly list: BackendSwitch[] = [];
  /** The device of the last copy. Null if a device has computed since. */
  #copyingTo: string | null = null;

  /** Copies that follow each other, such as the parts of a batch, count as one switch. */
  copied(operator: string, from: string, to: string, line: string | null): void {
    if (this.#copyingTo !== to) this.list.push({ operator, from, to, line, cause: "copy" });
    this.#copyingTo = to;
  }

  fellBack(operator: string, device: string, line: string | null): void {
    this.list.push({ operator, from: device, to: "cpu", line, cause: "fallback" });
    this.list.push({ operator, from: "cpu", to: device, line, cause: "fallback" });
    this.#copyingTo = null;
  }

  /** Host work between two copies, such as making the next part of a batch, does not separate them. */
  computed(kind: string): void {
    if (kind !== "cpu") this.#copyingTo = null;
  }
}
