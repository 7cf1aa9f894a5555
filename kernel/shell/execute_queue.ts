// Queues cells and runs them one at a time. After an error, exactly those that waited at that moment are aborted. No
// timer is involved, so a cell sent after the error's reply always runs.
import type { Message } from "../protocol/messages.ts";

interface Waiting {
  readonly message: Message;
  aborted: boolean;
}

export class ExecuteQueue {
  readonly #run: (message: Message, aborted: boolean) => Promise<void>;
  #waiting: Waiting[] = [];
  #draining = false;

  /** @param run never rejects */
  constructor(run: (message: Message, aborted: boolean) => Promise<void>) {
    this.#run = run;
  }

  push(message: Message): void {
    this.#waiting.push({ message, aborted: false });
    if (!this.#draining) void this.#drain();
  }

  /** Must be called before the error's reply is sent: requests that the client sends after the reply must run. */
  abortWaiting(): void {
    for (const waiting of this.#waiting) waiting.aborted = true;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#run(next.message, next.aborted);
    }
    this.#draining = false;
  }
}
