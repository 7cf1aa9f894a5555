// A front end for tests of comms and widgets: packets that a test lets arrive, and what was sent, in order.
import { type CommPacket, type CommTransport, installCommTransport } from "../../../lib/comms/transport.ts";

export class ScriptedPage implements CommTransport {
  readonly sent: CommPacket[] = [];
  readonly announced: [string, boolean][] = [];
  readonly failures: unknown[] = [];
  readonly #arriving: CommPacket[] = [];

  constructor() {
    installCommTransport(this);
  }

  /** On its way until code asks for it. */
  say(packet: Partial<CommPacket> & Pick<CommPacket, "action" | "comm">): void {
    this.#arriving.push({ data: {}, metadata: {}, buffers: [], ...packet });
  }

  send(packet: CommPacket): void {
    this.sent.push(packet);
  }

  announce(target: string, registered: boolean): void {
    this.announced.push([target, registered]);
  }

  poll(receive: (packet: CommPacket) => void): void {
    for (let packet = this.#arriving.shift(); packet !== undefined; packet = this.#arriving.shift())
      receive(packet);
  }

  call(handler: () => void): void {
    handler();
  }

  failed(error: unknown, synchronous: boolean): void {
    this.failures.push(error);
    if (synchronous && (error as Error).name === "KeyboardInterrupt") throw error;
  }
}
