// A client of one kernel: sends requests, and hands on what comes back for each. Knows messages and sockets, nothing of
// notebooks, and not who started the kernel.
//
// JupyterLab's KernelConnection is not used here: it wants a server's web socket and REST interface, writes its own log to
// stdout, and drops an update of a display whose cell has ended.
import { randomUUID } from "node:crypto";
import { Dealer, Subscriber } from "zeromq";
import type { Connection } from "../../protocol/connection.ts";
import { type Json, type Message, newRequest } from "../../protocol/messages.ts";
import { Wire } from "../../protocol/wire.ts";

type RequestChannel = "shell" | "control";

interface Pending {
  readonly onPublished: (message: Message) => void;
  readonly settle: (reply: Message) => void;
  reply: Message | null;
  isIdle: boolean;
}

/** How long the client waits before it asks again: the kernel may still be starting when its client connects. */
const RECONNECT_MS = 5;

export class KernelClient {
  readonly #wire: Wire;
  readonly #session = randomUUID();
  readonly #channels: Readonly<Record<RequestChannel, Dealer>>;
  /** Without a high-water mark ZeroMQ drops nothing when a cell prints faster than this client reads. */
  readonly #iopub = new Subscriber({ linger: 0, receiveHighWaterMark: 0, reconnectInterval: RECONNECT_MS });
  readonly #pending = new Map<string, Pending>();
  /** Resolves when the kernel has greeted its subscriber: from then on no output is missed. */
  readonly welcomed: Promise<void>;

  constructor(connection: Connection) {
    this.#wire = new Wire(connection.digest, connection.key);
    const options = { linger: 0, receiveHighWaterMark: 0, reconnectInterval: RECONNECT_MS };
    this.#channels = { shell: new Dealer(options), control: new Dealer(options) };
    for (const name of ["shell", "control"] as const) {
      this.#channels[name].connect(connection[name]);
      void this.#read(this.#channels[name], (message) => this.#settle(message, { reply: message }));
    }
    this.#iopub.connect(connection.iopub);
    this.#iopub.subscribe();
    this.welcomed = new Promise((welcome) => {
      void this.#read(this.#iopub, (message) => {
        if (message.header.msg_type === "iopub_welcome") welcome();
        else this.#publish(message);
      });
    });
  }

  /** Resolves with the reply when the kernel is idle again: then `onPublished` has had every message of the request. */
  async request(
    type: string,
    content: Json,
    { channel = "shell", onPublished = () => {} }: RequestOptions = {},
  ): Promise<Message> {
    const message = newRequest(this.#session, type, content);
    const settled = new Promise<Message>((settle) => {
      this.#pending.set(message.header.msg_id, { onPublished, settle, reply: null, isIdle: false });
    });
    await this.#channels[channel].send(this.#wire.encode(message));
    return await settled;
  }

  close(): void {
    for (const dealer of Object.values(this.#channels)) dealer.close();
    this.#iopub.close();
  }

  async #read(socket: Dealer | Subscriber, take: (message: Message) => void): Promise<void> {
    for await (const frames of socket) take(this.#wire.decode(frames));
  }

  #publish(message: Message): void {
    const pending = this.#pending.get(message.parent_header.msg_id ?? "");
    if (pending === undefined) return;
    pending.onPublished(message);
    if (message.content["execution_state"] === "idle") this.#settle(message, { isIdle: true });
  }

  #settle(
    { parent_header: { msg_id = "" } }: Message,
    change: Partial<Pick<Pending, "reply" | "isIdle">>,
  ): void {
    const pending = this.#pending.get(msg_id);
    if (pending === undefined) return;
    Object.assign(pending, change);
    if (pending.reply === null || !pending.isIdle) return;
    this.#pending.delete(msg_id);
    pending.settle(pending.reply);
  }
}

export interface RequestOptions {
  readonly channel?: RequestChannel;
  readonly onPublished?: (message: Message) => void;
}
