// Adds up what each part of a step takes, call by call. phases.ts decides which part a call belongs to.
import { type Phase, PHASES } from "./phases.ts";

export interface TracedPhase {
  readonly phase: Phase;
  readonly operators: number;
  /** Host time, waits aside: from the end of the part before to the end of this one's last call. */
  readonly hostMs: number;
  readonly waitedMs: number;
  /** Device time after each operator has returned, in a run that waits for it; null without a queue. */
  readonly deviceMs: number | null;
  /** Devices that its results lie on. */
  readonly locations: readonly string[];
  /**
   * Kinds of device whose kernels ran. The CPU is among them where an operator fell back to it, though its results lie
   * on the device.
   */
  readonly kernels: readonly string[];
  /** `item at Cell [3]:9`: where the host waits. */
  readonly syncPoints: readonly string[];
}

/** A part that calls are still added to. */
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
