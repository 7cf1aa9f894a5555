// Subshells (JEP 91): queues of cells beside the main one. Each runs its cells in order. Cells of two subshells
// alternate wherever they await, because the session has one JavaScript thread. A loop that never awaits, a native call
// or `prompt` blocks all of them.
import { randomUUID } from "node:crypto";
import { ExecuteQueue } from "./execute_queue.ts";
import { ContentError } from "../protocol/requests.ts";
import type { Header, Message } from "../protocol/messages.ts";

export class Subshells {
  readonly #newQueue: () => ExecuteQueue;
  readonly #main: ExecuteQueue;
  readonly #queues = new Map<string, ExecuteQueue>();

  /** @param run runs one cell; never rejects */
  constructor(run: (request: Message, aborted: boolean) => Promise<void>) {
    this.#newQueue = () => new ExecuteQueue(run);
    this.#main = this.#newQueue();
  }

  create(): string {
    const id = randomUUID();
    this.#queues.set(id, this.#newQueue());
    return id;
  }

  /**
   * Deletes a subshell. Cells that wait in it are aborted; the running one continues to its end.
   *
   * @throws ContentError if there is no such subshell
   */
  delete(id: string): void {
    const queue = this.#queues.get(id);
    if (queue === undefined) throw unknownSubshell(id);
    this.#queues.delete(id);
    queue.abortWaiting();
  }

  list(): string[] {
    return [...this.#queues.keys()];
  }

  /**
   * Returns the queue for a request with this header.
   *
   * @throws ContentError if the subshell does not exist, or no longer
   */
  queueOf({ subshell_id }: Header): ExecuteQueue {
    if (subshell_id == null) return this.#main;
    const queue = this.#queues.get(subshell_id);
    if (queue === undefined) throw unknownSubshell(subshell_id);
    return queue;
  }
}

function unknownSubshell(id: string): ContentError {
  return new ContentError(
    `there is no subshell ${JSON.stringify(id)}: it was deleted, or this kernel never had it`,
  );
}
