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
  #running: Message | null = null;

  /** @param run never rejects */
  constructor(run: (message: Message, aborted: boolean) => Promise<void>) {
    this.#run = run;
  }

  push(message: Message): void {
    this.#waiting.push({ message, aborted: false });
    if (this.#running === null) void this.#drain();
  }

  /** Whether a request of this client is running or waiting here. A reloaded page is another client. */
  serves(session: string): boolean {
    const messages = [this.#running, ...this.#waiting.map(({ message }) => message)];
    return messages.some((message) => message?.header.session === session);
  }

  /**
   * Must be called before the reply about the error is sent: requests that the client sends after that reply must run.
   */
  abortWaiting(): void {
    for (const waiting of this.#waiting) waiting.aborted = true;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#running = next.message;
      await this.#run(next.message, next.aborted);
    }
    this.#running = null;
  }
}
