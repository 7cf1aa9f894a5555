// The five ZeroMQ sockets of a kernel: binds them, reads requests, and writes replies in order.
import { Router } from "zeromq";
import type { Connection } from "./connection.ts";
import { bind } from "./bind.ts";
import { Heartbeat } from "./heartbeat.ts";
import { newBroadcast, type Json, type Message } from "./messages.ts";
import { Publisher } from "./publisher.ts";
import type { Wire } from "./wire.ts";

export type Channel = "shell" | "control" | "stdin";

export interface SocketEvents {
  message(channel: Channel, message: Message): void;
  /** Frames arrived that are no valid message. The reason is for the log. */
  refused(channel: Channel, reason: string): void;
  /** Whether clients take output more slowly than it comes. */
  congested(congested: boolean): void;
}

/**
 * `handover`: when a client reconnects under its old identity, replies go to the new connection and not to the dead
 * one. The high-water marks: a client that does not read its replies gets no more of them, and a client that sends
 * faster than the kernel answers has to wait.
 */
const ROUTER = {
  handover: true,
  linger: 1000,
  sendTimeout: 0,
  sendHighWaterMark: 10_000,
  receiveHighWaterMark: 1000,
} as const;

export class Sockets {
  readonly #routers: Readonly<Record<Channel, Router>> = {
    shell: new Router(ROUTER),
    control: new Router(ROUTER),
    stdin: new Router(ROUTER),
  };
  readonly #iopub = new Publisher();
  readonly #heartbeat = new Heartbeat();
  readonly #wire: Wire;
  #isClosed = false;
  #ports: Json = {};

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** @throws when an address is taken */
  async bind(connection: Connection): Promise<void> {
    const { shell, iopub, stdin, control, heartbeat } = connection;
    this.#ports = {
      shell_port: portOf(shell),
      iopub_port: portOf(iopub),
      stdin_port: portOf(stdin),
      control_port: portOf(control),
      hb_port: portOf(heartbeat),
    };
    await Promise.all([
      bind(this.#routers.shell, connection.shell),
      bind(this.#routers.control, connection.control),
      bind(this.#routers.stdin, connection.stdin),
      bind(this.#iopub, connection.iopub),
      this.#heartbeat.start(connection.heartbeat),
    ]);
  }

  /** The ports, under the names that they have in the connection file. */
  get ports(): Json {
    return this.#ports;
  }

  /** Reads messages until `close`. */
  listen(events: SocketEvents): void {
    for (const channel of ["shell", "control", "stdin"] as const) void this.#read(channel, events);
    void this.#iopub.listen({
      subscribed: (topic) => this.#welcome(topic),
      congested: (congested) => events.congested(congested),
    });
  }

  /**
   * Sends a reply. With a timeout of 0, `send` acts at once. A kernel that is ending drops the reply, because no client
   * reads it any more.
   */
  reply(channel: Channel, message: Message): void {
    if (this.#isClosed) return;
    this.#routers[channel].send(this.#wire.encode(message)).catch(() => {});
  }

  publish(message: Message): void {
    this.#iopub.send(this.#wire.encode(message));
  }

  /** Sends what is queued, then closes. libzmq delivers within the sockets' linger time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#iopub.close();
    for (const router of Object.values(this.#routers)) router.close();
    await this.#heartbeat.stop();
  }

  async #read(channel: Channel, events: SocketEvents): Promise<void> {
    for await (const frames of this.#routers[channel]) {
      let message: Message;
      try {
        message = this.#wire.decode(frames);
      } catch (error) {
        events.refused(channel, (error as Error).message);
        continue;
      }
      events.message(channel, message);
    }
  }

  /**
   * A subscriber's first message: nothing published from now on can be missed (JEP 65). So the kernel publishes no status
   * `starting`: a client that subscribes in the moment between the binding and the first turn of `listen` would get it before
   * the welcome, and all others would not get it.
   */
  #welcome(topic: Buffer): void {
    const welcome = newBroadcast(null, "iopub_welcome", { subscription: topic.toString("utf8") });
    this.publish({ ...welcome, identities: topic.length > 0 ? [topic] : [] });
  }
}

/** `tcp://127.0.0.1:5001`, `ipc://kernel-1`: the number at the end. */
function portOf(address: string): number {
  return Number(/\d+$/.exec(address)?.[0]);
}
