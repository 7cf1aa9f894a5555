// Limits how often a widget sends state to pages: a training loop may set a value thousands of times a second, and
// the server drops messages above its rate. The first change is sent at once, and the last one always.
import { observeCells } from "../session.ts";

const MIN_INTERVAL_MS = 1000 / 30;

const pending = new Set<UpdatePace>();
// A client stops listening when the cell has ended, so the last change is sent before that.
observeCells({ cellEnded: () => pending.forEach((pace) => pace.flush()) });

export class UpdatePace {
  readonly #send: (names: readonly string[]) => void;
  readonly #changed = new Set<string>();
  #sentAtMs = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (names: readonly string[]) => void) {
    this.#send = send;
  }

  changed(names: readonly string[]): void {
    for (const name of names) this.#changed.add(name);
    if (this.#changed.size === 0) return;
    const waitMs = this.#sentAtMs + MIN_INTERVAL_MS - performance.now();
    if (waitMs <= 0) return this.flush();
    pending.add(this);
    this.#timer ??= setTimeout(() => this.flush(), waitMs);
  }

  /** Sends the change that is waiting. */
  flush(): void {
    pending.delete(this);
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    if (this.#changed.size === 0) return;
    this.#sentAtMs = performance.now();
    const names = [...this.#changed];
    this.#changed.clear();
    this.#send(names);
  }
}
