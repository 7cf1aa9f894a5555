// The session's end of comms: passes messages from the worker thread to the library, and messages from the library to
// the kernel process.
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { deliverComms } from "../../lib/comms/comms.ts";
import { type CommPacket, type CommTransport, installCommTransport } from "../../lib/comms/transport.ts";
import { outputCell } from "./cells.ts";
import { COMMS } from "./control.ts";
import { report } from "./output/report.ts";

/** How the runtime calls a handler, and what it does when a handler has thrown. */
type Handling = Pick<CommTransport, "call" | "failed">;

export class Comms {
  readonly #words: Int32Array;
  readonly #port: MessagePort;
  /** How many messages have been read. */
  #read = 0;

  constructor(words: Int32Array, port: MessagePort, handling: Handling) {
    this.#words = words;
    this.#port = port;
    installCommTransport({
      send: (packet) => report({ type: "comm", cell: outputCell()?.id ?? null, ...packet }),
      announce: (target, registered) => report({ type: "commTarget", target, registered }),
      poll: (receive) => this.#poll(receive),
      ...handling,
    });
  }

  /**
   * Called when a cell is about to suspend at an await: handlers run after the synchronous code around it has ended.
   */
  readonly atAwait = (): void => {
    if (this.#waiting()) queueMicrotask(deliverComms);
  };

  #waiting(): boolean {
    return Atomics.load(this.#words, COMMS) !== this.#read;
  }

  #poll(receive: (packet: CommPacket) => void): void {
    while (this.#waiting()) {
      // The message is counted before it is handled, because a handler may read further messages.
      this.#read = (this.#read + 1) | 0;
      const arrived = receiveMessageOnPort(this.#port) as { message: CommPacket } | undefined;
      if (arrived !== undefined) receive(arrived.message);
    }
  }
}
