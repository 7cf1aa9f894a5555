// Counts each wait for the device once, at the call that caused it. If a hook reads a value during a backward pass, the
// wait counts for the read, not for the pass.
import type { ObservedCall } from "../../../torch/engine/observe.ts";

export interface OwnWait {
  readonly call: ObservedCall;
  readonly waits: number;
  readonly waitedMs: number;
}

/** Takes calls in the order in which they return, inner ones first, and reports those that waited themselves. */
export class WaitsByCall {
  /** Waits so far of the calls inside the running call, by its depth. */
  readonly #inside: { waits: number; waitedMs: number }[] = [];

  of(call: ObservedCall): OwnWait | null {
    const inside = this.#inside[call.depth + 1] ?? { waits: 0, waitedMs: 0 };
    this.#inside[call.depth + 1] = { waits: 0, waitedMs: 0 };
    const around = (this.#inside[call.depth] ??= { waits: 0, waitedMs: 0 });
    around.waits += call.waits;
    around.waitedMs += call.waitedMs;
    const waits = call.waits - inside.waits;
    return waits > 0 ? { call, waits, waitedMs: call.waitedMs - inside.waitedMs } : null;
  }
}
