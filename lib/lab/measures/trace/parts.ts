// Adds up what each part of a step takes, call by call. phases.ts decides which part a call belongs to.
import { type Phase, PHASES } from "./phases.ts";

export interface TracedPhase {
  readonly phase: Phase;
  readonly operators: number;
  /** Host time without waits, from the end of the previous part to the end of this part's last call. */
  readonly hostMs: number;
  readonly waitedMs: number;
  /** Device time after each operator returned, from a run that waits after each; null if the device has no queue. */
  readonly deviceMs: number | null;
  /** Devices on which its results lie. */
  readonly locations: readonly string[];
  /**
   * Kinds of device whose kernels ran. If an operator fell back to the CPU, the CPU is among them, though the
   * operator's results lie on the device.
   */
  readonly kernels: readonly string[];
  /** The call at which the host waits: `item at Cell [3]:9`. */
  readonly syncPoints: readonly string[];
}

/** A part to which calls are still being added. */
export interface OpenPart {
  operators: number;
  hostMs: number;
  waitedMs: number;
  deviceMs: number;
  readonly locations: Set<string>;
  readonly kernels: Set<string>;
  readonly syncPoints: Set<string>;
}

export class Parts {
  readonly #open = new Map<Phase, OpenPart>();

  of(phase: Phase): OpenPart {
    let found = this.#open.get(phase);
    if (found === undefined) {
      found = {
        operators: 0,
        hostMs: 0,
        waitedMs: 0,
        deviceMs: 0,
        locations: new Set(),
        kernels: new Set(),
        syncPoints: new Set(),
      };
      this.#open.set(phase, found);
    }
    return found;
  }

  /** Adds what was counted for one part to another. */
  move(from: Phase, to: Phase): void {
    const part = this.#open.get(from);
    if (part === undefined) return;
    this.#open.delete(from);
    const target = this.of(to);
    for (const number of ["operators", "hostMs", "waitedMs", "deviceMs"] as const)
      target[number] += part[number];
    for (const set of ["locations", "kernels", "syncPoints"] as const)
      for (const one of part[set]) target[set].add(one);
  }

  /** Returns the parts in the order of a step. Parts that have no call are left out. */
  list(hasQueue: boolean): TracedPhase[] {
    return PHASES.flatMap((phase) => {
      const found = this.#open.get(phase);
      if (found === undefined) return [];
      const { locations, kernels, syncPoints, deviceMs, ...times } = found;
      return [
        {
          phase,
          ...times,
          deviceMs: hasQueue ? deviceMs : null,
          locations: [...locations],
          kernels: [...kernels],
          syncPoints: [...syncPoints],
        },
      ];
    });
  }
}
