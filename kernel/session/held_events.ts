// Keeps what a session reports until the kernel listens, because the session starts while the kernel's modules are
// still being loaded.
import type { FromSession } from "./channel.ts";
import type { SupervisorEvents } from "./supervisor.ts";

export class HeldEvents implements SupervisorEvents {
  #listener: SupervisorEvents | null = null;
  #held: ((listener: SupervisorEvents) => void)[] = [];

  message(message: FromSession): void {
    this.#pass((listener) => listener.message(message));
  }

  died(reason: string, lost: string): void {
    this.#pass((listener) => listener.died(reason, lost));
  }

  /** The listener gets everything in order, and nothing before this call returns. */
  listen(listener: SupervisorEvents): void {
    queueMicrotask(() => {
      this.#listener = listener;
      for (const pass of this.#held.splice(0)) pass(listener);
    });
  }

  #pass(event: (listener: SupervisorEvents) => void): void {
    if (this.#listener === null) this.#held.push(event);
    else event(this.#listener);
  }
}
